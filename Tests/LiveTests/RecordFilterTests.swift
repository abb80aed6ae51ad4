import Testing
import TestSupport
import WeirEvents
import WeirJSON
import WeirModel
import WeirRecording
import WeirWire

@testable import WeirLive
@testable import WeirViews
@testable import WeirPipeline

@Suite("Recordings of some events") struct RecordFilterTests {
    private static let text = Record.frame(.init(connection: 1, direction: .in, message: .text(#"42["tick",1]"#)))
    private static let binary = Record.frame(.init(connection: 1, direction: .in, message: .binary([1, 2])))

    private func stamped(_ report: Report) -> StampedReport {
        StampedReport(stamp: Stamp(n: 7, time: .zero, wall: 0), report: report)
    }

    private func event(_ name: String) -> StampedReport {
        let event = UntypedEvent(name: name, arguments: [])
        let array = RawJSON(unchecked: Array("[\"\(name)\"]".utf8)[...])
        return stamped(.event(EventReport(event: .socketIO(event), source: SocketIO.Event(array: array))))
    }

    /// Returns the record kept for a message that led to these reports, or `nil` if it is kept whole.
    private func remainder(of record: Record, _ reports: [StampedReport], _ text: String = "event = tick") throws
        -> Record?
    {
        var filter = RecordFilter(try Filter(parsing: text))
        filter.note(event("tick"))
        filter.begin()
        for report in reports { filter.note(report) }
        return filter.remainder(of: record)
    }

    @Test("The record of an unwanted event stays without its text, marked as dropped")
    func leavesOut() throws {
        let left = try #require(try remainder(of: Self.text, [event("tock")]))
        #expect(
            left == .frame(.init(connection: 1, direction: .in, message: .text(""), isDropped: true)))
        #expect(try remainder(of: Self.text, [event("tick")]) == nil)
        #expect(try remainder(of: Self.text, [event("tock"), event("tick")]) == nil)
    }

    @Test("Other records, undecodable messages and parts of larger messages are recorded whole")
    func keeps() throws {
        #expect(try remainder(of: Self.text, []) == nil)
        #expect(try remainder(of: Self.text, [stamped(.connection(.ready(.socketIO(.v4))))]) == nil)
        #expect(try remainder(of: Self.binary, [event("tock")]) == nil)
        let unreadable = UndecodableReport(layer: .event, subject: "tock", message: "no", excerpt: [])
        #expect(try remainder(of: Self.text, [event("tock"), stamped(.undecodable(unreadable))]) == nil)
        let sent = Record.http(.init(id: 1, phase: .failure(kind: "timeout", message: "late")))
        #expect(try remainder(of: sent, [event("tock")]) == nil)
    }

    @Test("An event is kept if its changes match")
    func keepsCauses() throws {
        var batch = Batch<Item>()
        batch.deletions = [.init(path: SectionPath(section: 0, item: 0), element: Sample.message(1, "gone"))]
        let change = stamped(.diff(DiffReport(sequence: 1, cause: 7, batch: batch)))
        #expect(try remainder(of: Self.text, [event("tock"), change], "diff.op = delete") == nil)
        #expect(try remainder(of: Self.text, [event("tock"), change], "diff.op = insert") != nil)
    }
}
