import WeirEvents
import WeirLive
@testable import WeirViews
import WeirPipeline

// Answers and pushes of a Twake server that make the session write every operation, entity type and field.
extension Conversation {
    /// Returns the reports of both eras, B first.
    static func everything() -> [StampedReport] {
        eraB().reports + eraA().reports
    }

    private static let publicRoom = "/companies/C/workspaces/W/channels?type=public"
    private static let feedRoom = "/companies/C/workspaces/W/channels/CH/feed"
    private static let badgeRoom = "/notifications?type=private&user=U1"

    private static func eraB() -> Conversation {
        let directRoom = "/companies/C/workspaces/direct/channels?type=direct&user=U1"
        let rooms = [
            publicRoom, feedRoom, badgeRoom, directRoom, "/companies/C/workspaces", "/company/C", "/me/U1",
            "/users/online/C",
        ]
        var conversation = Conversation(rooms: rooms + ["/forbidden"], respond: answerOfEraB)
        conversation.begin(joining: rooms)
        conversation.receive(#"42["realtime:join:error",{"name":"/forbidden","message":"not allowed"}]"#)
        conversation.tellOfChanges()
        conversation.act()
        conversation.tellNonsense()
        conversation.feed(.want(rooms: ["/companies/C/threads/M1"], source: .ctl))
        conversation.feed(.unwant(rooms: ["/companies/C/threads/M1"]))
        conversation.receive(#"42["realtime:leave:success",{"name":"/companies/C/threads/M1"}]"#)
        conversation.lose()
        conversation.feed(.want(rooms: ["/late"], source: .ctl))
        conversation.begin(joining: rooms)
        conversation.receive(resource("deleted", "channel", publicRoom, channel("CH", name: "General", at: 0)))
        return conversation
    }

    /// A conversation with counters of unread threads instead of the threads.
    private static func eraA() -> Conversation {
        let rooms = ["previous::channels/CH/messages/updates", badgeRoom]
        var conversation = Conversation(rooms: rooms) { target in
            target.contains("/badges") ? #"[{"type":"company","id":"C","count":3}]"# : nil
        }
        conversation.begin(joining: rooms)
        return conversation
    }

    private mutating func tellOfChanges() {
        receive(
            Self.resource(
                "updated", "channel_activity", Self.publicRoom,
                #"{"company_id":"C","workspace_id":"W","id":"C2","last_activity":1631600900000,"last_message":null}"#))
        tellOfPresence()
        receive(
            Self.resource(
                "saved", "channel_member", Self.publicRoom,
                #"{"company_id":"C","workspace_id":"W","channel_id":"CH","user_id":"U2","id":"U2","type":"member"}"#))
        answerAll()
        receive(Self.resource("updated", "message", Self.feedRoom, Self.message("M1", text: "changed", updated: 9)))
        receive(Self.resource("created", "message", Self.feedRoom, Self.fullMessage))
        receive(Self.resource("created", "message", Self.feedRoom, Self.message("M3", text: "new", updated: 0)))
        receive(
            Self.resource(
                "deleted", "user_notification_badges", Self.badgeRoom,
                #"{"company_id":"C","workspace_id":"W","channel_id":"CH","thread_id":"M1"}"#))
        answerAll()
    }

    private mutating func tellOfPresence() {
        receive(
            Self.resource(
                "event", "user:online", "/users/online/C",
                #"{"online":[{"company_id":"C","user_id":"U1","is_online":true}]}"#))
        for isWriting in [true, false] {
            receive(
                #"42["realtime:event",{"name":"/companies/C/workspaces","data":{"type":"writing","event":{"thread_id":"M1","channel_id":"CH","user_id":"U9","name":"Nina","is_writing":\#(isWriting)}}}]"#
            )
        }
    }

    /// Acts twice: a message is refused, and a deletion succeeds at the second attempt.
    private mutating func act() {
        let channel = EntityID("CH")
        let asked = Timestamp(milliseconds: 1_631_600_000_000)
        feed(.act(Action(id: EntityID("A1"), .send(channel: channel, thread: nil, text: "hello"), asked: asked)))
        answerAll()
        let message = Action.MessageReference(channel: channel, message: EntityID("M2"))
        feed(.act(Action(id: EntityID("A2"), .delete(message), asked: asked)))
        fail()
        feed(.dropAction(EntityID("A1")))
        answerAll()
    }

    private mutating func tellNonsense() {
        receive(#"42["custom:event",{"a":[1,null,"\u202e"]}]"#)
        receive(#"42["realtime:resource",{"action":"saved","type":"channel"}]"#)
        receive("4?")
    }

    private static func answerOfEraB(_ target: String) -> String? {
        if target.hasSuffix("/server") { return #"{"status":"ready"}"# }
        if let answer = answerAboutPlaces(target) { return answer }
        if target.hasSuffix("/delete") { return #"{"status":"success"}"# }
        if target.contains("/members") {
            return
                #"{"resources":[{"company_id":"C","workspace_id":"W","user_id":"U1","channel_id":"CH","id":"U1","type":"member","last_access":1620987780123,"last_increment":0,"favorite":false,"notification_level":"mentions","expiration":1720987780125,"updated_at":1620987780125,"created_at":1620900000000,"email":"a@example.org"}]}"#
        }
        if target.contains("/feed") {
            return
                #"{"resources":[\#(message("M1", text: "hello", updated: 1)),\#(message("M2", text: "x", updated: 1))]}"#
        }
        if target.contains("/badges") {
            return
                #"{"resources":[{"company_id":"C","user_id":"U1","workspace_id":"W","channel_id":"CH","thread_id":"M1","message_id":"M1"}]}"#
        }
        if target.contains("/direct/channels") { return #"{"resources":"not a list"}"# }
        if target.contains("/channels?") {
            return
                #"{"resources":[\#(channel("CH", name: "General", at: 1_631_600_000_000)),\#(channel("C2", name: "Two", at: 1_631_500_000_000))]}"#
        }
        return nil
    }

    /// Returns the users, companies and workspaces with the fields of both eras.
    private static func answerAboutPlaces(_ target: String) -> String? {
        if target.hasSuffix("/users/me") {
            return
                #"{"resource":{"id":"U1","email":"a@example.org","username":"a.user","first_name":"A","last_name":"B","full_name":"A B","picture":"/p","provider":"console","provider_id":"P1","status":"busy","status_icon":"☕️","language":"en","last_activity":1631600000001,"created_at":1620900000000,"is_verified":true,"deleted":true}}"#
        }
        if target.hasSuffix("/companies") {
            return
                #"{"resources":[{"id":"C","name":"Co","logo":"/l","stats":{"created_at":1620900000000,"total_members":2,"total_guests":1},"role":"admin","permissions":["CREATE_WORKSPACES"],"status":"active","plan":{"name":"free","limits":{"members":1,"guests":2,"storage":3}},"notification_rooms":["previous:group/C"]}]}"#
        }
        guard target.hasSuffix("/workspaces") else { return nil }
        return
            #"{"resources":[{"id":"W","company_id":"C","name":"Work","logo":"/l","color":"red","stats":{"created_at":1620900000000,"total_members":2},"user_last_access":1631600000001,"role":"member","permissions":["EDIT_WORKSPACE"],"private":true,"default":true,"is_archived":true,"archived":true}]}"#
    }

    private static func resource(_ action: String, _ type: String, _ room: String, _ body: String) -> String {
        #"42["realtime:resource",{"action":"\#(action)","room":"\#(room)","type":"\#(type)","path":null,"resource":\#(body)}]"#
    }

    private static func channel(_ id: String, name: String, at time: Int) -> String {
        #"{"company_id":"C","workspace_id":"W","id":"\#(id)","name":"\#(name)","icon":"📄","description":"d","visibility":"public","archived":false,"owner":"U1","members":["U1","U2"],"updated_at":1631600000001,"created_at":1620900000000,"is_default":true,"archivation_date":1631600000000,"channel_group":"g","connectors":["APP"],"is_readonly":false,"is_member":true,"has_unread":true,"role":"member","permissions":["ADD_MEMBER"],"stats":{"members":2,"messages":9},"user_member":{"type":"member","favorite":true,"notification_level":"all","last_access":1620987780123},"last_activity":\#(time),"last_message":{"date":1631600000000,"sender":"U2","sender_name":"A B","title":"t","text":"hi"}}"#
    }

    /// A message with every optional field.
    private static let fullMessage = #"""
        {"thread_id":"M9","id":"M9","type":"event","subtype":"application","created_at":1620987774123,
        "user_id":null,"application_id":"APP","thumbnail":"https://example.org/a.png","text":"",
        "blocks":[{"type":"twacode","elements":[{"start":"*","content":["b"]}]}],
        "files":[{"id":"F1","company_id":"C","message_id":"M9","metadata":{"source":"internal","external_id":"F0",
        "name":"a.png","extension":"png","size":9,"mime":"image/png","preview":"/p","download":"/d",
        "thumbnails":[{"index":0,"url":"/t","type":"image/png","size":1,"width":2,"height":3}]}}],
        "pinned_info":{"pinned_at":1620987774123,"pinned_by":"U1"},"override":{"title":"CI","picture":"/ci"},
        "ephemeral":{"id":"E","version":"1","recipient":"U1","recipient_context_id":"X"},"status":"read",
        "quote_message":{"id":"M1","thread_id":"M1","text":"quoted"},"links":[{"url":"https://example.org"}],
        "context":{"build":7},"bookmarks":[{"user_id":"U1"}]}
        """#

    private static func message(_ id: String, text: String, updated: Int) -> String {
        #"{"thread_id":"\#(id)","id":"\#(id)","type":"message","subtype":"application","created_at":1620987774123,"updated_at":\#(1_620_987_774_130 + updated),"user_id":"U1","first_name":"A","text":"\#(text)","edited":{"edited_at":1620987774131},"pinned_info":{"pinned_by":"U1"},"reactions":[{"name":"👍","users":["U2"],"count":1}],"stats":{"replies":4,"last_activity":1620987774199}}"#
    }
}
