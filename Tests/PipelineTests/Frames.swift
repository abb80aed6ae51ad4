/// Frames and answers of a Twake server as text, for company C, workspace W and user U1. Times
/// are milliseconds after `epoch`.
enum Frames {
    static let epoch = 1_620_987_000_000
    static let publicRoom = "/companies/C/workspaces/W/channels?type=public"
    static let privateRoom = "/companies/C/workspaces/W/channels?type=private&user=U1"
    static let directRoom = "/companies/C/workspaces/direct/channels?type=direct&user=U1"
    static let badgeRoom = "/notifications?type=private&user=U1"
    static let feedRoom = "/companies/C/workspaces/W/channels/CH/feed"
    static let membersRoom = "/companies/C/workspaces/W/channels/CH?type=public"
    static let updatesRoom = "previous::channels/CH/messages/updates"

    static func threadRoom(_ thread: String) -> String { "/companies/C/threads/\(thread)" }

    static func resource(_ action: String, _ type: String, room: String, _ body: String, path: String = #""/""#)
        -> String
    {
        #"42["realtime:resource",{"action":"\#(action)","room":"\#(room)","type":"\#(type)","path":\#(path),"resource":\#(body)}]"#
    }

    static func joined(_ room: String) -> String { #"42["realtime:join:success",{"name":"\#(room)"}]"# }

    /// A channel as in an event, without the fields that only lists contain.
    static func channel(_ id: String = "CH", name: String = "General", activity: Int = 700, updated: Int? = 100)
        -> String
    {
        let updatedAt = updated.map { #","updated_at":\#(epoch + $0),"created_at":\#(epoch)"# } ?? ""
        return
            #"{"is_default":false,"archived":false,"members":[],"connectors":[],"last_activity":\#(epoch + activity),"company_id":"C","workspace_id":"W","id":"\#(id)","archivation_date":0,"channel_group":"","description":"","icon":"📄","name":"\#(name)","owner":"U1","visibility":"public"\#(updatedAt)}"#
    }

    /// A channel as in the list `mine`.
    static func listed(
        _ id: String = "CH", name: String = "General", activity: Int = 700, updated: Int? = 100, access: Int = 0,
        text: String? = nil
    ) -> String {
        let last = text.map { summary($0, at: activity) } ?? "{}"
        return channel(id, name: name, activity: activity, updated: updated).dropLast()
            + #","user_member":{"user_id":"U1","last_access":\#(epoch + access)},"last_message":\#(last)}"#
    }

    static func direct(_ id: String, members: [String] = ["U1", "U2"], activity: Int = 0) -> String {
        let ids = members.map { "\"\($0)\"" }.joined(separator: ",")
        return
            #"{"company_id":"C","workspace_id":"direct","id":"\#(id)","visibility":"direct","name":"","members":[\#(ids)],"owner":"U2","last_activity":\#(epoch + activity),"updated_at":\#(epoch)}"#
    }

    static func summary(_ text: String, at: Int, sender: String = "U2") -> String {
        #"{"date":\#(epoch + at),"sender":"\#(sender)","sender_name":"First Last","title":"General in Co • WS","text":"\#(text)"}"#
    }

    static func activity(
        _ id: String = "CH", at: Int, text: String? = nil, workspace: String = "W", room: String = publicRoom
    ) -> String {
        let last = text.map { summary($0, at: at) } ?? "null"
        return resource(
            "updated", "channel_activity", room: room,
            #"{"company_id":"C","workspace_id":"\#(workspace)","id":"\#(id)","last_activity":\#(epoch + at),"last_message":\#(last)}"#
        )
    }

    static func membership(
        _ id: String = "CH", access: Int? = 0, workspace: String = "W", room: String = privateRoom
    ) -> String {
        guard let access else {
            return resource(
                "deleted", "channel_member", room: room,
                #"{"company_id":"C","workspace_id":"\#(workspace)","id":"\#(id)","user_member":null}"#)
        }
        return resource(
            "saved", "channel_member", room: room,
            #"{"company_id":"C","workspace_id":"\#(workspace)","id":"\#(id)","user_member":{"company_id":"C","workspace_id":"\#(workspace)","user_id":"U1","channel_id":"\#(id)","id":"U1","type":"member","last_access":\#(epoch + access),"favorite":false,"notification_level":"all","updated_at":\#(epoch + access)}}"#
        )
    }

    /// A message as in an event; a head if `thread` is `nil`.
    static func message(
        _ id: String, thread: String? = nil, _ text: String, at: Int, updated: Int? = nil, reactions: String = "null",
        subtype: String? = nil
    ) -> String {
        let subtype = subtype.map { "\"\($0)\"" } ?? "null"
        return
            #"{"thread_id":"\#(thread ?? id)","id":"\#(id)","ephemeral":null,"type":"message","subtype":\#(subtype),"created_at":\#(epoch + at),"updated_at":\#(epoch + (updated ?? at)),"user_id":"U2","application_id":null,"text":"\#(text)","blocks":[],"files":null,"context":null,"edited":null,"pinned_info":null,"reactions":\#(reactions),"bookmarks":null,"override":null}"#
    }

    /// A head as in answers: with the last replies and the counter, which includes the head.
    static func head(
        _ id: String, _ text: String, at: Int, updated: Int? = nil, replies: Int = 0, last: [String] = []
    ) -> String {
        message(id, text, at: at, updated: updated).dropLast()
            + #","stats":{"replies":\#(replies + 1),"last_activity":\#(epoch + at)},"last_replies":[\#(last.joined(separator: ","))]}"#
    }

    static func feed(_ action: String, _ message: String) -> String {
        resource(action, "message", room: feedRoom, message, path: #""/companies/C/threads/T/M""#)
    }

    static func badge(_ action: String, thread: String, workspace: String = "W", company: String = "C") -> String {
        resource(
            action, "user_notification_badges", room: badgeRoom, badgeBody(thread: thread, workspace, company))
    }

    static func badgeBody(thread: String, _ workspace: String = "W", _ company: String = "C") -> String {
        #"{"company_id":"\#(company)","user_id":"U1","workspace_id":"\#(workspace)","channel_id":"CH","thread_id":"\#(thread)","message_id":"\#(thread)","id":"7f0f3f0e-3c1e-4f4b-9a55-51b0d5a7d001"}"#
    }

    /// Era A's announcement of a message.
    static func update(_ message: String, thread: String = "", action: String = "update") -> String {
        #"42["realtime:event",{"name":"\#(updatesRoom)","data":{"client_id":"system","action":"\#(action)","message_id":"\#(message)","thread_id":"\#(thread)"}}]"#
    }

    /// A message as in an answer of era A's proxy.
    static func proxyMessage(_ id: String, thread: String? = nil, _ text: String, at: Int, replies: Int = 0) -> String {
        #"{"id":"\#(id)","thread_id":\#(thread.map { "\"\($0)\"" } ?? "null"),"responses_count":\#(replies),"user_id":"U2","creation_date":\#(epoch + at),"modification_date":\#(epoch + at),"content":{"original_str":"\#(text)","prepared":["\#(text)"]},"reactions":[],"channel_id":"CH","username":"a.user","firstname":"First","lastname":"Last"}"#
    }

    static func list(_ elements: String...) -> String { list(elements) }

    static func list(_ elements: [String]) -> String { #"{"resources":[\#(elements.joined(separator: ","))]}"# }

    static func one(_ element: String) -> String { #"{"resource":\#(element)}"# }
}
