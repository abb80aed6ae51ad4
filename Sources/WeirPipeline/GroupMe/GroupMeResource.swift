import WeirEvents
import WeirJSON

/// The resources of GroupMe's REST service, as keys of refetches (GroupMe GM-26 to GM-46).
enum GroupMeResource: BackendResource {
    /// The user's account. It is the first call of every session, because the user's channel is named by the user's id
    /// (GroupMe GM-44).
    case me
    /// A page of the user's groups, counted from 1, without their members.
    case groups(page: Int)
    /// The groups that the user left or was removed from.
    case formerGroups
    /// One group with its members.
    case group(GroupMe.GroupID)
    /// A page of the user's directs, counted from 1.
    case chats(page: Int)
    /// The newest messages, fetched after a new message.
    case newest(GroupMe.ConversationID)
    /// A page of maximum size, before a message or up to the newest one. A walk of such pages checks everything that is
    /// held.
    case window(GroupMe.ConversationID, before: GroupMe.MessageID?)
    /// The messages just before `before`, fetched after an older message changed.
    case around(GroupMe.ConversationID, before: GroupMe.MessageID)
    /// The result of adding members to a group.
    case addedMembers(GroupMe.GroupID, results: String)
}

extension ResourceKey {
    static func groupMe(_ resource: GroupMeResource) -> ResourceKey { ResourceKey(resource) }
    var groupMe: GroupMeResource? { resource as? GroupMeResource }
}

extension GroupMeResource {
    var label: String {
        switch self {
        case .me: "account"
        case .groups(1): "groups"
        case .groups(let page): "groups, page \(page)"
        case .formerGroups: "former groups"
        case .group(let group): "group \(group)"
        case .chats(1): "directs"
        case .chats(let page): "directs, page \(page)"
        case .newest(let place), .window(let place, nil): "messages of \(place)"
        case .window(let place, let message?), .around(let place, let message): "messages of \(place) before \(message)"
        case .addedMembers(let group, _): "new members of group \(group)"
        }
    }

    var isPersistent: Bool {
        switch self {
        case .me, .groups, .formerGroups, .chats, .group, .newest, .window, .around: true
        case .addedMembers: false
        }
    }

    /// The conversation whose messages the resource contains; `nil` for other resources.
    var conversation: GroupMe.ConversationID? {
        switch self {
        case .newest(let place), .window(let place, _), .around(let place, _): place
        case .me, .groups, .formerGroups, .group, .chats, .addedMembers: nil
        }
    }

    /// Whether the answer contains the newest messages of a conversation.
    var isFirstPage: Bool {
        switch self {
        case .newest, .window(_, nil): true
        case .window, .around, .me, .groups, .formerGroups, .group, .chats, .addedMembers: false
        }
    }

    /// The group that the resource describes; `nil` for messages and lists.
    var group: GroupMe.GroupID? {
        switch self {
        case .group(let group), .addedMembers(let group, _): group
        case .me, .groups, .formerGroups, .chats, .newest, .window, .around: nil
        }
    }

    /// Whether the resource is a page of the list of groups.
    var isGroupList: Bool { if case .groups = self { true } else { false } }

    /// The tags by which requests for the resource can be cancelled.
    var tags: [RequestTag] {
        if let conversation { return [.channel(conversation.entity), .messages(of: conversation.entity)] }
        return group.map { [.channel($0.entity)] } ?? []
    }

    var outlivesRoom: Bool { if case .group = self { true } else { false } }

    /// A 304 is an empty page of messages (GroupMe GM-34).
    func isSuccess(_ status: Int) -> Bool { 200..<300 ~= status || (status == 304 && conversation != nil) }

    /// Returns the request and the decoder for the resource, or `nil` for a direct of other users.
    func reader(for user: GroupMe.UserID?) -> AnswerReader? {
        switch self {
        case .me: AnswerReader(GroupMeEndpoints.me)
        case .groups(let page): AnswerReader(GroupMeEndpoints.groups(page: page))
        case .formerGroups: AnswerReader(GroupMeEndpoints.formerGroups)
        case .group(let group): AnswerReader(GroupMeEndpoints.group(group))
        case .chats(let page): AnswerReader(GroupMeEndpoints.chats(page: page, user: user))
        case .newest, .window, .around: GroupMeEndpoints.messages(self, for: user).map { AnswerReader($0) }
        case .addedMembers(let group, let results):
            AnswerReader(GroupMeEndpoints.addedMembers(to: group, results: results))
        }
    }
}

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

/// The JSON bodies for GroupMe's REST service (GroupMe GM-29 to GM-43).
enum GroupMeBodies {
    /// Returns the body of a message to a group or, with a recipient, to a direct. Replies and pictures are
    /// attachments.
    static func message(
        _ text: String, re thread: EntityID?, pictures: [String] = [], as id: EntityID, to recipient: GroupMe.UserID?
    ) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key(recipient == nil ? "message" : "direct_message")
        writer.beginObject()
        writer.member("source_guid", id.description)
        writer.member("recipient_id", recipient?.description)
        if !text.isEmpty { writer.member("text", text) }
        writer.key("attachments")
        writer.beginArray()
        if let thread {
            writer.beginObject()
            writer.member("type", "reply")
            writer.member("reply_id", thread.description)
            writer.member("base_reply_id", thread.description)
            writer.endObject()
        }
        for address in pictures { picture(at: address, to: &writer) }
        writer.endArray()
        writer.endObject()
        writer.endObject()
        return writer.bytes
    }

    /// Appends a picture as an attachment.
    static func picture(at address: String, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("type", "image")
        writer.member("url", address)
        writer.endObject()
    }

    /// Returns the body that creates a group or changes one. Fields that are `nil` are left out.
    static func group(changedBy change: Action.ChannelChange) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("name", change.name)
        writer.member("description", change.description)
        writer.member("image_url", change.icon?.unlessEmpty)
        writer.member("share", change.visibility.map { $0 == .public })
        writer.endObject()
        return writer.bytes
    }

    /// Returns the body that adds members. Each gets a `guid` derived from `id`, which the results repeat.
    static func newMembers(_ users: [(id: EntityID, nickname: String)], guid id: EntityID) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("members")
        writer.beginArray()
        for user in users {
            writer.beginObject()
            writer.member("nickname", user.nickname)
            writer.member("user_id", user.id.description)
            writer.member("guid", "\(id)-\(user.id)")
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }

    /// Returns the body that rejoins a former group.
    static func rejoining(_ group: GroupMe.GroupID) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("group_id", group.entity.description)
        writer.endObject()
        return writer.bytes
    }

    /// Returns the body of a reaction with an emoji.
    static func reaction(_ code: String) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("like_icon")
        GroupMe.ReactionSymbol.unicode(code).encode(into: &writer)
        writer.endObject()
        return writer.bytes
    }
}
