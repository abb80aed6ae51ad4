import Testing
import WeirEvents
import WeirModel
import WeirWire

@testable import WeirPipeline

/// The events that one user action causes (Twake TW-47), first in the documented order and then in another: rooms and
/// types take different routes, so their order is not guaranteed.
@Suite struct TraceTests {
    typealias F = Frames

    private let channels = Item.Section("channels", EntityID("W"))
    private let directs = Item.Section("directs", EntityID("C"))
    private let messages = Item.Section("messages", EntityID("CH"))
    private let badges = Item.Section("badges", EntityID("C"))

    /// A quiet tail of all the user's rooms, with one channel.
    private func ready(era: TwakeEra = .b, feed: [String] = []) -> Transcript {
        let messageRoom = era == .a ? F.updatesRoom : F.feedRoom
        var transcript = Transcript.ready(
            rooms: [F.publicRoom, F.privateRoom, F.directRoom, F.badgeRoom, messageRoom], company: "C", workspace: "W")
        switch era {
        case .a:
            transcript.settle([
                ("/internal/mobile/channels?", "[\(F.listed())]"), ("/direct", "[]"), ("/badges", "[]"),
                ("/messages", "[\(feed.joined(separator: ","))]"),
            ])
        case .b:
            transcript.settle([
                ("/W/channels?", F.list(F.listed())), ("/direct/channels", F.list()), ("/badges", F.list()),
                ("/feed", F.list(feed)), ("/threads/", F.list()),
            ])
        }
        #expect(transcript.session.isSettled)
        return transcript
    }

