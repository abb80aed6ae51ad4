import JSONText

extension GroupMe {
    /// Where messages are: a group, or two users.
    public enum ConversationID: Hashable, Comparable, Sendable, CustomStringConvertible {
        /// A group or a topic.
        case group(GroupID)
        /// What two users say to each other: their ids, the smaller number first. Made by `direct(between:and:)`, which sorts them.
        case direct(UserID, UserID)

        /// The conversation of two users, in whichever order.
        public static func direct(between a: UserID, and b: UserID) -> ConversationID {
            a < b ? .direct(a, b) : .direct(b, a)
        }

        /// Reads `lo+hi`, as REST and payloads have it, `lo_hi`, as channels have it, each in either order, or a group's id (1.6). Nil
        /// when there is nothing to read.
        public init?(_ text: String) {
            guard !text.isEmpty else { return nil }
            let parts = text.split(omittingEmptySubsequences: false) { $0 == "+" || $0 == "_" }
            if parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty {
                self = .direct(between: UserID(String(parts[0])), and: UserID(String(parts[1])))
            } else {
                self = .group(GroupID(text))
            }
        }

        /// The group's id, or `lo+hi`.
        public var description: String {
            switch self {
            case .group(let group): group.description
            case .direct(let low, let high): "\(low)+\(high)"
            }
        }

        /// The conversation's id as an entity's: the group's, or `lo+hi`.
        public var entity: EntityID {
            switch self {
            case .group(let group): group.entity
            case .direct: EntityID(description)
            }
        }

        /// The group; nil for a direct.
        public var group: GroupID? { if case .group(let group) = self { group } else { nil } }

        /// Whom `user` talks to; nil in a group, and for somebody else's direct.
        public func partner(of user: UserID) -> UserID? {
            guard case .direct(let low, let high) = self else { return nil }
            if user == low { return high }
            return user == high ? low : nil
        }

        /// Groups before directs, each by their ids.
        public static func < (a: Self, b: Self) -> Bool {
            switch (a, b) {
            case (.group(let group), .group(let other)): group < other
            case (.group, .direct): true
            case (.direct, .group): false
            case (.direct(let low, let high), .direct(let otherLow, let otherHigh)):
                (low, high) < (otherLow, otherHigh)
            }
        }
    }

    /// A channel of the push service, which is what Weir calls a room (1.6).
    public enum Channel: Hashable, Sendable, CustomStringConvertible {
        /// `/user/{id}`: what concerns a user, all messages of all conversations among it.
        case user(UserID)
        /// `/group/{id}` or `/direct_message/{lo}_{hi}`: typing, reactions, edits and deletions in a conversation.
        case conversation(ConversationID)
        /// Any other, as written.
        case other(String)

        /// The channel called `name`. A direct's ids may be in either order, and joined by `+`.
        public init(_ name: String) {
            let parts = name.split(separator: "/", omittingEmptySubsequences: false)
            guard parts.count == 3, parts[0].isEmpty, !parts[2].isEmpty else {
                self = .other(name)
                return
            }
            let id = String(parts[2])
            self =
                switch (parts[1], ConversationID(id)) {
                case ("user", _): .user(UserID(id))
                case ("group", _): .conversation(.group(GroupID(id)))
                case ("direct_message", .direct(let low, let high)?): .conversation(.direct(low, high))
                case (_, _): .other(name)
                }
        }

        /// The name to subscribe by. A direct's ids ascend and are joined by `_`: any other form is accepted and delivers nothing.
        public var description: String {
            switch self {
            case .user(let user): "/user/\(user)"
            case .conversation(.group(let group)): "/group/\(group)"
            case .conversation(.direct(let low, let high)): "/direct_message/\(low)_\(high)"
            case .other(let name): name
            }
        }

        /// The conversation, when the channel is that of one.
        public var conversation: ConversationID? {
            if case .conversation(let conversation) = self { conversation } else { nil }
        }
    }
}

extension JSONReader {
    /// A conversation's id; null and the empty string give nil.
    mutating func conversationIfAny() throws(Mismatch) -> GroupMe.ConversationID? {
        guard let id = try idIfAny() else { return nil }
        return GroupMe.ConversationID(id.description)
    }
}

extension JSONWriter {
    mutating func member(_ name: StaticString, _ conversation: GroupMe.ConversationID?) {
        member(name, conversation?.entity)
    }
}
