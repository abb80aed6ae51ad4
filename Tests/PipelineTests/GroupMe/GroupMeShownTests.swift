import Testing
import WeirEvents
import WeirJSON
import WeirModel

@testable import WeirPipeline

/// Tests for the display of changes that the user requested and the server has not made yet.
struct GroupMeShownTests {
    @Test func `a created or changed group reads back from a log as shown, whatever is left empty`()
        throws
    {
        var peer = GroupMeTranscript.ready()
        peer.answer("messages?limit=100", GroupMeTranscript.page([1]))
        peer.answer("/groups/10000001", #"{"id":"10000001","name":"Family","description":"d","members":[]}"#)
        let operations: [Action.Operation] = [
            .createChannel(.init(kind: .private, name: "New")),
            .editChannel(channel: EntityID("10000001"), .init(icon: "", description: "")),
        ]
        for (number, operation) in operations.enumerated() {
            peer.feed(.act(Action(id: EntityID("A\(number)"), operation, asked: Timestamp(milliseconds: 1))))
            let model = peer.transcript.session.model
            let rows = model.sectionKeys.flatMap { model.elements(in: $0) }
            #expect(rows.contains { $0.delivery == .pending })
            for row in rows {
                var writer = JSONWriter()
                row.encode(into: &writer)
                #expect(Item(decoding: writer.bytes[...]) == row)
            }
        }
    }
}