    @Test func `T1: a new message in era A is announced by its ids, fetched, and shown`() {
        var transcript = ready(era: .a)
        transcript.receive(F.activity(at: 1000, text: "hi"))
        transcript.receive(F.update("M1"))
        transcript.receive(F.badge("saved", thread: "M1"))
        #expect(transcript.asked == ["/internal/mobile/messages"])
        transcript.settle([
            ("message_id=M1", "[\(F.proxyMessage("M1", "hi", at: 1000))]"),
            ("/badges", #"[{"type":"channel","id":"CH","count":1}]"#),
        ])
        #expect(transcript.texts(in: messages) == ["hi"])
        #expect(transcript.session.model.elements(in: channels).first?.channel?.lastMessage?.text == "hi")
        #expect(transcript.session.model.elementCount(in: badges) == 1)
    }

    @Test(arguments: [false, true])
    func `T2: a new message in era B arrives twice and through two rooms, and is shown once`(reversed: Bool) {
        var transcript = ready()
        let text = F.message("M1", "hi", at: 1000)
        let frames = [
            F.feed("created", text), F.activity(at: 1000, text: "hi"), F.badge("saved", thread: "M1"),
            F.feed("created", text),
        ]
        for frame in reversed ? frames.reversed() : frames { transcript.receive(frame) }
        #expect(transcript.texts(in: messages) == ["hi"])
        #expect(transcript.requests.isEmpty)
        transcript.settle([("/badges", F.list(F.badgeBody(thread: "M1")))])
        #expect(transcript.session.model.elementCount(in: badges) == 1)
    }

    @Test func `T3: a reply is added to its thread, and the counter of its head is fetched once`() {
        var transcript = ready(feed: [F.head("M1", "head", at: 1000)])
        let reply = F.message("M2", thread: "M1", "reply", at: 2000)
        for _ in 1...4 { transcript.receive(F.feed("created", reply)) }
        #expect(transcript.requests.map(\.target).filter { $0.contains("/threads/M1/messages/M1") }.count == 1)
        transcript.settle([
            ("/messages/M1", F.one(F.head("M1", "head", at: 1000, replies: 1)))
        ])
        #expect(transcript.replies(to: "M1") == 1)
        #expect(transcript.texts(in: .thread(EntityID("M1"))) == ["reply"])
    }

    @Test func `T3: a reply to a thread that is not shown brings its head`() {
        var transcript = ready()
        transcript.receive(F.feed("created", F.message("M2", thread: "OLD", "reply", at: 2000)))
        transcript.settle([
            ("/messages/OLD", F.one(F.head("OLD", "head", at: 1, replies: 2))),
            (
                "/threads/OLD/messages",
                F.list(
                    F.head("OLD", "head", at: 1, replies: 2), F.message("M1", thread: "OLD", "first", at: 1000),
                    F.message("M2", thread: "OLD", "reply", at: 2000))
            ),
        ])
        #expect(transcript.texts(in: messages) == ["head"])
        #expect(transcript.texts(in: .thread(EntityID("OLD"))) == ["first", "reply"])
    }

    @Test func `T4: an edit, a reaction and a pin change the message, but not the activity`() {
        var transcript = ready(feed: [F.head("M1", "hi", at: 1000)])
        let before = transcript.session.model.elements(in: channels).first
        transcript.receive(F.feed("updated", F.message("M1", "edited", at: 1000, updated: 1100)))
        transcript.receive(
            F.feed(
                "updated",
                F.message(
                    "M1", "edited", at: 1000, updated: 1200,
                    reactions: #"[{"name":":heart:","count":1,"users":["U2"]}]"#)
            ))
        #expect(transcript.texts(in: messages) == ["edited"])
        #expect(transcript.session.model.elements(in: messages).first?.message?.reactions.count == 1)
        #expect(transcript.session.model.elements(in: channels).first == before)
        #expect(transcript.requests.isEmpty)
        #expect(transcript.replies(to: "M1") == 0)
    }

    @Test func `T5: a deletion in era B leaves a placeholder, and that of a reply changes the counter`() {
        var transcript = ready(feed: [
            F.head("M1", "head", at: 1000, replies: 1, last: [F.message("M2", thread: "M1", "reply", at: 2000)])
        ])
        let deletion = F.feed(
            "updated",
            F.message("M2", thread: "M1", "Deleted message", at: 2000, updated: 3000, subtype: "deleted"))
        transcript.receive(deletion)
        transcript.receive(deletion)
        #expect(transcript.asked.filter { $0.hasSuffix("/threads/M1/messages/M1") }.count == 1)
        transcript.settle([("/messages/M1", F.one(F.head("M1", "head", at: 1000, replies: 0)))])
        #expect(transcript.replies(to: "M1") == 0)
        #expect(transcript.texts(in: .thread(EntityID("M1"))) == ["Deleted message"])
    }

    @Test func `T5: a deletion in era A removes the message`() {
        var transcript = ready(era: .a, feed: [F.proxyMessage("M1", "hi", at: 1000)])
        #expect(transcript.texts(in: messages) == ["hi"])
        transcript.receive(F.update("M1", action: "remove"))
        transcript.receive(F.update("M1", action: "remove"))
        #expect(transcript.texts(in: messages).isEmpty)
        #expect(transcript.requests.isEmpty)
    }

    @Test func `T6: reading a channel moves the marker, and N removed badges cause one count`() {
        var transcript = ready()
        for thread in ["A", "B", "C", "D"] { transcript.receive(F.badge("saved", thread: thread)) }
        transcript.settle([("/badges", F.list(["A", "B", "C", "D"].map { F.badgeBody(thread: $0) }))])
        transcript.receive(F.membership(access: 5000))
        for thread in ["A", "B", "C", "D"] { transcript.receive(F.badge("deleted", thread: thread)) }
        #expect(transcript.session.model.elementCount(in: badges) == 0)
        #expect(
            transcript.session.model.elements(in: channels).first?.channel?.lastAccess?.milliseconds == F.epoch.i64
                + 5000)
        #expect(transcript.requests.isEmpty)
        transcript.pass(.seconds(1))
        #expect(transcript.asked == ["/internal/services/notifications/v1/badges"])
    }

    @Test func `T7: a new direct is polled until it is listed, though its first frames come earlier`() {
        var transcript = ready()
        transcript.receive(F.resource("saved", "channel", room: F.directRoom, F.direct("D1")))
        transcript.receive(F.activity("D1", at: 1000, workspace: "direct", room: F.directRoom))
        for _ in 1...3 {
            transcript.answer("/direct/channels", F.list())
            transcript.pass(.seconds(5))
        }
        #expect(transcript.requests.count == 1)
        transcript.settle([
            ("/direct/channels", F.list(F.direct("D1", activity: 1000))), ("/feed", F.list()),
        ])
        #expect(transcript.ids(in: directs) == ["D1"])
    }

    @Test func `T7: polling for an unlisted new direct stops, until its membership event arrives`() {
        var transcript = ready()
        transcript.receive(F.resource("saved", "channel", room: F.directRoom, F.direct("D1")))
        transcript.settle([("/direct/channels", F.list())])
        transcript.settle([("/direct/channels", F.list())])
        #expect(transcript.session.isSettled)
        transcript.idle(60)
        #expect(transcript.requests.isEmpty)
        transcript.receive(F.membership("D1", workspace: "direct", room: F.directRoom))
        transcript.settle([("/direct/channels", F.list(F.direct("D1"))), ("/feed", F.list())])
        #expect(transcript.ids(in: directs) == ["D1"])
    }

    @Test func `T8: reopening an existing direct changes no known data`() {
        var transcript = ready()
        transcript.receive(F.resource("saved", "channel", room: F.directRoom, F.direct("D1")))
        transcript.settle([("/direct/channels", F.list(F.direct("D1", activity: 10))), ("/feed", F.list())])
        let before = transcript.diffs.count
        transcript.receive(F.resource("saved", "channels", room: F.directRoom, F.direct("D1")))
        #expect(transcript.diffs.count == before)
        #expect(transcript.requests.isEmpty)
    }

    @Test(arguments: [[0, 1, 2], [2, 1, 0], [1, 2, 0]])
    func `T9: a new channel of the user appears, whichever of its frames is first`(order: [Int]) {
        var transcript = ready()
        let frames = [
            F.membership("NEW", access: 900),
            F.resource("saved", "channel", room: F.publicRoom, F.channel("NEW", activity: -F.epoch)),
            F.activity("NEW", at: 900),
        ]
        for index in order { transcript.receive(frames[index]) }
        transcript.settle([
            ("/W/channels?", F.list(F.listed(), F.listed("NEW", activity: 900, access: 900))), ("/feed", F.list()),
        ])
        #expect(Set(transcript.ids(in: channels)) == ["CH", "NEW"])
    }

    @Test func `T9: a channel of other users is not shown, and is looked up only once`() {
        var transcript = ready()
        transcript.receive(F.resource("saved", "channel", room: F.publicRoom, F.channel("OTHER")))
        #expect(transcript.requests.count == 1)
        transcript.settle([("/W/channels?", F.list(F.listed()))])
        for time in 1...20 { transcript.receive(F.activity("OTHER", at: 1000 + time, text: "x")) }
        #expect(transcript.ids(in: channels) == ["CH"])
        #expect(transcript.requests.isEmpty)
    }

    @Test func `T10: a rename is applied, and an older one that arrives later is not`() {
        var transcript = ready()
        transcript.receive(F.resource("saved", "channel", room: F.publicRoom, F.channel(name: "New", updated: 300)))
        transcript.receive(F.resource("saved", "channel", room: F.publicRoom, F.channel(name: "Old", updated: 200)))
        #expect(transcript.session.model.elements(in: channels).first?.channel?.name == "New")
        #expect(transcript.requests.isEmpty)
    }

    @Test func `T10: a rename without a time is applied, and the channel is fetched to confirm`() {
        var transcript = ready()
        transcript.receive(F.resource("saved", "channel", room: F.publicRoom, F.channel(name: "New", updated: nil)))
        #expect(transcript.session.model.elements(in: channels).first?.channel?.name == "New")
        transcript.settle([("/W/channels/CH", F.one(F.channel(name: "Newest", updated: nil)))])
        #expect(transcript.session.model.elements(in: channels).first?.channel?.name == "Newest")
    }

    @Test func `T11, T12: a member is added and removed, and the members are fetched`() {
        var transcript = Transcript.ready(rooms: [F.publicRoom, F.membersRoom], company: "C", workspace: "W")
        transcript.settle([("/W/channels?", F.list(F.listed())), ("/members", F.list(member("U1")))])
        let members = Item.Section("members", EntityID("CH"))
        #expect(transcript.ids(in: members) == ["U1"])
        transcript.receive(F.resource("saved", "channel_member", room: F.membersRoom, member("U2")))
        #expect(transcript.ids(in: members).contains("U2"))
        transcript.settle([("/members", F.list(member("U1"), member("U2"), member("U3")))])
        #expect(transcript.ids(in: members) == ["U1", "U2", "U3"])
        transcript.receive(F.resource("deleted", "channel_member", room: F.membersRoom, member("U2")))
        #expect(transcript.ids(in: members) == ["U1", "U3"])
        transcript.settle([("/members", F.list(member("U1"), member("U3")))])
        #expect(transcript.ids(in: members) == ["U1", "U3"])
    }

    private func member(_ user: String) -> String {
        #"{"company_id":"C","workspace_id":"W","user_id":"\#(user)","channel_id":"CH","id":"\#(user)","type":"member","last_access":1,"updated_at":\#(F.epoch)}"#
    }

    @Test func `T12: a removed member loses the channel, its messages and its room`() {
        var transcript = ready(feed: [F.head("M1", "hi", at: 1000)])
        transcript.receive(F.membership(access: nil))
        #expect(transcript.ids(in: channels).isEmpty)
        #expect(transcript.texts(in: messages).isEmpty)
        transcript.settle([("/W/channels?", F.list())])
        #expect(transcript.ids(in: channels).isEmpty)
    }

    @Test func `T12: the list undoes a removal that was followed by a new addition`() {
        var transcript = ready()
        transcript.receive(F.membership(access: 10))
        transcript.receive(F.membership(access: nil))
        transcript.settle([("/W/channels?", F.list(F.listed())), ("/feed", F.list())])
        #expect(transcript.ids(in: channels) == ["CH"])
    }

    @Test func `T13: a deleted channel is removed with its messages, members and pending requests`() {
        var transcript = ready(feed: [F.head("M1", "hi", at: 1000)])
        transcript.receive(F.feed("created", F.message("M2", thread: "M1", "reply", at: 2000)))
        #expect(transcript.requests.count == 1)
        transcript.receive(
            F.resource(
                "deleted", "channel", room: F.publicRoom,
                #"{"is_default":false,"archived":false,"members":[],"connectors":[],"last_activity":0,"company_id":"C","workspace_id":"W","id":"CH"}"#
            ))
        #expect(transcript.session.model.count == 0)
        #expect(transcript.requests.isEmpty)
    }

    @Test func `T14: a moved message is in its new thread only, and both counters are fetched`() {
        var transcript = ready(feed: [
            F.head("M1", "one", at: 1000, replies: 1, last: [F.message("M3", thread: "M1", "moves", at: 1500)]),
            F.head("M2", "two", at: 2000),
        ])
        transcript.receive(F.feed("created", F.message("M3", thread: "M2", "moves", at: 1500, updated: 3000)))
        #expect(transcript.texts(in: .thread(EntityID("M1"))).isEmpty)
        #expect(transcript.texts(in: .thread(EntityID("M2"))) == ["moves"])
        #expect(
            Set(transcript.asked) == [
                "/internal/services/messages/v1/companies/C/threads/M1/messages/M1",
                "/internal/services/messages/v1/companies/C/threads/M2/messages/M2",
            ])
        transcript.settle([
            ("/messages/M1", F.one(F.head("M1", "one", at: 1000, replies: 0))),
            ("/messages/M2", F.one(F.head("M2", "two", at: 2000, replies: 1))),
        ])
        #expect(transcript.replies(to: "M1") == 0)
        #expect(transcript.replies(to: "M2") == 1)
    }
}

extension Int {
    var i64: Int64 { Int64(self) }
}
