import Testing
import WeirEvents
import WeirJSON
import WeirPipeline
import WeirRecording
import WeirWire

@testable import WeirLive
@testable import WeirViews

/// Tests how a view hides rooms.
@Suite struct RoomMutesTests {
    private func expression(_ text: String) throws -> RoomExpression { try RoomExpression(parsing: text) }
    private func second(_ second: Int64) -> Moment { Moment(microseconds: second * 1_000_000) }

    @Test func `the last rule that matches a room decides, and unmuting an unmuted room adds no rule`()
        throws
    {
        var mutes = RoomMutes()
        #expect(mutes.isEmpty && !mutes.isMuted(RoomFacts(name: "/a")))
        mutes.add(try expression("/a + /b"), until: nil, isMuted: true)
        #expect(mutes.isMuted(RoomFacts(name: "/a")) && mutes.isMuted(RoomFacts(name: "/b")))
        mutes.add(try expression("/a"), until: nil, isMuted: false)
        #expect(!mutes.isMuted(RoomFacts(name: "/a")) && mutes.isMuted(RoomFacts(name: "/b")))
        mutes.add(try expression("**"), until: nil, isMuted: true)
        #expect(mutes.isMuted(RoomFacts(name: "/a")))
        mutes.add(try expression("/b"), until: nil, isMuted: false)
        mutes.add(try expression("**"), until: nil, isMuted: false)
        #expect(!mutes.isMuted(RoomFacts(name: "/a")) && !mutes.isMuted(RoomFacts(name: "/c")))
        var none = RoomMutes()
        none.add(try expression("/a"), until: nil, isMuted: false)
        #expect(none.isEmpty)
    }

    @Test func `rooms excluded from a pattern are shown`() throws {
        var mutes = RoomMutes()
        mutes.add(try expression("#build-* - #build-main"), until: nil, isMuted: true)
        #expect(mutes.isMuted(RoomFacts(name: "/1", title: "build-nightly")))
        #expect(!mutes.isMuted(RoomFacts(name: "/2", title: "build-main")))
    }

    @Test func `a rule ends at its time, and the next end is known`() throws {
        var mutes = RoomMutes()
        mutes.add(try expression("/a"), until: second(10), isMuted: true)
        mutes.add(try expression("/b"), until: second(5), isMuted: true)
        #expect(mutes.deadline == second(5))
        mutes.expire(at: second(5))
        #expect(mutes.isMuted(RoomFacts(name: "/a")) && !mutes.isMuted(RoomFacts(name: "/b")))
        #expect(mutes.deadline == second(10))
        mutes.expire(at: second(11))
        #expect(mutes.isEmpty && mutes.deadline == nil)
    }

    @Test func `the number of rules is limited, and the oldest is removed first`() throws {
        var mutes = RoomMutes()
        for number in 0...RoomMutes.mostRules { mutes.add(try expression("/r\(number)"), until: nil, isMuted: true) }
        #expect(!mutes.isMuted(RoomFacts(name: "/r0")) && mutes.isMuted(RoomFacts(name: "/r1")))
        #expect(mutes.isMuted(RoomFacts(name: "/r\(RoomMutes.mostRules)")))
    }
}

/// Tests the traffic counts of rooms.
@Suite struct RoomTrafficTests {
    /// Returns an event in a room.
    private func event(_ room: String, at second: Double) -> StampedReport {
        let message = Twake.Message(
            id: EntityID("m"), thread: EntityID("m"), channel: EntityID("c"), senderName: "Ann", text: "hi")
        let resource = Twake.SocketIOResource(
            action: .created, room: room, type: .message, path: nil, resource: .message(message))
        let source = SocketIO.Event(namespace: "/", array: RawJSON(unchecked: Array("[]".utf8)[...]))
        let stamp = Stamp(n: 1, time: Moment(microseconds: Int64(second * 1e6)), wall: Int64(second * 1e6))
        return StampedReport(
            stamp: stamp, report: .event(EventReport(event: .twake(.resource(resource)), source: source)))
    }

    @Test func `events are counted per room, with the last time and the rate over a minute`() {
        var traffic = RoomTraffic()
        for second in 0..<60 { traffic.note(event("/a", at: Double(second))) }
        traffic.note(event("/b", at: 59))
        #expect(traffic["/a"].events == 60 && traffic["/a"].last == 59_000_000)
        #expect(traffic["/b"].events == 1 && traffic["/c"].events == 0)
        let minute = Moment(microseconds: 60_000_000)
        #expect(abs(traffic["/a"].rate(at: minute) - 1) < 0.01)
        #expect(abs(traffic["/a"].rate(at: Moment(microseconds: 90_000_000)) - 0.5) < 0.01)
        #expect(traffic["/a"].rate(at: Moment(microseconds: 180_000_000)) == 0)
    }

    @Test func `a room lost with its connection has a gap until it is joined again`() {
        var traffic = RoomTraffic()
        traffic.note(RoomReport(change: .lost, room: "/a", source: "cli"))
        #expect(traffic["/a"].gaps == 1 && traffic["/a"].isLost)
        traffic.note(RoomReport(change: .joined, room: "/a", source: "cli"))
        #expect(traffic["/a"].gaps == 1 && !traffic["/a"].isLost)
    }

    @Test func `rooms above the limit are not counted`() {
        var traffic = RoomTraffic()
        for number in 0...RoomTraffic.mostRooms { traffic.note(event("/r\(number)", at: 0)) }
        #expect(traffic["/r0"].events == 1 && traffic["/r\(RoomTraffic.mostRooms)"].events == 0)
        traffic.note(event("/r0", at: 1))
        #expect(traffic["/r0"].events == 2)
    }
}
