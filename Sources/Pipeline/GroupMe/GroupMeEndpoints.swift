import Events
import JSONText

/// The calls of GroupMe's REST service, version 3 (GroupMe GM-26 to GM-46).
enum GroupMeEndpoints {
    /// The number of messages in the page that a new or changed message causes to be fetched (GroupMe GM-47).
    static let messagesAround = 20
    /// The documented maximum number of messages in one answer; servers accept 200 (GroupMe GM-33).
    static let mostMessages = 100
    private static let pageSize = "100"

    static var me: Endpoint<GroupMe.User> { Endpoint("/v3/users/me", parse: GroupMe.user) }

    static func groups(page: Int) -> Endpoint<[GroupMe.GroupRecord]> {
        Endpoint(
            "/v3/groups", query: [("page", "\(page)"), ("per_page", pageSize), ("omit", "memberships")],
            rows: GroupMe.groups)
    }

    static var formerGroups: Endpoint<[GroupMe.GroupRecord]> {
        Endpoint("/v3/groups/former", rows: GroupMe.groups)
    }

    static func group(_ group: GroupMe.GroupID) -> Endpoint<GroupMe.GroupRecord> {
        Endpoint(path(group), rows: GroupMe.group)
    }

    static func chats(page: Int, user: GroupMe.UserID?) -> Endpoint<[GroupMe.Chat]> {
        Endpoint("/v3/chats", query: [("page", "\(page)"), ("per_page", pageSize)]) {
            body, sieve throws(DecodingFailure) in
            try GroupMe.chats(from: body, user: user, sieve)
        }
    }

    /// Returns the call for a resource of messages, or `nil` for any other resource and for a direct of other users.
    ///
    /// Never uses `since_id`, which skips the messages between two pages (GroupMe GM-33).
    static func messages(_ resource: GroupMeResource, for user: GroupMe.UserID?) -> Endpoint<GroupMe.MessagePage>? {
        switch resource {
        case .newest(let place): messages(of: place, [("limit", "\(messagesAround)")], user)
        case .around(let place, let message):
            messages(of: place, [("limit", "\(messagesAround)"), ("before_id", message.description)], user)
        case .window(let place, nil): messages(of: place, [("limit", "\(mostMessages)")], user)
        case .window(let place, let message?):
            messages(of: place, [("limit", "\(mostMessages)"), ("before_id", message.description)], user)
        case .me, .groups, .formerGroups, .group, .chats, .addedMembers: nil
        }
    }

    /// Returns a call for messages. Directs are named by the partner. Without `acceptFiles`, the service replaces the
    /// texts of files.
    private static func messages(
        of place: GroupMe.ConversationID, _ query: RESTCall.Query, _ user: GroupMe.UserID?
    ) -> Endpoint<GroupMe.MessagePage>? {
        var query = query + [("acceptFiles", "1")]
        let path: RESTTarget
        switch place {
        case .group(let group): path = "\(Self.path(group))/messages"
        case .direct:
            guard let partner = user.flatMap({ place.partner(of: $0) }) else { return nil }
            path = "/v3/direct_messages"
            query.append(("other_user_id", partner.description))
        }
        return Endpoint(path, query: query) {
            body, sieve throws(DecodingFailure) in
            try GroupMe.messages(from: body, of: place, sieve)
        }
    }

    static func addedMembers(to group: GroupMe.GroupID, results: String) -> Endpoint<GroupMe.AddedMembers> {
        Endpoint("\(path(group))/members/results/\(results)") {
            body, sieve throws(DecodingFailure) in
            try GroupMe.addedMembers(from: body, to: group, sieve)
        }
    }

    static func path(_ group: GroupMe.GroupID) -> RESTTarget { "/v3/groups/\(group.entity)" }
}
