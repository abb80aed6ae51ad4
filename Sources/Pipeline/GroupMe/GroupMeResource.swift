import Events

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
