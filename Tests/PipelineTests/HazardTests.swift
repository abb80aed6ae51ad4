import Events
import SectionedModel
import Testing
import Wire

@testable import Pipeline

/// The hazards that the reference's section 9 lists, by their numbers.
@Suite struct HazardTests {
    typealias F = Frames

    private let channels = Item.Section("channels", EntityID("W"))
    private let messages = Item.Section("messages", EntityID("CH"))
    private let badges = Item.Section("badges", EntityID("C"))
    private let ends = WebSocketClose(code: 1000)

    private func ready(_ rooms: [String] = [F.publicRoom, F.feedRoom], feed: [String] = []) -> Transcript {
        var transcript = Transcript.ready(rooms: rooms, company: "C", workspace: "W")
        transcript.settle([
            ("/W/channels?", F.list(F.listed())), ("/direct/channels", F.list()), ("/badges", F.list()),
            ("/feed", F.list(feed)), ("/messages", "[]"),
        ])
        return transcript
    }

    private func reconnect(_ transcript: inout Transcript, _ rooms: [String]) {
        transcript.cut()
        transcript.pass(.seconds(20))
        transcript.authenticate()
        for room in rooms { transcript.receive(F.joined(room)) }
    }

    // MARK: 1

    @Test func `1: a socket that is connected and not authenticated is left: refused, or without an answer`() {
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

    @Test func `2: rooms are joined after authenticated only, and each anew after a reconnect`() {
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

    @Test func `2: a join is believed by its name only, and a denial is shown with its reason, once`() {
        var transcript = Transcript(Configuration(backend: .twake, revision: .v4, rooms: [F.publicRoom, F.feedRoom]))
        transcript.authenticate()
        transcript.receive(F.joined(F.feedRoom + ")"))
        #expect(transcript.roomChanges.isEmpty)
        #expect(transcript.requests.isEmpty)
        let denial =
            #"42["realtime:join:error",{"name":"\#(F.feedRoom)","message":"User is not authorized to join room"}]"#
        transcript.receive(denial)
        #expect(transcript.session.roomBook[F.feedRoom]?.state == .refused(why: "User is not authorized to join room"))
        #expect(transcript.roomChanges == ["refused \(F.feedRoom)"])
        transcript.receive(denial)
        #expect(transcript.roomChanges.isEmpty)
    }

    @Test func `2: the names of the templates are exact, since a wrong one succeeds too`() {
        var transcript = Transcript(Configuration(backend: .twake, revision: .v4))
        transcript.authenticate()
        transcript.settle([
            ("/general/v1/server", #"{"status":"ready"}"#),
            ("/users/me/companies", F.list(#"{"id":"C","name":"Co"}"#)),
            ("/users/me", F.one(#"{"id":"U1","username":"u"}"#)),
            ("/companies/C/workspaces", F.list(#"{"id":"W","company_id":"C","name":"WS"}"#)),
        ])
        #expect(
            transcript.session.roomBook.entries.map(\.name).starts(with: [
                F.publicRoom, F.privateRoom, F.directRoom, F.badgeRoom,
            ]))
    }

    @Test func `2: a room that is not answered for is asked for again later`() {
        var transcript = Transcript(
            Configuration(backend: .twake, revision: .v3, rooms: ["/r"], lookAgain: .seconds(60)))
        transcript.feed(.opened(connection: 1, token: nil))
        transcript.receive(#"0{"sid":"s","upgrades":[],"pingInterval":600000,"pingTimeout":600000}"#)
        transcript.receive("40")
        transcript.receive(#"42["authenticated"]"#)
        transcript.pass(.seconds(31))
        #expect(transcript.session.roomBook["/r"]?.state == .refused(why: RoomBook.noAnswer))
        transcript.pass(.seconds(30))
        #expect(transcript.sent.contains { $0.contains("realtime:join") })
        transcript.receive(F.joined("/r"))
        #expect(transcript.roomChanges == ["joined /r"])
    }

    // MARK: 3

    @Test func `3: a disconnect by the server and a silent one both lead to another connection`() {
        for frame in ["41", nil] {
            var transcript = ready()
            if let frame { transcript.receive(frame) } else { transcript.pass(.seconds(50)) }
            #expect(transcript.effects.contains { if case .close = $0 { true } else { false } })
            transcript.feed(.closed(connection: 1, ends))
            transcript.pass(.seconds(20))
            #expect(transcript.connection == 2)
        }
    }

    @Test func `3: after a gap lists, badges, feeds and held threads are fetched, edits and deletions included`() {
        let rooms = [F.publicRoom, F.badgeRoom, F.feedRoom]
        let replies = (1...4).map { F.message("R\($0)", thread: "M1", "reply \($0)", at: 2000 + $0) }
        var transcript = ready(
            rooms,
            feed: [
                F.head("M1", "head", at: 1000, replies: 4, last: replies), F.head("M2", "two", at: 3000),
            ])
        reconnect(&transcript, rooms)
        #expect(transcript.gaps.count <= 1)
        // Meanwhile: the first reply was edited, the second deleted, three came, and only the last ones are listed.
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

    @Test func `3: heads that are not in the newest page are looked for in the older ones, and let go when gone`() {
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

    @Test func `3: what is lost without a word is found by the next full look`() {
        var transcript = ready(feed: [F.head("M1", "hi", at: 1000)])
        let rooms = transcript.session.roomBook.entries.map(\.name)
        #expect(rooms.count == 2)
        // Pings are answered; the frames of an edit and of a rename are lost by the server itself.
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

    // MARK: 4

    @Test func `4: identical frames, twins, and a doubled registration's answers change nothing twice`() {
        var transcript = ready([F.publicRoom, F.feedRoom, F.threadRoom("M1")])
        transcript.settle([("/threads/M1/messages", F.list())])
        let text = F.message("M1", "hi", at: 1000)
        for frame in [
            F.resource("saved", "message", room: F.threadRoom("M1"), text), F.feed("created", text),
            F.feed("created", text),
        ] {
            transcript.receive(frame)
        }
        #expect(transcript.texts(in: messages) == ["hi"])
        let diffs = transcript.diffs.count
        transcript.receive(F.joined(F.feedRoom))
        transcript.receive(F.joined(F.feedRoom))
        #expect(transcript.roomChanges.isEmpty)
        #expect(transcript.requests.isEmpty)
        #expect(transcript.diffs.count == diffs)
    }

    @Test func `4: a reply that comes by its thread's room first is still counted`() {
        var transcript = ready([F.publicRoom, F.feedRoom, F.threadRoom("M1")], feed: [F.head("M1", "head", at: 1000)])
        transcript.settle([("/threads/M1/messages", F.list(F.head("M1", "head", at: 1000)))])
        let reply = F.message("M2", thread: "M1", "reply", at: 2000)
        transcript.receive(F.resource("saved", "message", room: F.threadRoom("M1"), reply))
        transcript.receive(F.feed("created", reply))
        transcript.settle([("/messages/M1", F.one(F.head("M1", "head", at: 1000, replies: 1)))])
        #expect(transcript.replies(to: "M1") == 1)
    }

    // MARK: 5

    @Test func `5: an activity that is older than the one known changes nothing`() {
        var transcript = ready()
        transcript.receive(F.activity(at: 2000, text: "new"))
        transcript.receive(F.activity(at: 1500, text: "old"))
        #expect(transcript.session.model.elements(in: channels).first?.channel?.lastMessage?.text == "new")
    }

    @Test func `5: two activities of one moment are told apart by the list`() {
        var transcript = ready()
        transcript.receive(F.activity(at: 2000, text: "second"))
        transcript.receive(F.activity(at: 2000, text: "first"))
        transcript.settle([("/W/channels?", F.list(F.listed(activity: 2000, text: "second")))])
        #expect(transcript.session.model.elements(in: channels).first?.channel?.lastMessage?.text == "second")
    }

    @Test func `5: an answer that was overtaken by an event brings nothing back`() {
        var transcript = ready(feed: [F.head("M1", "old", at: 1000)])
        reconnect(&transcript, [F.publicRoom, F.feedRoom])
        transcript.receive(F.feed("updated", F.message("M1", "new", at: 1000, updated: 3000)))
        transcript.receive(F.feed("created", F.message("M9", "fresh", at: 4000)))
        transcript.answer("/feed", F.list(F.head("M1", "old", at: 1000)))
        #expect(transcript.texts(in: messages) == ["new", "fresh"])
        transcript.settle([
            ("/feed", F.list(F.head("M1", "new", at: 1000, updated: 3000), F.head("M9", "fresh", at: 4000))),
            ("/W/channels?", F.list(F.listed())),
        ])
        #expect(transcript.texts(in: messages) == ["new", "fresh"])
        #expect(transcript.session.isSettled)
    }

    @Test func `5: a page that is slower than the answer about one of its messages does not count back`() {
        var transcript = ready(feed: [F.head("M1", "head", at: 1000)])
        reconnect(&transcript, [F.publicRoom, F.feedRoom])
        transcript.answer("/W/channels?", F.list(F.listed()))
        transcript.receive(F.feed("created", F.message("M2", thread: "M1", "reply", at: 2000)))
        let reply = F.message("M2", thread: "M1", "reply", at: 2000)
        transcript.answer("/messages/M1", F.one(F.head("M1", "head", at: 1000, replies: 1)))
        transcript.answer("/feed", F.list(F.head("M1", "head", at: 1000, replies: 0)))
        #expect(transcript.replies(to: "M1") == 1)
        transcript.settle([("/feed", F.list(F.head("M1", "head", at: 1000, replies: 1, last: [reply])))])
        #expect(transcript.replies(to: "M1") == 1)
        #expect(transcript.texts(in: .thread(EntityID("M1"))) == ["reply"])
    }

    @Test func `5: two versions of one moment are told apart by the service`() {
        var transcript = ready(feed: [F.head("M1", "hi", at: 1000)])
        transcript.receive(F.feed("updated", F.message("M1", "b", at: 1000, updated: 2000)))
        transcript.receive(F.feed("updated", F.message("M1", "a", at: 1000, updated: 2000)))
        transcript.settle([("/messages/M1", F.one(F.head("M1", "b", at: 1000, updated: 2000)))])
        #expect(transcript.texts(in: messages) == ["b"])
    }

    @Test func `5: a badge that comes after it went is taken away by the count`() {
        var transcript = ready([F.publicRoom, F.badgeRoom])
        transcript.receive(F.badge("deleted", thread: "M1"))
        transcript.receive(F.badge("saved", thread: "M1"))
        transcript.settle([("/badges", F.list())])
        #expect(transcript.session.model.elementCount(in: badges) == 0)
    }

    @Test func `5: a channel that is marked unread goes back in time, and an overtaken marker does not`() {
        var transcript = ready([F.publicRoom, F.privateRoom])
        transcript.receive(F.membership(access: 5000))
        transcript.receive(F.membership(access: 699))
        #expect(
            transcript.session.model.elements(in: channels).first?.channel?.lastAccess?.milliseconds == F.epoch.i64
                + 5000)
        transcript.settle([("/W/channels?", F.list(F.listed(access: 699)))])
        #expect(
            transcript.session.model.elements(in: channels).first?.channel?.lastAccess?.milliseconds == F.epoch.i64
                + 699)
    }

    // MARK: 6

    @Test(arguments: [404, 410]) func `6: a message that is gone when it is asked for is an answer`(status: Int) {
        var transcript = ready([F.updatesRoom], feed: [])
        transcript.receive(F.update("M1"))
        transcript.refuse("message_id=M1", status: status)
        #expect(transcript.texts(in: messages).isEmpty)
        transcript.settle([("/messages", "[]")])
        #expect(transcript.session.isSettled)
        #expect(transcript.notices.isEmpty)
    }

    @Test func `6: a message that the service stumbles over is given up, and the page says what is true`() {
        var transcript = Transcript.ready(rooms: [F.updatesRoom], company: "C", workspace: "W")
        transcript.settle([("/messages", "[\(F.proxyMessage("M1", "hi", at: 1000))]")])
        transcript.receive(F.update("M1"))
        for _ in 1...6 {
            transcript.refuse("message_id=M1", status: 500)
            transcript.pass(.seconds(31))
        }
        transcript.settle([("/messages", "[]")])
        #expect(transcript.texts(in: messages).isEmpty)
        #expect(transcript.session.isSettled)
    }

    @Test func `6: a channel that is not there any more goes when the list says so, and not before`() {
        var transcript = ready(feed: [F.head("M1", "hi", at: 1000)])
        reconnect(&transcript, [F.publicRoom, F.feedRoom])
        transcript.answer("/W/channels?", F.list(F.listed()))
        transcript.refuse("/feed", status: 404)
        #expect(transcript.ids(in: channels) == ["CH"])
        transcript.settle([("/W/channels?", F.list())])
        #expect(transcript.session.model.count == 0)
    }

    @Test func `6: an ephemeral message, which cannot be fetched, changes nothing`() {
        var transcript = ready()
        transcript.receive(
            F.feed("created", #"{"thread_id":"T","ephemeral":{"id":"e","version":"1","recipient":"U1"},"text":"x"}"#))
        transcript.receive(
            F.feed("updated", #"{"id":"GONE","thread_id":"GONE","subtype":"deleted","text":""}"#))
        #expect(transcript.requests.isEmpty)
        #expect(transcript.session.model.elementCount(in: messages) == 0)
        #expect(transcript.undecodable.isEmpty)
    }

    // MARK: 7

    @Test func `7: a burst is one request a resource, and never more than eight at once`() {
        var transcript = ready()
        for index in 1...100 {
            transcript.receive(
                F.feed("created", F.message("R\(index)", thread: "T\(index % 30)", "x", at: 1000 + index)))
        }
        #expect(transcript.requests.count == 8)
        var targets: [String] = []
        while let next = transcript.requests.first {
            targets.append(next.target)
            transcript.refuse(next.target, status: 404)
            #expect(transcript.requests.count <= 8)
            if targets.count > 100 { break }
        }
        #expect(targets.count >= 30)
    }

    // MARK: 8

    @Test(arguments: [
        #"42["realtime:resource",{"action":"saved","room":"ROOM","type":"channel","path":null,"resource":[]}]"#,
        #"42["realtime:resource",{"action":"saved","room":"ROOM","type":"nonsense","path":"/","resource":{"x":1}}]"#,
        #"42["realtime:resource",{"action":"sparkled","room":"ROOM","type":"channel","path":"/","resource":{"x":1}}]"#,
        #"42["realtime:resource",{"action":"saved","room":"ROOM","type":"channel","resource":{}}]"#,
        #"42["realtime:resource",{}]"#, #"42["realtime:resource"]"#, #"42["realtime:event",{"name":"ROOM","data":7}]"#,
        #"42["message","to everybody"]"#, #"42["realtime:event",{"name":"ROOM","data":{"type":"x"}}]"#,
        #"42["realtime:resource",{"action":"updated","room":"ROOM","type":"channel_activity","path":null,"resource":{"company_id":"C","workspace_id":"W","id":"CH","last_activity":null,"last_message":{},"new":[1]}}]"#,
    ])
    func `8: what is unknown or ill-formed is shown, and the next frame is handled`(frame: String) {
        var transcript = ready()
        transcript.receive(frame.replacing("ROOM", with: F.publicRoom))
        transcript.settle([("/W/channels?", F.list(F.listed()))])
        transcript.receive(F.resource("saved", "channel", room: F.publicRoom, F.channel(name: "Next", updated: 9000)))
        #expect(transcript.session.model.elements(in: channels).first?.channel?.name == "Next")
    }

    @Test func `8: an action that is not known makes what the room is about be fetched`() {
        var transcript = ready()
        transcript.receive(F.resource("merged", "channel", room: F.publicRoom, F.channel(name: "?")))
        transcript.settle([("/W/channels?", F.list(F.listed(name: "True", updated: 200)))])
        #expect(transcript.session.model.elements(in: channels).first?.channel?.name == "True")
    }

    // MARK: 9

    @Test func `9: frames and answers of a room that was left change nothing, and what it showed is gone`() {
        var transcript = ready(feed: [F.head("M1", "hi", at: 1000)])
        transcript.receive(F.feed("created", F.message("R", thread: "M1", "reply", at: 2000)))
        let late = transcript.requests
        transcript.feed(.unwant(rooms: [F.feedRoom]))
        transcript.receive(F.feed("created", F.message("LATE", "late", at: 3000)))
        for request in late {
            transcript.feed(
                .answered(
                    request: request.id,
                    .response(status: 200, body: ArraySlice(F.one(F.head("M1", "hi", at: 1)).utf8), retryAfter: nil)))
        }
        #expect(transcript.session.model.elementCount(in: messages) == 0)
        #expect(transcript.session.isSettled)
    }

    @Test func `9: era A's list of rooms is a snapshot: a room of a channel that the lists do not have is left`() {
        var transcript = Transcript(Configuration(backend: .twake, revision: .v4, company: "C", workspace: "W"))
        transcript.authenticate()
        transcript.settle([
            ("/internal/mobile/user", #"{"id":"U1","username":"u"}"#),
            (
                "/workspace/notifications",
                #"[{"key":"\#(F.publicRoom)","type":"channels_list","id":"public"},{"key":"\#(F.updatesRoom)","type":"channel","id":"CH"}]"#
            ), ("/internal/mobile/channels?", "[]"),
        ])
        #expect(transcript.session.roomBook.entries.map(\.name) == [F.publicRoom])
    }

    @Test func `9: replies whose head is gone go with their channel, and are looked for while it stays`() {
        var transcript = ready()
        transcript.receive(F.feed("created", F.message("R", thread: "T", "reply", at: 2000)))
        transcript.receive(F.feed("created", F.message("Q", thread: "S", "reply", at: 2000)))
        #expect(transcript.session.model.elementCount(in: .thread(EntityID("T"))) == 1)
        reconnect(&transcript, [F.publicRoom, F.feedRoom])
        transcript.answer("/W/channels?", F.list(F.listed()))
        transcript.settle([("/feed", F.list()), ("/threads/S/messages?", F.list(F.head("S", "head", at: 1)))])
        #expect(transcript.session.model.elementCount(in: .thread(EntityID("T"))) == 0)
        #expect(transcript.session.model.elementCount(in: .thread(EntityID("S"))) == 0)
        transcript.receive(F.feed("created", F.message("R2", thread: "T2", "reply", at: 2000)))
        transcript.receive(
            F.resource(
                "deleted", "channel", room: F.publicRoom,
                #"{"members":[],"last_activity":0,"company_id":"C","workspace_id":"W","id":"CH"}"#))
        #expect(transcript.session.model.count == 0)
    }

    // MARK: 10

    @Test func `10: a deletion that comes twice counts once, and one of what is not known counts nothing`() {
        var transcript = ready(feed: [
            F.head("M1", "head", at: 1000, replies: 1, last: [F.message("M2", thread: "M1", "r", at: 2000)])
        ])
        let gone = F.message("M2", thread: "M1", "Deleted message", at: 2000, updated: 3000, subtype: "deleted")
        for _ in 1...3 { transcript.receive(F.feed("updated", gone)) }
        transcript.settle([("/messages/M1", F.one(F.head("M1", "head", at: 1000, replies: 0)))])
        #expect(transcript.replies(to: "M1") == 0)

        var eraA = ready([F.updatesRoom])
        for _ in 1...3 { eraA.receive(F.update("M2", action: "remove")) }
        #expect(eraA.session.model.count == 0)
        #expect(eraA.requests.isEmpty)
    }

    // MARK: 11

    @Test func `11: the bound of a page comes again, heads and replies are mixed, and the head is not counted`() {
        var transcript = Transcript.ready(rooms: [F.updatesRoom], company: "C", workspace: "W")
        transcript.settle([
            (
                "/messages",
                "["
                    + [
                        F.proxyMessage("M1", "one", at: 1000, replies: 1),
                        F.proxyMessage("R1", thread: "M1", "reply", at: 1500), F.proxyMessage("M2", "two", at: 2000),
                    ].joined(separator: ",") + "]"
            )
        ])
        #expect(transcript.texts(in: messages) == ["one", "two"])
        #expect(transcript.texts(in: .thread(EntityID("M1"))) == ["reply"])
        #expect(transcript.replies(to: "M1") == 1)
    }

    @Test func `11: the id direct is told apart by its company`() {
        var transcript = ready([F.badgeRoom])
        for company in ["C", "D"] {
            transcript.receive(F.badge("saved", thread: "T\(company)", workspace: "direct", company: company))
        }
        transcript.settle([
            ("badges?company_id=C", F.list(F.badgeBody(thread: "TC", "direct", "C"))),
            ("badges?company_id=D", F.list(F.badgeBody(thread: "TD", "direct", "D"))),
        ])
        #expect(transcript.session.model.elementCount(in: badges) == 1)
        #expect(transcript.session.model.elementCount(in: Item.Section("badges", EntityID("D"))) == 1)
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

    @Test func `12: a refusal of the token that was replaced meanwhile asks for no other one`() {
        var transcript = Transcript.ready(rooms: [F.publicRoom, F.feedRoom], company: "C", workspace: "W")
        transcript.refuse("/W/channels?", status: 401)
        transcript.feed(.tokenRenewed(changed: true))
        transcript.refuse("/feed", status: 401)
        #expect(!transcript.effects.contains { if case .renewToken = $0 { true } else { false } })
        #expect(transcript.requests.count == 2)
    }

    @Test func `12: without another token the lists are asked for again later, and the user is told once`() {
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
