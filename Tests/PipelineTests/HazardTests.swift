import Testing
import WeirEvents
import WeirModel
import WeirWire

@testable import WeirPipeline

/// The hazards listed in Twake TW-94, by their numbers.
@Suite struct HazardTests {
    typealias F = Frames

    let channels = Item.Section("channels", EntityID("W"))
    let messages = Item.Section("messages", EntityID("CH"))
    let badges = Item.Section("badges", EntityID("C"))
    let ends = WebSocketClose(code: 1000)

    func ready(_ rooms: [String] = [F.publicRoom, F.feedRoom], feed: [String] = []) -> Transcript {
        var transcript = Transcript.ready(rooms: rooms, company: "C", workspace: "W")
        transcript.settle([
            ("/W/channels?", F.list(F.listed())), ("/direct/channels", F.list()), ("/badges", F.list()),
            ("/feed", F.list(feed)), ("/messages", "[]"),
        ])
        return transcript
    }

    func reconnect(_ transcript: inout Transcript, _ rooms: [String]) {
        transcript.cut()
        transcript.pass(.seconds(20))
        transcript.authenticate()
        for room in rooms { transcript.receive(F.joined(room)) }
    }

    // MARK: 1

    @Test func `1: a socket that is refused or unanswered at authentication is closed`() {
        var refused = Transcript(Configuration(backend: .twake, revision: .v3, rooms: ["/r"]))
        refused.feed(.opened(connection: 1, token: Secret("old")))
        refused.receive(#"0{"sid":"s","upgrades":[],"pingInterval":25000,"pingTimeout":5000}"#)
        refused.receive("40")
        refused.receive(#"421["unauthorized",{"message":"jwt expired","data":{"code":"invalid_token"}}]"#)
        #expect(refused.sent.contains("431[]"))
        refused.feed(.closed(connection: 1, ends))
        refused.feed(.tokenRenewed(changed: true))
        #expect(refused.connection == 2)

        var silent = Transcript(Configuration(backend: .twake, revision: .v3, rooms: ["/r"]))
        silent.feed(.opened(connection: 1, token: Secret("t")))
        silent.receive(#"0{"sid":"s","upgrades":[],"pingInterval":25000,"pingTimeout":5000}"#)
        silent.receive("40")
        silent.pass(.seconds(16))
        #expect(silent.effects.contains { if case .close = $0 { true } else { false } })
    }

    // MARK: 2

    @Test func `2: rooms are joined only after authentication, and again after a reconnect`() {
        var transcript = Transcript(Configuration(backend: .twake, revision: .v4, rooms: [F.publicRoom, F.feedRoom]))
        transcript.feed(.opened(connection: 1, token: Secret("t")))
        transcript.receive(#"0{"sid":"s","upgrades":[],"pingInterval":25000,"pingTimeout":20000}"#)
        transcript.receive(#"40{"sid":"t"}"#)
        #expect(!transcript.sent.contains { $0.contains("realtime:join") })
        transcript.receive(#"42["authenticated"]"#)
        #expect(transcript.sent.filter { $0.contains("realtime:join") }.count == 2)
        transcript.cut()
        transcript.pass(.seconds(20))
        transcript.authenticate()
        #expect(transcript.sent.filter { $0.contains("realtime:join") }.count == 2)
    }

    @Test func `2: a join is confirmed by its exact name only, and a denial is shown once with its reason`() {
        var transcript = Transcript(Configuration(backend: .twake, revision: .v4, rooms: [F.publicRoom, F.feedRoom]))
        transcript.authenticate()
        transcript.receive(F.joined(F.feedRoom + ")"))
        #expect(transcript.roomChanges.isEmpty)
        #expect(transcript.requests.isEmpty)
        let denial =
            #"42["realtime:join:error",{"name":"\#(F.feedRoom)","message":"User is not authorized to join room"}]"#
        transcript.receive(denial)
        #expect(
            transcript.session.subscriptions[F.feedRoom]?.state == .refused(why: "User is not authorized to join room"))
        #expect(transcript.roomChanges == ["refused \(F.feedRoom)"])
        transcript.receive(denial)
        #expect(transcript.roomChanges.isEmpty)
    }

    @Test func `2: template names are exact, since a wrong name succeeds too`() {
        var transcript = Transcript(Configuration(backend: .twake, revision: .v4))
        transcript.authenticate()
        transcript.settle([
            ("/general/v1/server", #"{"status":"ready"}"#),
            ("/users/me/companies", F.list(#"{"id":"C","name":"Co"}"#)),
            ("/users/me", F.one(#"{"id":"U1","username":"u"}"#)),
            ("/companies/C/workspaces", F.list(#"{"id":"W","company_id":"C","name":"WS"}"#)),
        ])
        #expect(
            transcript.session.subscriptions.entries.map(\.name).starts(with: [
                F.publicRoom, F.privateRoom, F.directRoom, F.badgeRoom,
            ]))
    }

    @Test func `2: an unanswered room is joined again later`() {
        var transcript = Transcript(
            Configuration(backend: .twake, revision: .v3, rooms: ["/r"], resyncInterval: .seconds(60)))
        transcript.feed(.opened(connection: 1, token: nil))
        transcript.receive(#"0{"sid":"s","upgrades":[],"pingInterval":600000,"pingTimeout":600000}"#)
        transcript.receive("40")
        transcript.receive(#"42["authenticated"]"#)
        transcript.pass(.seconds(31))
        #expect(transcript.session.subscriptions["/r"]?.state == .refused(why: RoomSubscriptions.noAnswer))
        transcript.pass(.seconds(30))
        #expect(transcript.sent.contains { $0.contains("realtime:join") })
        transcript.receive(F.joined("/r"))
        #expect(transcript.roomChanges == ["joined /r"])
    }

    // MARK: 3

    @Test func `3: a disconnect by the server and a silent one both lead to a reconnect`() {
        for frame in ["41", nil] {
            var transcript = ready()
            if let frame { transcript.receive(frame) } else { transcript.pass(.seconds(50)) }
            #expect(transcript.effects.contains { if case .close = $0 { true } else { false } })
            transcript.feed(.closed(connection: 1, ends))
            transcript.pass(.seconds(20))
            #expect(transcript.connection == 2)
        }
    }

    @Test func `3: after a gap, lists, badges, feeds and kept threads are refetched, edits and deletions included`() {
        let rooms = [F.publicRoom, F.badgeRoom, F.feedRoom]
        let replies = (1...4).map { F.message("R\($0)", thread: "M1", "reply \($0)", at: 2000 + $0) }
        var transcript = ready(
            rooms,
            feed: [
                F.head("M1", "head", at: 1000, replies: 4, last: replies), F.head("M2", "two", at: 3000),
            ])
        reconnect(&transcript, rooms)
        #expect(transcript.gaps.count <= 1)
        // Meanwhile the first reply was edited, the second deleted, and three were added;
        // only the last ones are listed.
        let now =
            [
                F.message("R1", thread: "M1", "edited", at: 2001, updated: 9000),
                F.message("R2", thread: "M1", "Deleted message", at: 2002, updated: 9001, subtype: "deleted"),
            ] + replies.suffix(2) + (5...7).map { F.message("R\($0)", thread: "M1", "reply \($0)", at: 2000 + $0) }
        let head = F.head("M1", "head", at: 1000, replies: 6, last: Array(now.suffix(3)))
        transcript.settle([
            ("/W/channels?", F.list(F.listed(name: "Renamed", updated: 9000))), ("/badges", F.list()),
            ("/feed", F.list(head, F.head("M2", "two, edited", at: 3000, updated: 9002))),
            ("/threads/M1/messages?", F.list([head] + now)),
        ])
        #expect(transcript.texts(in: messages) == ["head", "two, edited"])
        #expect(
            transcript.texts(in: .thread(EntityID("M1"))) == [
                "edited", "Deleted message", "reply 3", "reply 4", "reply 5", "reply 6", "reply 7",
            ])
        #expect(transcript.session.model.elements(in: channels).first?.channel?.name == "Renamed")
        #expect(transcript.session.isSettled)
    }

    @Test func `3: heads missing from the newest page are looked for in older pages, and removed when gone`() {
        var transcript = ready()
        for index in 1...25 {
            transcript.receive(F.feed("created", F.message("M\(index)", "text \(index)", at: 1000 + index)))
        }
        #expect(transcript.session.model.elementCount(in: messages) == 25)
        reconnect(&transcript, [F.publicRoom, F.feedRoom])
        // M3 moved away meanwhile; M4 was edited.
        func head(_ index: Int) -> String {
            F.head(
                "M\(index)", index == 4 ? "edited" : "text \(index)", at: 1000 + index, updated: index == 4 ? 9000 : nil
            )
        }
        transcript.settle([
            ("page_token=M6&", F.list([1, 2, 4, 5, 6].map(head))),
            ("/feed?limit=20&replies", F.list((6...25).map(head))),
            ("/W/channels?", F.list(F.listed())),
        ])
        #expect(transcript.session.isSettled)
        #expect(!transcript.ids(in: messages).contains("M3"))
        #expect(transcript.texts(in: messages).prefix(3) == ["text 1", "text 2", "edited"])
        #expect(transcript.session.model.elementCount(in: messages) == 24)
    }

    @Test func `3: silently lost events are found by the next full resync`() {
        var transcript = ready(feed: [F.head("M1", "hi", at: 1000)])
        let rooms = transcript.session.subscriptions.entries.map(\.name)
        #expect(rooms.count == 2)
        // Pings are answered; the server itself loses the frames of an edit and of a rename.
        while transcript.requests.isEmpty, transcript.now < Moment(microseconds: 400_000_000) {
            transcript.receive("2")
            transcript.pass(.seconds(10))
        }
        transcript.settle([
            ("/W/channels?", F.list(F.listed(name: "Renamed", updated: 5000))),
            ("/feed", F.list(F.head("M1", "edited", at: 1000, updated: 5000))),
        ])
        #expect(transcript.texts(in: messages) == ["edited"])
        #expect(transcript.session.model.elements(in: channels).first?.channel?.name == "Renamed")
    }

    // MARK: 12

    @Test(arguments: [401, 403])
    func `12: one renewal of the token serves all requests that wait for it`(status: Int) {
        var transcript = Transcript.ready(rooms: [F.publicRoom, F.badgeRoom, F.feedRoom], company: "C", workspace: "W")
        var renewals = 0
        for part in ["/W/channels?", "/badges", "/feed"] {
            transcript.refuse(part, status: status)
            renewals += transcript.effects.count { if case .renewToken = $0 { true } else { false } }
        }
        #expect(renewals == 1)
        #expect(transcript.requests.isEmpty)
        transcript.feed(.tokenRenewed(changed: true))
        #expect(transcript.requests.count == 3)
    }

    @Test func `12: a refusal of a token that was replaced meanwhile does not trigger another renewal`() {
        var transcript = Transcript.ready(rooms: [F.publicRoom, F.feedRoom], company: "C", workspace: "W")
        transcript.refuse("/W/channels?", status: 401)
        transcript.feed(.tokenRenewed(changed: true))
        transcript.refuse("/feed", status: 401)
        #expect(!transcript.effects.contains { if case .renewToken = $0 { true } else { false } })
        #expect(transcript.requests.count == 2)
    }

    @Test func `12: without a new token the lists are retried later, and the user is notified once`() {
        var transcript = Transcript.ready(rooms: [F.publicRoom], company: "C", workspace: "W")
        transcript.refuse("/W/channels?", status: 401)
        transcript.feed(.tokenRenewed(changed: false))
        #expect(!transcript.notices.isEmpty)
        transcript.pass(.seconds(31))
        transcript.refuse("/W/channels?", status: 401)
        transcript.feed(.tokenRenewed(changed: false))
        #expect(transcript.notices.isEmpty)
        transcript.pass(.seconds(31))
        transcript.settle([("/W/channels?", F.list(F.listed()))])
        #expect(transcript.ids(in: channels) == ["CH"])
    }
}
