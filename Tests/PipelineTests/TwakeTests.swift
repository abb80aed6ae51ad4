import Testing
import WeirEvents
import WeirModel
import WeirWire

@testable import WeirPipeline

@Suite struct TwakeTests {
    private let publicRoom = "/companies/C/workspaces/W/channels?type=public"
    private let privateRoom = "/companies/C/workspaces/W/channels?type=private&user=U1"
    private let feedRoom = "/companies/C/workspaces/W/channels/CH/feed"
    private let threadRoom = "/companies/C/threads/M1"
    private let badgeRoom = "/notifications?type=private&user=U1"
    private let updatesRoom = "previous::channels/CH/messages/updates"
    private let channels = Item.Section("channels", EntityID("W"))
    private let messages = Item.Section("messages", EntityID("CH"))
    private let thread = Item.Section("thread", EntityID("M1"))

    private func channel(_ id: String = "CH", name: String = "General", lastActivity: Int = 1_620_987_700_000) -> String
    {
        #"{"company_id":"C","workspace_id":"W","id":"\#(id)","name":"\#(name)","visibility":"public","members":[],"last_activity":\#(lastActivity),"last_message":{},"user_member":{"last_access":1620987000000}}"#
    }

    private func message(
        _ id: String, thread: String, text: String, at: Int, updated: Int? = nil, subtype: String = "null"
    ) -> String {
        #"{"thread_id":"\#(thread)","id":"\#(id)","type":"message","subtype":\#(subtype),"created_at":\#(at),"updated_at":\#(updated ?? at),"user_id":"U1","text":"\#(text)","blocks":[],"reactions":null}"#
    }

    private func resource(_ action: String, _ type: String, room: String, _ body: String) -> String {
        #"42["realtime:resource",{"action":"\#(action)","room":"\#(room)","type":"\#(type)","path":"/","resource":\#(body)}]"#
    }

    private func ready(_ rooms: String...) -> Transcript { .ready(rooms: rooms, company: "C", workspace: "W") }

