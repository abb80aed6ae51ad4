import Testing
import WeirEvents
import WeirModel

@testable import WeirPipeline

/// Tests for each action in both eras: the request, the optimistic row, settling and rolling back.
@Suite struct TwakeActionTests {
    private let message = Action.MessageReference(channel: Transcript.channel, message: EntityID("M0"))

    private func body(_ transcript: Transcript) -> String {
        transcript.requests.last.map { String(decoding: $0.body, as: UTF8.self) } ?? ""
    }

    private func reactions(_ transcript: Transcript) -> [String] {
        transcript.session.model[.message(EntityID("M0"))]?.message?.reactions.map { "\($0.name) \($0.count)" } ?? []
    }

    // MARK: Era B

    @Test func `era B sends a new thread to a channel`() {
        var transcript = Transcript.acting()
        transcript.send("A1", "hello")
        #expect(
            body(transcript)
                == #"{"resource":{"participants":[{"type":"channel","id":"CH","workspace_id":"W","company_id":"C"}]},"options":{"message":{"text":"hello","blocks":[{"type":"twacode","elements":["hello"]}],"files":[],"type":"message","subtype":null,"context":{"client_id":"A1"}}}}"#
        )
    }

    @Test func `a channel may be given by its name`() {
        var transcript = Transcript.acting()
        transcript.send("A1", "hello", to: EntityID("#general"))
        #expect(body(transcript).contains(#""id":"CH""#))
        #expect(transcript.shown == ["first", "hello?"])
    }

    @Test func `another user's channel is refused after the lists were fetched`() {
        var transcript = Transcript.acting()
        transcript.send("A1", "hello", to: EntityID("NO"))
        transcript.answer("/workspaces/W/channels?", #"{"resources":[\#(Transcript.channel())]}"#)
        transcript.answer("/direct/channels?", #"{"resources":[]}"#)
        #expect(transcript.actions == ["A1 refused none of your channels in the workspace is named NO"])
    }

    @Test func `reactions are replaced, and rolled back on refusal`() {
        var transcript = Transcript.acting()
        transcript.tell(
            "updated",
            Transcript.message("M0", "first", at: 1, updated: 3, more: #","x":0"#).replacing(
                #""reactions":null"#, with: #""reactions":[{"name":"👍","count":2,"users":["U1","U2"]}]"#))
        #expect(reactions(transcript) == ["👍 2"])
        transcript.act("A1", .react(message, names: ["❤️"]))
        #expect(reactions(transcript) == ["👍 1", "❤️ 1"])
        #expect(transcript.calls.last?.hasSuffix("/threads/M0/messages/M0/reaction") == true)
        #expect(body(transcript) == #"{"reactions":["❤️"]}"#)
        transcript.answer("/reaction", status: 400, #"{"message":"no"}"#)
        #expect(reactions(transcript) == ["👍 2"])
        transcript.act("A2", .react(message, names: []))
        #expect(reactions(transcript) == ["👍 1"])
    }

    @Test func `a deletion marks the message at once, and then shows the server's version`() {
        var transcript = Transcript.acting()
        transcript.act("A1", .delete(message))
        #expect(transcript.shown == ["first-"])
        transcript.answer("/delete", #"{"status":"success"}"#)
        #expect(transcript.shown == ["Deleted message"])
    }

    @Test func `a message whose deletion is refused is unchanged`() {
        var transcript = Transcript.acting()
        transcript.act("A1", .delete(message))
        transcript.answer("/delete", status: 403, #"{"message":"not yours"}"#)
        #expect(transcript.shown == ["first"])
        #expect(transcript.session.pendingActions.isEmpty)
    }

    @Test func `a channel is marked read at once, with its badges`() {
        var transcript = Transcript.acting()
        transcript.receive(#"42["realtime:join:success",{"name":"\#(Transcript.badgeRoom)"}]"#)
        transcript.answer(
            "/badges",
            #"{"resources":[{"company_id":"C","user_id":"U1","workspace_id":"W","channel_id":"CH","thread_id":"T","message_id":"M"},{"company_id":"C","user_id":"U1","workspace_id":"W","channel_id":"C2","thread_id":"T2","message_id":"M"}]}"#
        )
        let badges = Item.Section("badges", EntityID("C"))
        transcript.act("A1", .markRead(channel: Transcript.channel))
        #expect(transcript.session.model[.channel(Transcript.channel)]?.channel?.hasUnread == false)
        #expect(transcript.session.model.elements(in: badges).map(\.delivery) == [.leaving, nil])
        transcript.answer("/channels/CH/read", "true")
        #expect(transcript.session.model[.channel(Transcript.channel)]?.channel?.hasUnread == false)
        #expect(transcript.session.model[.channel(Transcript.channel)]?.delivery == nil)
        #expect(transcript.session.model.elements(in: badges).count == 1)
    }

    @Test func `a channel is created, shown while pending, and messages to it wait for it`() {
        var transcript = Transcript.acting()
        transcript.act("A1", .createChannel(.init(kind: .private, name: "New", icon: "📄")))
        transcript.send("A2", "welcome", to: EntityID("A1"))
        let channels = Item.Section("channels", EntityID("W"))
        #expect(transcript.session.model.elements(in: channels).map(\.delivery) == [.pending, nil])
        #expect(transcript.calls == ["POST /internal/services/channels/v1/companies/C/workspaces/W/channels"])
        transcript.answer("/channels", status: 201, #"{"resource":\#(Transcript.channel("NEW", name: "New"))}"#)
        #expect(transcript.actions.first == "A1 done NEW")
        #expect(transcript.session.model[.channel(EntityID("A1"))] == nil)
        #expect(transcript.session.model[.channel(EntityID("NEW"))]?.channel?.name == "New")
        #expect(transcript.session.globals.channel == "NEW" && transcript.session.globals.tab == .commons)
        transcript.answer("/channels/NEW/feed", #"{"resources":[]}"#)
        #expect(body(transcript).contains(#""id":"NEW""#))
    }

    @Test func `a direct is created in its company`() {
        var transcript = Transcript.acting()
        transcript.act("A1", .createChannel(.init(kind: .direct, name: "", members: [EntityID("U2")])))
        let directs = Item.Section("directs", EntityID("C"))
        #expect(transcript.session.model.elements(in: directs).map(\.delivery) == [.pending])
        #expect(transcript.calls == ["POST /internal/services/channels/v1/companies/C/workspaces/direct/channels"])
        #expect(body(transcript).contains(#""options":{"members":["U2"]}"#))
        transcript.answer("/direct/channels", status: 201, Frames.one(Frames.direct("D1")))
        #expect(transcript.actions.first == "A1 done D1")
        #expect(transcript.session.model.elements(in: directs).map(\.id) == [.channel(EntityID("D1"))])
        #expect(transcript.session.globals.channel == "D1" && transcript.session.globals.tab == .directs)
    }

    @Test func `a channel whose creation is in doubt is not created again`() {
        var transcript = Transcript.acting()
        transcript.act("A1", .createChannel(.init(kind: .public, name: "New")))
        transcript.fail("/channels", kind: "timeout")
        transcript.pass(.seconds(5))
        #expect(transcript.actions.first?.hasPrefix("A1 refused no answer came") == true)
        #expect(transcript.calls == [])
    }

    @Test func `a channel's name changes at once, and is rolled back when refused`() {
        var transcript = Transcript.acting()
        let name = { (transcript: Transcript) in
            transcript.session.model[.channel(Transcript.channel)]?.channel?.name
        }
        transcript.act("A1", .editChannel(channel: Transcript.channel, .init(name: "Lobby")))
        #expect(name(transcript) == "Lobby")
        #expect(body(transcript) == #"{"resource":{"name":"Lobby"}}"#)
        transcript.answer("/channels/CH", status: 403, #"{"message":"no"}"#)
        #expect(name(transcript) == "General")
    }

    @Test func `a channel's visibility changes at once, and is rolled back when refused or ignored`() {
        var transcript = Transcript.acting()
        let visibility = { (transcript: Transcript) in
            transcript.session.model[.channel(Transcript.channel)]?.channel?.visibility
        }
        let edit = Action.Operation.editChannel(channel: Transcript.channel, .init(visibility: .private))
        transcript.act("A1", edit)
        #expect(visibility(transcript) == .private)
        #expect(body(transcript) == #"{"resource":{"visibility":"private"}}"#)
        let why = "Current user can not update requested fields"
        transcript.answer("/channels/CH", status: 400, #"{"message":"\#(why)"}"#)
        #expect(transcript.actions == ["A1 refused 400 \(why)"] && visibility(transcript) == .public)
        transcript.act("A2", .editChannel(channel: Transcript.channel, .init(name: "Lobby", visibility: .private)))
        transcript.answer("/channels/CH", status: 201, Frames.one(Transcript.channel(name: "Lobby")))
        let left = "A2 refused the channel stays public: only its other properties can be changed, which was done"
        #expect(transcript.actions == [left] && visibility(transcript) == .public)
        transcript.act("A3", edit)
        let changed = Transcript.channel().replacing(#""public""#, with: #""private""#)
        transcript.answer("/channels/CH", status: 201, Frames.one(changed))
        #expect(transcript.actions.first == "A3 done CH" && visibility(transcript) == .private)
    }

    @Test func `a deleted channel is marked, and removed with its contents when the server agrees`() {
        var transcript = Transcript.acting()
        transcript.act("A1", .deleteChannel(channel: Transcript.channel))
        #expect(transcript.session.model[.channel(Transcript.channel)]?.delivery == .leaving)
        transcript.answer("/channels/CH", status: 204, "")
        #expect(transcript.session.model.count == 0)
    }

    @Test func `members are added and removed`() {
        var transcript = Transcript.acting()
        let members = Item.Section("members", Transcript.channel)
        transcript.act("A1", .addMember(channel: Transcript.channel, user: EntityID("U2")))
        #expect(transcript.session.model.elements(in: members).map(\.delivery) == [.pending])
        #expect(body(transcript) == #"{"resource":{"user_id":"U2","type":"member"}}"#)
        transcript.answer("/members", status: 201, #"{"resource":{"user_id":"U2","channel_id":"CH"}}"#)
        transcript.answer(
            "/members?", #"{"resources":[{"channel_id":"CH","user_id":"U1"},{"channel_id":"CH","user_id":"U2"}]}"#)
        #expect(transcript.session.model.elements(in: members).map(\.delivery) == [nil, nil])
        transcript.act("A2", .removeMember(channel: Transcript.channel, user: EntityID("U2")))
        #expect(transcript.session.model.elements(in: members).map(\.delivery) == [nil, .leaving])
        transcript.answer("/members/U2", status: 204, "")
        #expect(transcript.session.model.elements(in: members).count == 1)
    }

    @Test func `a workspace is created`() {
        var transcript = Transcript.acting()
        transcript.act("A1", .createWorkspace(name: "Sales", members: []))
        #expect(transcript.calls == ["POST /internal/services/workspaces/v1/companies/C/workspaces"])
        transcript.answer("/workspaces", status: 201, #"{"resource":{"id":"W2","name":"Sales"}}"#)
        #expect(transcript.actions == ["A1 done W2"])
    }

    @Test func `a workspace's name changes at once, and is rolled back when refused`() {
        var transcript = Transcript.discovered(following: [.places])
        let names = { (transcript: Transcript) in
            transcript.session.model.elements(in: Item.Section("workspaces", EntityID("C"))).compactMap(
                \.workspace?.name)
        }
        transcript.act("A1", .changeWorkspace(EntityID("extra"), .rename("More")))
        #expect(transcript.calls == ["POST /internal/services/workspaces/v1/companies/C/workspaces/X"])
        #expect(body(transcript) == #"{"resource":{"name":"More"}}"#)
        transcript.act("A2", .changeWorkspace(EntityID("X"), .rename("Less")))
        #expect(names(transcript) == ["Work", "Less"])
        transcript.answer("/workspaces/X", status: 201, Frames.one(Transcript.workspace("X", "More")))
        #expect(transcript.actions.contains("A1 done X"))
        transcript.answer("/workspaces/X", status: 403, #"{"message":"no"}"#)
        #expect(names(transcript) == ["Work", "More"])
    }

    @Test func `users are added to a workspace by id or address, and removed by id`() {
        var transcript = Transcript.discovered(following: [.places])
        let path = "/internal/services/workspaces/v1/companies/C/workspaces/X/users"
        transcript.act("A1", .changeWorkspace(EntityID("extra"), .addMember("U2")))
        #expect(transcript.calls == ["POST \(path)"])
        #expect(body(transcript) == #"{"resource":{"user_id":"U2","role":"member"}}"#)
        transcript.answer(path, status: 201, #"{"resource":{"user_id":"U2"}}"#)
        #expect(transcript.actions == ["A1 done U2"])
        #expect(transcript.calls == ["GET /internal/services/workspaces/v1/companies/C/workspaces"], "it counts them")
        transcript.requests = []
        transcript.act("A2", .changeWorkspace(EntityID("X"), .addMember("ann@example.org")))
        #expect(transcript.calls == ["POST \(path)/invite"])
        #expect(
            body(transcript)
                == #"{"invitations":[{"email":"ann@example.org","role":"member","company_role":"member"}]}"#)
        transcript.answer(
            "/invite", #"{"resources":[{"email":"ann@example.org","status":"error","message":"not one of us"}]}"#)
        #expect(transcript.actions == ["A2 refused not one of us"])
        transcript.act("A3", .changeWorkspace(EntityID("X"), .removeMember(EntityID("U2"))))
        #expect(transcript.calls == ["DELETE \(path)/U2"])
        transcript.answer("\(path)/U2", status: 403, #"{"message":"Only moderators"}"#)
        #expect(transcript.actions == ["A3 refused 403 Only moderators"])
        transcript.act("A4", .changeWorkspace(EntityID("X"), .removeMember(EntityID("ann@example.org"))))
        #expect(transcript.actions.last == "A4 refused a member is removed by id, not by address")
    }

    @Test func `a deleted workspace is removed with its channels, and another one is selected`() {
        var transcript = Transcript.discovered(following: [.places])
        let channels = Item.Section("channels", EntityID("W"))
        #expect(transcript.session.model.elementCount(in: channels) > 0)
        transcript.act("A1", .changeWorkspace(EntityID("W"), .delete))
        #expect(transcript.session.model[.workspace(EntityID("W"))]?.delivery == .leaving)
        transcript.answer("/workspaces/W", status: 204, "")
        #expect(transcript.actions == ["A1 done W"])
        #expect(transcript.session.model[.workspace(EntityID("W"))] == nil)
        #expect(transcript.session.model.elementCount(in: channels) == 0)
        transcript.answer("/C/workspaces", Frames.list(Transcript.workspace("X", "Extra")))
        #expect(
            transcript.session.subscriptions.entries.map(\.name).contains(
                "/companies/C/workspaces/X/channels?type=public"))
    }

    @Test func `language and status change in the account at once, and then show the server's version`() {
        var transcript = Transcript.discovered(following: [.accounts])
        let account = { (transcript: Transcript) in transcript.session.model[.account(EntityID("U1"))]?.account }
        transcript.act("A1", .changeAccount(.language("fr")))
        #expect(account(transcript)?.language == "fr")
        #expect(transcript.calls == ["POST /internal/services/users/v1/users/me/preferences"])
        #expect(body(transcript) == #"{"locale":"fr"}"#)
        transcript.answer("/preferences", #"{"locale":"fr"}"#)
        #expect(transcript.actions == ["A1 done U1"])
        transcript.answer("/users/me", #"{"resource":{"id":"U1","preference":{"locale":"fr"}}}"#)
        transcript.act("A2", .changeAccount(.status("at lunch", icon: "🍜")))
        #expect(account(transcript)?.status == "🍜 at lunch")
        #expect(body(transcript) == #"{"resource":"🍜 at lunch"}"#)
        transcript.answer("/users/me", status: 500, #"{"message":"Something went wrong"}"#)
        #expect(transcript.actions.first?.hasPrefix("A2 delayed") == true)
        transcript.act("A3", .changeAccount(.status("", icon: "")))
        #expect(account(transcript)?.status == nil && account(transcript)?.language == "fr")
    }

    // MARK: Era A

    @Test func `era A sends, edits, reacts and deletes through the proxy`() {
        var transcript = Transcript.actingByProxy()
        transcript.send("A1", "hello")
        #expect(transcript.calls == ["POST /internal/mobile/messages"])
        #expect(
            body(transcript)
                == #"{"company_id":"C","workspace_id":"W","channel_id":"CH","original_str":"hello"}"#)
        transcript.answer("/messages", Transcript.proxyMessage("M1", "hello", at: 9))
        #expect(transcript.shown == ["first", "hello"])
        transcript.act("A2", .edit(message, text: "1st"))
        #expect(transcript.calls == ["PUT /internal/mobile/messages"])
        #expect(body(transcript).hasSuffix(#""message_id":"M0","original_str":"1st"}"#))
        transcript.answer("/messages", Transcript.proxyMessage("M0", "1st", at: 1))
        #expect(transcript.shown == ["1st", "hello"])
        transcript.answer("&message_id=M0", "[\(Transcript.proxyMessage("M0", "1st", at: 1))]")
        transcript.act("A3", .react(message, names: ["👍"]))
        #expect(transcript.calls == ["POST /internal/mobile/reactions"])
        transcript.answer("/reactions", #"{"id":"M0","reactions":[]}"#)
        #expect(transcript.calls.last?.hasSuffix("&message_id=M0") == true)
        transcript.act("A4", .delete(message))
        transcript.answer("/internal/mobile/messages", Transcript.proxyMessage("M0", "1st", at: 1))
        transcript.answer("/internal/mobile/messages", #"{"success":true}"#)
        #expect(transcript.shown == ["hello"])
    }

    @Test func `era A distinguishes a bad token from a missing permission by the error text`() {
        var transcript = Transcript.actingByProxy()
        transcript.send("A1", "hello")
        transcript.answer("/messages", status: 403, #"{"error":"Wrong token"}"#)
        #expect(transcript.actions == [])
        transcript.feed(.tokenRenewed(changed: true))
        transcript.answer("/messages", status: 403, #"{"error":"not a member"}"#)
        #expect(transcript.actions == ["A1 refused 403 not a member"])
    }

    @Test func `era A's counters decrease as messages are read`() {
        var transcript = Transcript.actingByProxy()
        transcript.receive(#"42["realtime:join:success",{"name":"\#(Transcript.updatesRoom)"}]"#)
        transcript.feed(.want(rooms: [Transcript.badgeRoom], source: .ctl))
        transcript.receive(#"42["realtime:join:success",{"name":"\#(Transcript.badgeRoom)"}]"#)
        transcript.answer(
            "/badges",
            #"[{"type":"company","id":"C","count":5},{"type":"workspace","id":"W","count":4},{"type":"channel","id":"CH","count":3}]"#
        )
        let counts = { (transcript: Transcript) in
            transcript.session.model.elements(in: Item.Section("badges", EntityID("C"))).map { row in
                row.badgeCount.map { "\($0.id) \($0.count)" } ?? ""
            }
        }
        transcript.act("A1", .markRead(channel: Transcript.channel))
        #expect(counts(transcript) == ["C 2", "CH 3", "W 1"])
        transcript.answer("/channels/read", status: 400, #"{"error":"no"}"#)
        #expect(counts(transcript) == ["C 5", "CH 3", "W 4"])
    }

    @Test func `era A deletes a workspace and sets a language, and cannot change a name or a status`() {
        var transcript = Transcript.actingByProxy()
        transcript.act("A1", .changeAccount(.language("fr")))
        #expect(transcript.calls == ["PATCH /internal/mobile/users/profile"])
        #expect(body(transcript) == #"{"language":"fr"}"#)
        transcript.answer("/users/profile", #"{"language":{"value":"fr"}}"#)
        #expect(transcript.actions == ["A1 done U1"])
        transcript.act("A2", .changeAccount(.status("out", icon: "")))
        #expect(transcript.actions.last == "A2 refused this server has no call that sets a status")
        transcript.act("A3", .changeWorkspace(EntityID("W"), .rename("x")))
        #expect(transcript.actions.last == "A3 refused this server has no call that renames a workspace")
        transcript.act("A4", .changeWorkspace(EntityID("W"), .delete))
        #expect(transcript.calls == ["DELETE /internal/mobile/workspaces"])
        #expect(body(transcript) == #"{"company_id":"C","workspace_id":"W"}"#)
        transcript.answer("/workspaces", #"{"success":true}"#)
        #expect(transcript.actions == ["A4 done W"])
    }

    @Test func `era A takes the addresses of a workspace's new members, and the ids of removed ones`() {
        var transcript = Transcript.actingByProxy()
        transcript.act("A1", .changeWorkspace(EntityID("W"), .addMember("ann@example.org")))
        #expect(transcript.calls == ["POST /internal/mobile/workspaces/members"])
        #expect(body(transcript) == #"{"company_id":"C","workspace_id":"W","members":["ann@example.org"]}"#)
        transcript.answer("/workspaces/members", "[]")
        #expect(transcript.actions == ["A1 done ann@example.org"])
        transcript.act("A2", .changeWorkspace(EntityID("W"), .removeMember(EntityID("U2"))))
        #expect(transcript.calls == ["DELETE /internal/mobile/workspaces/members"])
        #expect(body(transcript) == #"{"company_id":"C","workspace_id":"W","members":["U2"]}"#)
        transcript.answer("/workspaces/members", status: 400, #"{"error":"no"}"#)
        #expect(transcript.actions == ["A2 refused 400 no"])
        transcript.act("A3", .changeWorkspace(EntityID("W"), .addMember("U2")))
        #expect(transcript.actions.last == "A3 refused this server takes the addresses of new members")
    }

    @Test func `era A cannot change a channel's visibility`() {
        var transcript = Transcript.actingByProxy()
        transcript.act("A1", .editChannel(channel: Transcript.channel, .init(name: "Lobby", visibility: .private)))
        #expect(transcript.actions.last == "A1 refused this server cannot change the visibility of a channel")
        #expect(transcript.calls == [] && transcript.session.model[.channel(Transcript.channel)]?.delivery == nil)
    }

    @Test func `era A accepts only one reaction`() {
        var transcript = Transcript.actingByProxy()
        transcript.act("A1", .react(message, names: ["👍", "❤️"]))
        #expect(transcript.actions.last == "A1 refused this server takes one reaction to a message")
    }
}
