import Testing
import TestSupport
import WeirEvents
import WeirJSON
import WeirPipeline
import WeirRecording
import WeirWire

@testable import WeirLive
@testable import WeirViews

@Suite("Goals of a run") struct RunGoalTests {
    private func event(_ n: Int, _ name: String = "tick", text: String = "") -> StampedReport {
        let event = UntypedEvent(name: name, arguments: [RawJSON(unchecked: Array("\"\(text)\"".utf8)[...])])
        let array = Array("[\"\(name)\",\"\(text)\"]".utf8)[...]
        let report = EventReport(
            event: .socketIO(event), source: SocketIO.Event(array: RawJSON(unchecked: array)))
        return StampedReport(stamp: Stamp(n: n, time: Moment(microseconds: Int64(n)), wall: 0), report: .event(report))
    }

    private func filter(_ text: String) throws -> ViewFilter {
        ViewFilter(.init(filter: try Filter(parsing: text)))
    }

    /// Returns the number of the report that reaches the goal.
    private func reached(_ goal: RunGoal, _ reports: [StampedReport]) -> Int? {
        var goal = goal
        for report in reports {
            goal.note(report)
            if goal.isReached { return report.stamp.n }
        }
        return nil
    }

    @Test("Only shown events are counted")
    func counts() throws {
        let reports = (1...9).map { event($0, $0.isMultiple(of: 3) ? "tock" : "tick") }
        #expect(reached(RunGoal(count: 2, shownBy: nil, match: nil), reports) == 2)
        #expect(reached(RunGoal(count: 2, shownBy: try filter("event = tock"), match: nil), reports) == 6)
        #expect(reached(RunGoal(count: 4, shownBy: try filter("event = tock"), match: nil), reports) == nil)
        let sampled = ViewFilter(.init(sample: .init("1/4")))
        #expect(reached(RunGoal(count: 2, shownBy: sampled, match: nil), reports) == 5)
    }

    @Test("A field of the expression that no event had is reported once there was an event")
    func absent() throws {
        var goal = RunGoal(count: nil, shownBy: nil, match: try Filter(parsing: "payload.b.name = x"))
        #expect(goal.absent.isEmpty)
        let array = Array(#"["tick",{"name":"a"}]"#.utf8)[...]
        let source = SocketIO.Event(array: RawJSON(unchecked: array))
        let report = EventReport(event: .socketIO(UntypedEvent(name: "tick", arguments: [])), source: source)
        goal.note(StampedReport(stamp: Stamp(n: 1, time: .zero, wall: 0), report: .event(report)))
        #expect(goal.absent == ["--until-match: no event had payload.b.name; closest: payload.name"])
        #expect(RunGoal(count: 1, shownBy: nil, match: nil).absent.isEmpty)
    }

    @Test("After a filter changes, the new one decides what counts")
    func changes() throws {
        let shown = try filter("event = tock")
        var goal = RunGoal(count: 2, shownBy: shown, match: nil)
        for number in 1...5 { goal.note(event(number)) }
        try shown.set("")
        goal.note(event(6))
        #expect(!goal.isReached)
        goal.note(event(7))
        #expect(goal.isReached)
    }

    @Test("Events of muted rooms are not counted")
    func muted() throws {
        let muted = MutedRooms()
        let joined = Event.twake(.joined(room: "/a"))
        muted.set(["/a"])
        var goal = RunGoal(count: 1, shownBy: nil, muted: muted, match: nil)
        let report = EventReport(
            event: joined, source: SocketIO.Event(array: RawJSON(unchecked: Array("[]".utf8)[...])))
        goal.note(StampedReport(stamp: Stamp(n: 1, time: .zero, wall: 0), report: .event(report)))
        #expect(!goal.isReached)
        muted.set([])
        goal.note(StampedReport(stamp: Stamp(n: 2, time: .zero, wall: 0), report: .event(report)))
        #expect(goal.isReached)
    }

    @Test("Matches are found whether shown or not, including gaps")
    func matches() throws {
        let reports = (1...9).map { event($0, text: "number \($0)") }
        let hidden = try filter("event = nothing")
        func match(_ text: String) throws -> RunGoal {
            RunGoal(count: nil, shownBy: hidden, match: try Filter(parsing: text))
        }
        #expect(reached(try match("/number [4-6]/"), reports) == 4)
        #expect(reached(try match("text ~ /number 9/ and event = tick"), reports) == 9)
        #expect(reached(try match("/tock/"), reports) == nil)
        let gap = GapReport(cause: .reconnect, from: .zero, to: .zero)
        let stamp = Stamp(n: 10, time: .zero, wall: 0)
        #expect(reached(try match("type = gap"), reports + [StampedReport(stamp: stamp, report: .gap(gap))]) == 10)
    }

    @Test("A replay counts the events that pass its filter")
    func replayed() throws {
        let recording = try PlayedRecording(in: try temporaryFolder(), events: 9)
        let shown = try filter("payload.number > 4")
        let found = try recording.play { ($0.count, $0.filter) = (2, shown) }
        #expect(found.numbers == Array(1...6))
        #expect(found.outcome == .limitReached)
    }
}