    private func listed(_ rooms: String...) -> Transcript {
        var transcript = Transcript.ready(rooms: rooms, company: "C", workspace: "W")
        transcript.answer("/channels?mine=1", #"{"resources":[\#(channel())]}"#)
        if rooms.contains(feedRoom) { transcript.answer("/feed", #"{"resources":[]}"#) }
        return transcript
    }

    @Test func `joining a list room fetches the list`() {
        var transcript = ready(publicRoom)
        #expect(
            transcript.requests.map(\.target) == [
                "/internal/services/channels/v1/companies/C/workspaces/W/channels?mine=1&limit=1000"
            ])
        transcript.answer("/channels", #"{"resources":[\#(channel())]}"#)
        #expect(transcript.session.model.elements(in: channels).map(\.id) == [.channel(EntityID("CH"))])
    }

    @Test func `a channel's activity moves it to the front without a request`() {
        var transcript = ready(publicRoom)
        transcript.answer(
            "/channels", #"{"resources":[\#(channel()),\#(channel("C2", lastActivity: 1_620_987_800_000))]}"#)
        transcript.receive(
            resource(
                "updated", "channel_activity", room: publicRoom,
                #"{"company_id":"C","workspace_id":"W","id":"CH","last_activity":1620987900000,"last_message":{"date":1620987900000,"sender":"U2","sender_name":"A B","title":"t","text":"hi"}}"#
            ))
        #expect(transcript.session.model.elements(in: channels).map(\.id.id) == [EntityID("CH"), EntityID("C2")])
        #expect(transcript.requests.isEmpty)
        #expect(transcript.diffs.last?.batch.moves.count == 1)
    }

    @Test func `an older activity changes nothing`() {
        var transcript = listed(publicRoom)
        let before = transcript.diffs.count
        transcript.receive(
            resource(
                "updated", "channel_activity", room: publicRoom,
                #"{"company_id":"C","workspace_id":"W","id":"CH","last_activity":1620987000000,"last_message":null}"#))
        #expect(transcript.diffs.count == before)
    }

    @Test func `an unknown channel causes one fetch of the list, however many events mention it`() {
        var transcript = listed(publicRoom)
        for _ in 1...5 { transcript.receive(resource("saved", "channel", room: publicRoom, channel("NEW"))) }
        #expect(transcript.requests.count == 1)
    }

    @Test func `a sparse deletion removes the channel and its messages`() {
        var transcript = listed(publicRoom, feedRoom)
        transcript.receive(
            resource(
                "created", "message", room: feedRoom, message("M1", thread: "M1", text: "hi", at: 1_620_987_774_123)))
        #expect(transcript.texts(in: messages) == ["hi"])
        transcript.receive(
            resource(
                "deleted", "channel", room: publicRoom,
                #"{"is_default":false,"members":[],"last_activity":0,"company_id":"C","workspace_id":"W","id":"CH"}"#))
        #expect(transcript.session.model.count == 0)
    }

    @Test func `a message of the feed is applied from its payload, and its twin in the thread's room changes nothing`()
    {
        var transcript = listed(publicRoom, feedRoom, threadRoom)
        transcript.answer("/threads", #"{"resources":[]}"#)
        let text = message("M1", thread: "M1", text: "hi", at: 1_620_987_774_123)
        transcript.receive(resource("saved", "message", room: threadRoom, text))
        transcript.receive(resource("created", "message", room: feedRoom, text))
        transcript.receive(resource("created", "message", room: feedRoom, text))
        #expect(transcript.texts(in: messages) == ["hi"])
        #expect(transcript.requests.isEmpty)
    }

    @Test func `an older version of a message never replaces a newer one`() {
        var transcript = listed(publicRoom, feedRoom)
        transcript.receive(
            resource(
                "updated", "message", room: feedRoom,
                message("M1", thread: "M1", text: "new", at: 1_620_987_774_123, updated: 1_620_987_774_200)))
        transcript.receive(
            resource(
                "created", "message", room: feedRoom,
                message("M1", thread: "M1", text: "old", at: 1_620_987_774_123, updated: 1_620_987_774_123)))
        #expect(transcript.texts(in: messages) == ["new"])
    }

    @Test func `a reply is added to its thread, and its head is refetched for the count`() {
        var transcript = listed(publicRoom, feedRoom)
        transcript.receive(
            resource(
                "created", "message", room: feedRoom, message("M1", thread: "M1", text: "head", at: 1_620_987_774_123)))
        transcript.receive(
            resource(
                "created", "message", room: feedRoom, message("M2", thread: "M1", text: "reply", at: 1_620_987_775_123))
        )
        #expect(transcript.texts(in: thread) == ["reply"])
        let head =
            message("M1", thread: "M1", text: "head", at: 1_620_987_774_123).dropLast()
            + #","stats":{"replies":2,"last_activity":1}}"#
        transcript.answer("/threads/M1/messages/M1", #"{"resource":\#(head)}"#)
        #expect(transcript.session.model.elements(in: messages).first?.message?.replies == 1)
    }

    @Test func `a deletion in era B is an update with a subtype`() {
        var transcript = listed(publicRoom, feedRoom)
        transcript.receive(
            resource(
                "created", "message", room: feedRoom, message("M1", thread: "M1", text: "hi", at: 1_620_987_774_123)))
        transcript.receive(
            resource(
                "updated", "message", room: feedRoom,
                message(
                    "M1", thread: "M1", text: "Deleted message", at: 1_620_987_774_123, updated: 1_620_987_775_000,
                    subtype: #""deleted""#)))
        #expect(transcript.session.model.elements(in: messages).map(\.message?.subtype) == ["deleted"])
    }

    @Test func `an era A message is announced by its ids and fetched`() {
        var transcript = ready(updatesRoom)
        transcript.answer("/messages", "[]")
        transcript.receive(
            #"42["realtime:event",{"name":"\#(updatesRoom)","data":{"client_id":"system","action":"update","message_id":"M1","thread_id":""}}]"#
        )
        #expect(
            transcript.requests.map(\.target) == [
                "/internal/mobile/messages?company_id=C&workspace_id=W&channel_id=CH&message_id=M1"
            ])
        let body =
            #"[{"id":"M1","thread_id":null,"responses_count":0,"user_id":"U1","creation_date":1620987774000,"modification_date":1620987774000,"content":{"original_str":"Message 2","prepared":["Message 2"]},"reactions":[],"channel_id":"CH","username":"a.user","firstname":"First","lastname":"Last"}]"#
        transcript.answer("message_id=M1", body)
        #expect(transcript.texts(in: messages) == ["Message 2"])
        transcript.receive(
            #"42["realtime:event",{"name":"\#(updatesRoom)","data":{"client_id":"system","action":"remove","message_id":"M1","thread_id":""}}]"#
        )
        #expect(transcript.texts(in: messages) == [])
    }

    @Test func `a message with a second event in flight is fetched again after the first answer`() {
        var transcript = ready(updatesRoom)
        transcript.answer("/messages", "[]")
        let event =
            #"42["realtime:event",{"name":"\#(updatesRoom)","data":{"client_id":"system","action":"update","message_id":"M1","thread_id":""}}]"#
        transcript.receive(event)
        transcript.receive(event)
        #expect(transcript.requests.count == 1)
        transcript.answer("message_id=M1", "[]")
        #expect(transcript.requests.count == 1)
    }

    @Test func `badges are added and removed singly, and ten frames of one thread are one badge`() {
        var transcript = ready(badgeRoom)
        transcript.answer("/badges", #"{"resources":[]}"#)
        let badge =
            #"{"company_id":"C","user_id":"U1","workspace_id":"W","channel_id":"CH","thread_id":"M1","message_id":"M1","id":"7f0f3f0e-3c1e-4f4b-9a55-51b0d5a7d001"}"#
        for _ in 1...10 { transcript.receive(resource("saved", "user_notification_badges", room: badgeRoom, badge)) }
        #expect(transcript.session.model.count == 1)
        transcript.receive(resource("deleted", "user_notification_badges", room: badgeRoom, badge))
        #expect(transcript.session.model.count == 0)
    }

    @Test func `the user's own membership contains the read time, and its end removes the channel`() {
        var transcript = listed(publicRoom, privateRoom)
        let member =
            #"{"company_id":"C","workspace_id":"W","id":"CH","user_member":{"user_id":"U1","channel_id":"CH","id":"U1","type":"member","last_access":1620987780123}}"#
        transcript.receive(resource("saved", "channel_member", room: privateRoom, member))
        #expect(
            transcript.session.model.elements(in: channels).first?.channel?.lastAccess?.milliseconds
                == 1_620_987_780_123)
        transcript.receive(
            resource(
                "deleted", "channel_member", room: privateRoom,
                #"{"company_id":"C","workspace_id":"W","id":"CH","user_member":null}"#))
        #expect(transcript.session.model.elements(in: channels).isEmpty)
    }

    @Test func `events of an unwanted room change nothing`() {
        var transcript = listed(publicRoom, feedRoom)
        transcript.feed(.unwant(rooms: [feedRoom]))
        #expect(transcript.sent == [#"42["realtime:leave",{"name":"\#(feedRoom)"}]"#])
        transcript.receive(
            resource(
                "created", "message", room: feedRoom, message("M1", thread: "M1", text: "late", at: 1_620_987_774_123)))
        #expect(transcript.texts(in: messages) == [])
        #expect(transcript.effects.contains { if case .report(.event) = $0 { true } else { false } })
    }

    @Test func `a room left amid alternating events of two rooms changes nothing after that`() {
        var transcript = listed(publicRoom, feedRoom)
        func takeTurns(_ number: Int) {
            let at = 1_620_987_774_000 + number
            transcript.receive(
                resource("saved", "channel", room: publicRoom, channel(name: "Name \(number)", lastActivity: at)))
            transcript.receive(
                resource(
                    "created", "message", room: feedRoom,
                    message("M\(number)", thread: "M\(number)", text: "text \(number)", at: at)))
        }
        for number in 1...2 { takeTurns(number) }
        #expect(transcript.texts(in: messages) == ["text 1", "text 2"])
        transcript.feed(.unwant(rooms: [feedRoom]))
        for number in 3...4 { takeTurns(number) }
        #expect(transcript.session.model.elements(in: channels).first?.channel?.name == "Name 4")
        #expect(transcript.texts(in: messages) == [])
        transcript.feed(.want(rooms: [feedRoom], source: .ctl))
        takeTurns(5)
        #expect(transcript.texts(in: messages) == ["text 5"])
    }

    @Test func `without a REST service there is one notice, and the data in events is applied`() {
        var transcript = ready(publicRoom)
        transcript.answer("/channels", status: 404, "404: Not Found")
        #expect(transcript.notices.count == 1)
        for id in ["A", "B", "C"] {
            transcript.receive(resource("saved", "channel", room: publicRoom, channel(id)))
            #expect(transcript.notices.isEmpty)
            #expect(transcript.requests.isEmpty)
        }
        #expect(transcript.session.model.elements(in: channels).count == 3)
    }

    @Test
    func `rooms are discovered stepwise: era, user, company, workspace, templates, channels`() {
        var transcript = Transcript(Configuration(backend: .twake, revision: .v4))
        transcript.authenticate()
        transcript.answer("/general/v1/server", #"{"status":"ready"}"#)
        transcript.answer("/users/me", #"{"resource":{"id":"U1","username":"u","first_name":"F","last_name":"L"}}"#)
        transcript.answer("/users/me/companies", #"{"resources":[{"id":"C","name":"Co"}]}"#)
        transcript.answer("/workspaces", #"{"resources":[{"id":"W","company_id":"C","name":"WS"}]}"#)
        let joined = transcript.session.subscriptions.entries.map(\.name)
        #expect(joined.contains(publicRoom) && joined.contains(privateRoom) && joined.contains(badgeRoom))
        transcript.receive(#"42["realtime:join:success",{"name":"\#(publicRoom)"}]"#)
        transcript.answer("/channels?mine=1", #"{"resources":[\#(channel())]}"#)
        #expect(transcript.session.subscriptions.isWanted(feedRoom))
    }

    @Test
    func
        `an era A backend is recognised, and its rooms are joined, message rooms once channels are listed`()
    {
        var transcript = Transcript(Configuration(backend: .twake, revision: .v4, company: "C", workspace: "W"))
        transcript.authenticate()
        transcript.answer("/general/v1/server", status: 404, #"{"statusCode":404}"#)
        transcript.answer(
            "/internal/mobile/user", #"{"id":"U1","username":"a.user","firstname":"F","lastname":"L","email":"e"}"#)
        transcript.answer(
            "/workspace/notifications",
            #"[{"key":"\#(publicRoom)","type":"channels_list","id":"public"},{"key":"\#(updatesRoom)","type":"channel","id":"CH"}]"#
        )
        #expect(transcript.session.subscriptions.entries.map(\.name) == [publicRoom])
        transcript.receive(#"42["realtime:join:success",{"name":"\#(publicRoom)"}]"#)
        transcript.answer("/internal/mobile/channels", "[\(channel())]")
        #expect(transcript.session.subscriptions.entries.map(\.name) == [publicRoom, updatesRoom])
    }

    @Test func `after a reconnect everything subscribed is refetched`() throws {
        var transcript = listed(publicRoom, feedRoom)
        #expect(transcript.requests.isEmpty)
        transcript.cut()
        transcript.pass(try #require(transcript.retryIn))
        transcript.authenticate()
        #expect(transcript.gaps.first?.refetching == ["channels", "messages of CH"])
        transcript.receive(#"42["realtime:join:success",{"name":"\#(publicRoom)"}]"#)
        transcript.receive(#"42["realtime:join:success",{"name":"\#(feedRoom)"}]"#)
        #expect(transcript.requests.count == 2)
        transcript.answer("/channels", #"{"resources":[]}"#)
        #expect(transcript.session.model.elements(in: channels).isEmpty)
    }

    @Test(arguments: ["P", "another"])
    func `a reconnect that recovers the session misses nothing and refetches nothing`(pid: String) throws {
        var transcript = Transcript(Configuration(backend: .twake, revision: .v4, rooms: [publicRoom]))
        transcript.authenticate(session: ("P", "Q7x1cUD"))
        transcript.receive(#"42["realtime:join:success",{"name":"\#(publicRoom)"},"Q7x1cUE"]"#)
        transcript.answer("/channels", #"{"resources":[]}"#)
        transcript.cut()
        transcript.pass(try #require(transcript.retryIn))
        transcript.feed(.opened(connection: transcript.connection, token: Secret("secret-token")))
        transcript.receive(#"0{"sid":"s","upgrades":[],"pingInterval":25000,"pingTimeout":20000}"#)
        #expect(transcript.sent == [#"40{"pid":"P","offset":"Q7x1cUE"}"#])
        transcript.receive(#"40{"sid":"t","pid":"\#(pid)"}"#)
        transcript.receive(#"42["authenticated","Q7x1cUF"]"#)
        #expect(transcript.gaps.count == (pid == "P" ? 0 : 1))
        transcript.receive(#"42["realtime:join:success",{"name":"\#(publicRoom)"},"Q7x1cUG"]"#)
        #expect(transcript.roomChanges == ["joined \(publicRoom)"])
        #expect(transcript.requests.count == (pid == "P" ? 0 : 1))
    }

    @Test func `a malformed event of a known name is counted and shown, and the next one is handled`() {
        var transcript = listed(publicRoom)
        transcript.receive(#"42["realtime:resource",{"action":"saved","room":7}]"#)
        #expect(transcript.undecodable.map(\.subject) == ["realtime:resource"])
        transcript.receive(resource("saved", "channel", room: publicRoom, channel(name: "Renamed")))
        #expect(transcript.session.model.elements(in: channels).first?.channel?.name == "Renamed")
    }

    @Test func `a frame that is not JSON is shown with its text`() {
        var transcript = listed(publicRoom)
        transcript.receive("42[\"x\",nope]")
        #expect(transcript.undecodable.first.map { String(decoding: $0.excerpt, as: UTF8.self) } == "42[\"x\",nope]")
    }

    @Test(arguments: [#"42["realtime:resource",{"action":"saved",}]"#, #"42["realtime:resource",{}]]"#, #"42["x",01]"#])
    func `a frame that is not JSON is not an event, whichever decoder detects it`(frame: String) {
        for configuration in [Configuration(backend: .socketio, revision: .v4), nil] {
            var transcript = configuration.map { Transcript($0) } ?? listed(publicRoom)
            if configuration != nil { transcript.authenticate() }
            transcript.receive(frame)
            #expect(transcript.undecodable.map(\.subject) == ["frame"])
            #expect(
                transcript.undecodable.allSatisfy { $0.message.hasPrefix("the event is not the JSON it should be") })
        }
    }

    @Test func `an answer of the wrong shape is shown and changes nothing`() {
        var transcript = listed(publicRoom)
        transcript.receive(resource("saved", "channel", room: publicRoom, channel("NEW")))
        transcript.answer("/channels", #"{"resources":"none"}"#)
        #expect(transcript.undecodable.count == 1)
        #expect(transcript.session.model.elements(in: channels).count == 1)
    }
}
