import Events

/// What is asked of GroupMe's REST service, as a key of refetches (`reference/groupme.md` section 3).
enum GroupMeResource: BackendResource {
    /// Who the user is: the first call of any session, since the channel of the user's pushes is named by it (3.6).
    case me
    /// A page of the user's groups, from 1, without their members.
    case groups(page: Int)
    /// The groups the user left, or was taken out of.
    case formerGroups
    /// A group and who is in it.
    case group(GroupMe.GroupID)
    /// A page of the user's directs, from 1.
    case chats(page: Int)
    /// The messages up to the newest one: those around a message that was just said.
    case newest(GroupMe.ConversationID)
    /// As many messages as one answer may have, before that one or up to the newest: what is known of them is seen again.
    case window(GroupMe.ConversationID, before: GroupMe.MessageID?)
    /// Some messages before that one: those around an older message that changed.
    case around(GroupMe.ConversationID, before: GroupMe.MessageID)
    /// Whether members that were asked for are in the group.
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

    /// The conversation whose messages it is about.
    var conversation: GroupMe.ConversationID? {
        switch self {
        case .newest(let place), .window(let place, _), .around(let place, _): place
        case .me, .groups, .formerGroups, .group, .chats, .addedMembers: nil
        }
    }

    /// Whether its answer has the newest messages.
    var isFirstPage: Bool {
        switch self {
        case .newest, .window(_, nil): true
        case .window, .around, .me, .groups, .formerGroups, .group, .chats, .addedMembers: false
        }
    }

    /// The group it is about, but for its messages.
    var group: GroupMe.GroupID? {
        switch self {
        case .group(let group), .addedMembers(let group, _): group
        case .me, .groups, .formerGroups, .chats, .newest, .window, .around: nil
        }
    }

    /// Whether it is a page of the list of groups.
    var isGroupList: Bool { if case .groups = self { true } else { false } }

    /// What it belongs to.
    var tags: [RequestTag] {
        if let conversation { return [.channel(conversation.entity), .messages(of: conversation.entity)] }
        return group.map { [.channel($0.entity)] } ?? []
    }

    var outlivesRoom: Bool { if case .group = self { true } else { false } }

    /// 304 is an empty page (3.4).
    func isSuccess(_ status: Int) -> Bool { 200..<300 ~= status || (status == 304 && conversation != nil) }

    /// How `user` asks for it, and how the answer is read; nil for a direct that is not the user's.
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
