package import WeirEvents
package import WeirJSON

/// The true state of groups and direct conversations, from which REST answers and pushes are made. The rules cited are
/// those of `GroupMeAndBayeux.md`.
///
/// Its only input is the users' actions (`perform`). It has no clock: each action carries the time in milliseconds
/// since 1970, which must not go back.
package struct GroupMeWorld: Sendable {
    /// Limits that keep scripts and clients from growing the world without bound.
    enum Limit {
        static let groups = 500
        static let members = 1_000
        /// Messages of one conversation. Beyond this the oldest is dropped without a push.
        static let messages = 5_000
        /// Characters of a text (GroupMe GM-37), a name and a description (GroupMe GM-31).
        static let text = 1_000
        static let name = 140
        static let description = 255
        static let attachments = 20
    }

    package struct User: Hashable, Sendable {
        package var id: GroupMe.UserID
        var name: String
        var createdAt: Int64
    }

    package struct Membership: Hashable, Sendable {
        var id: GroupMe.MembershipID
        package var user: GroupMe.UserID
        var nickname: String
        var roles: [String] = []
    }

    package struct Group: Hashable, Sendable {
        package var id: GroupMe.GroupID
        var name: String
        var description = ""
        var imageURL: String?
        package var creator: GroupMe.UserID
        /// Seconds since 1970, as for all times of groups and messages except `deletedAt`.
        var createdAt: Int64
        var updatedAt: Int64
        var isShared = false
        var members: [Membership]
        /// The memberships of users who left and may rejoin.
        package var former: [Membership] = []
        /// The memberships of users who were removed.
        var removed: [Membership] = []

        package func membership(of user: GroupMe.UserID) -> Membership? { members.first { $0.user == user } }
    }

    package struct Message: Hashable, Sendable {
        struct Reaction: Hashable, Sendable {
            var symbol: GroupMe.ReactionSymbol
            var users: [GroupMe.UserID]
        }
        package var id: GroupMe.MessageID
        /// The sender; `nil` for the server.
        package var sender: GroupMe.UserID?
        var name: String
        /// The recipient in a direct conversation; `nil` in a group.
        var recipient: GroupMe.UserID?
        package var text: String?
        var attachments: [JSONValue] = []
        package var createdAt: Int64
        /// Milliseconds since 1970, because the frame that reports a deletion has fractions of a second.
        package var deletedAt: Int64?
        var updatedAt: Int64?
        var pinnedAt: Int64?
        var pinnedBy: GroupMe.UserID?
        package var guid: String
        var reactions: [Reaction] = []
        var event: JSONValue?
    }

    /// The messages of a group or a direct conversation.
    package struct Thread: Sendable {
        package var messages: [Message] = []
        /// The number of messages ever sent in the conversation.
        var count = 0
        /// Each reader's last read message, and the time of reading in seconds since 1970.
        var readers: [GroupMe.UserID: (GroupMe.MessageID, Int64)] = [:]

        func index(of message: GroupMe.MessageID) -> Int? { messages.lastIndex { $0.id == message } }
    }

    package let users: [User]
    package var groups: [Group] = []
    package var threads: [GroupMe.ConversationID: Thread] = [:]
    /// The direct conversations in the order in which they began.
    package var directs: [GroupMe.ConversationID] = []
    /// The time at which each sender's `source_guid` was seen, to recognise a message that is sent twice.
    var guids: [String: Int64] = [:]
    var lastMessage: Int64 = 0
    var lastGroup: Int64 = 10_000_000
    var lastMembership: Int64 = 1_000_000_000

    package init(users: [User]) { self.users = users }

    func user(_ id: GroupMe.UserID) -> User? { users.first { $0.id == id } }

    func group(_ id: GroupMe.GroupID) -> Group? { groups.first { $0.id == id } }

    func index(of id: GroupMe.GroupID) -> Int? { groups.firstIndex { $0.id == id } }

    /// Returns the groups of which a user is a member, most recently active first.
    package func groups(of user: GroupMe.UserID) -> [Group] {
        let own = groups.filter { $0.membership(of: user) != nil }
        return own.sorted { a, b in
            let (first, second) = (activity(of: a), activity(of: b))
            return first == second ? b.id < a.id : second < first
        }
    }

    private func activity(of group: Group) -> Int64 {
        max(group.createdAt, threads[.group(group.id)]?.messages.last?.createdAt ?? 0)
    }

    /// Returns a user's direct conversations that contain messages, most recently active first.
    package func directs(of user: GroupMe.UserID) -> [GroupMe.ConversationID] {
        let own = directs.filter { $0.partner(of: user) != nil && threads[$0]?.messages.isEmpty == false }
        return own.sorted { a, b in
            let (first, second) = (threads[a]?.messages.last, threads[b]?.messages.last)
            return (second?.id ?? "") < (first?.id ?? "")
        }
    }

    /// Returns whether a user may see the messages of a conversation.
    func isVisible(_ conversation: GroupMe.ConversationID, to user: GroupMe.UserID) -> Bool {
        switch conversation {
        case .group(let group): self.group(group)?.membership(of: user) != nil
        case .direct(let low, let high): user == low || user == high
        }
    }

    /// Returns a user's display name in a conversation.
    func name(of user: GroupMe.UserID, in conversation: GroupMe.ConversationID) -> String {
        let nickname = conversation.group.flatMap { group($0)?.membership(of: user)?.nickname }
        return nickname ?? self.user(user)?.name ?? user.description
    }

    /// Returns the users who receive the messages of a conversation.
    func listeners(of conversation: GroupMe.ConversationID) -> [GroupMe.UserID] {
        switch conversation {
        case .group(let group): self.group(group)?.members.map(\.user) ?? []
        case .direct(let low, let high): [low, high]
        }
    }

    /// Returns a new message id: the time in seconds, followed by eight digits of a counter (GroupMe GM-28).
    mutating func newMessageID(at now: Int64) -> GroupMe.MessageID {
        lastMessage = max(lastMessage + 1, now / 1000 * 100_000_000 + 1)
        return GroupMe.MessageID(String(lastMessage))
    }

    mutating func newMembership(_ user: GroupMe.UserID, _ nickname: String, _ roles: [String] = []) -> Membership {
        lastMembership += 1
        return Membership(
            id: GroupMe.MembershipID(String(lastMembership)), user: user, nickname: nickname, roles: roles)
    }
}

