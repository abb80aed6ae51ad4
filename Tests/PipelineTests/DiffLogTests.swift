import Events
import JSONText
import SectionedModel
import Testing
import Wire

@testable import Pipeline

@Suite struct DiffLogTests {
    private func lines(_ diffs: [DiffReport]) -> [ArraySlice<UInt8>] {
        var writer = JSONWriter()
        for diff in diffs { DiffLog.write(diff, at: Moment(microseconds: 7), into: &writer) }
        return writer.bytes.split(separator: UInt8(ascii: "\n"))
    }

    /// A session whose channels come, move, change and go at random, under a seed.
    private func history(seed: UInt64) -> Transcript {
        let room = "/companies/C/workspaces/W/channels?type=public"
        var random = RandomSource(seed: seed)
        var transcript = Transcript.ready(rooms: [room], company: "C", workspace: "W")
        transcript.answer("/channels", status: 404, "gone")
        for step in 1...200 {
            let workspace = ["W", "direct"].randomElement(using: &random) ?? "W"
            let id = Int.random(in: 0..<12, using: &random)
            let action = Int.random(in: 0..<4, using: &random) == 0 ? "deleted" : "saved"
            let activity = 1_620_987_700_000 + Int.random(in: 0..<20, using: &random) * 1000
            transcript.receive(
                #"42["realtime:resource",{"action":"\#(action)","room":"\#(room)","type":"channel","path":null,"resource":{"company_id":"C","workspace_id":"\#(workspace)","id":"c\#(id)","name":"n\#(step)","members":[],"last_activity":\#(activity)}}]"#
            )
        }
        return transcript
    }

    @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
    func `applying the log to an empty model gives the final model`(seed: UInt64) throws {
        let transcript = history(seed: seed)
        var model = SectionedCollection<Item>()
        var sequence = 0
        for line in lines(transcript.diffs) { sequence = try DiffLog.apply(line, after: sequence, to: &model) }
        #expect(sequence == transcript.diffs.count)
        #expect(sequence > 100)
        #expect(model.sectionKeys == transcript.session.model.sectionKeys)
        for key in model.sectionKeys { #expect(model.elements(in: key) == transcript.session.model.elements(in: key)) }
    }

    @Test func `the same history is the same log, byte for byte`() {
        #expect(lines(history(seed: 9).diffs) == lines(history(seed: 9).diffs))
    }

    @Test func `a missing line and a damaged line are refused, and the model stays as it was`() throws {
        let all = lines(history(seed: 1).diffs)
        var model = SectionedCollection<Item>()
        _ = try DiffLog.apply(all[0], after: 0, to: &model)
        let before = model.count
        #expect(throws: DiffLogError.self) { try DiffLog.apply(all[2], after: 1, to: &model) }
        #expect(throws: DiffLogError.outOfOrder(expected: 2, found: 1)) {
            try DiffLog.apply(all[0], after: 1, to: &model)
        }
        #expect(throws: DiffLogError.self) { try DiffLog.apply(all[1].dropLast(5), after: 1, to: &model) }
        #expect(model.count == before)
    }
}