/// The reason why the world refuses an action.
package enum GroupMeRefusal: Error, Hashable, Sendable {
    /// The target does not exist, or the user may not see it.
    case notFound
    /// A required value is missing or too long.
    case bad(String)
    /// The user may not perform the action.
    case forbidden
    /// A message with this `source_guid` was sent within the last minute.
    case repeated
}

/// The actions that users can perform.
package enum GroupMeAction: Hashable, Sendable {
    case say(GroupMe.ConversationID, text: String?, attachments: [JSONValue] = [], guid: String)
    case edit(GroupMe.ConversationID, GroupMe.MessageID, text: String)
    case delete(GroupMe.ConversationID, GroupMe.MessageID)
    /// Sets the user's only reaction to the message; `nil` removes it.
    case react(GroupMe.ConversationID, GroupMe.MessageID, GroupMe.ReactionSymbol?)
    case pin(GroupMe.ConversationID, GroupMe.MessageID, Bool)
    case read(GroupMe.ConversationID, GroupMe.MessageID)
    case type(GroupMe.ConversationID)
    case make(name: String, description: String, imageURL: String?, isShared: Bool)
    case change(GroupMe.GroupID, name: String?, description: String?, imageURL: String?, isShared: Bool? = nil)
    case destroy(GroupMe.GroupID)
    case add(GroupMe.GroupID, [GroupMe.UserID], nicknames: [String])
    case remove(GroupMe.GroupID, GroupMe.UserID)
    case rejoin(GroupMe.GroupID)
    case rename(GroupMe.GroupID, nickname: String)
}

/// Data to publish on one channel.
package struct GroupMePublication: Hashable, Sendable {
    package var channel: GroupMe.Channel
    package var data: JSONValue
}

/// The result of an action.
package struct GroupMeOutcome: Sendable {
    var publications: [GroupMePublication] = []
    /// The message or group that the action created or changed.
    var message: GroupMe.MessageID?
    package var group: GroupMe.GroupID?
}

extension GroupMeWorld {
    /// Performs a user's action. A refused action changes nothing.
    package mutating func perform(
        _ action: GroupMeAction, by user: GroupMe.UserID, at now: Int64
    ) throws(GroupMeRefusal) -> GroupMeOutcome {
        guard self.user(user) != nil else { throw .forbidden }
        switch action {
        case .say(let conversation, let text, let attachments, let guid):
            return try say(text, attachments, in: conversation, guid: guid, by: user, at: now)
        case .edit(let conversation, let message, let text):
            return try edit(message, in: conversation, text: text, by: user, at: now)
        case .delete(let conversation, let message):
            return try delete(message, in: conversation, by: user, at: now)
        case .react(let conversation, let message, let symbol):
            return try react(to: message, in: conversation, with: symbol, by: user, at: now)
        case .pin(let conversation, let message, let isPinned):
            return try pin(message, in: conversation, isPinned, by: user, at: now)
        case .read(let conversation, let message): return try read(message, in: conversation, by: user, at: now)
        case .type(let conversation): return try type(in: conversation, by: user, at: now)
        case .make(let name, let description, let imageURL, let isShared):
            return try make(name, description, imageURL, isShared: isShared, by: user, at: now)
        case .change(let group, let name, let description, let imageURL, let isShared):
            return try change(
                group, name: name, description: description, imageURL: imageURL, isShared: isShared, by: user, at: now)
        case .destroy(let group): return try destroy(group, by: user, at: now)
        case .add(let group, let users, let nicknames):
            return try add(users, nicknames, to: group, by: user, at: now)
        case .remove(let group, let member): return try remove(member, from: group, by: user, at: now)
        case .rejoin(let group): return try rejoin(group, by: user, at: now)
        case .rename(let group, let nickname): return try rename(to: nickname, in: group, by: user, at: now)
        }
    }
}

/// The true state for one user: what a client's model must contain once nothing more happens. It is parsed from the
/// answers the server would give.
package struct GroupMeTruth: Hashable, Sendable {
    /// The groups of which the user is a member, most recently active first, with their members.
    package var groups: [GroupMe.GroupRecord]
    /// The groups that the user left and may rejoin.
    package var former: [GroupMe.Group]
    /// The direct conversations with messages, most recently active first.
    package var chats: [GroupMe.Chat]
    /// The messages of all these conversations, oldest first.
    package var messages: [GroupMe.ConversationID: [GroupMe.Message]]
    /// The partner's read position in each direct conversation, in the order of those conversations.
    package var receipts: [GroupMe.ReadReceipt]
}

extension GroupMeWorld {
    package func truth(for user: GroupMe.UserID) -> GroupMeTruth {
        let own = groups(of: user)
        let directs = directs(of: user)
        let left = groups.filter { $0.former.contains { $0.user == user } }
        var messages: [GroupMe.ConversationID: [GroupMe.Message]] = [:]
        for conversation in own.map({ GroupMe.ConversationID.group($0.id) }) + directs {
            let said = threads[conversation]?.messages.map { answered($0, in: conversation) } ?? []
            let body = Self.body(.fields(["messages": .array(said)]))
            messages[conversation] = try? GroupMe.messages(from: body, of: conversation).messages
        }
        return GroupMeTruth(
            groups: (try? GroupMe.groups(from: Self.body(.array(own.map { answered($0) })))) ?? [],
            former: ((try? GroupMe.groups(from: Self.body(.array(left.map { answered($0) })))) ?? []).map(\.group),
            chats: (try? GroupMe.chats(
                from: Self.body(.array(directs.map { answered($0, for: user) })), user: user)) ?? [],
            messages: messages,
            receipts: directs.compactMap { direct in
                guard let partner = direct.partner(of: user), let (message, time) = threads[direct]?.readers[partner]
                else { return nil }
                return GroupMe.ReadReceipt(
                    conversation: direct, message: message, user: partner,
                    readAt: Timestamp(milliseconds: time * 1000))
            })
    }

    private static func body(_ response: JSONValue) -> ArraySlice<UInt8> {
        JSONValue.fields(["response": response]).raw.bytes
    }
}
