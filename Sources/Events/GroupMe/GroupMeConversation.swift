import JSONText

extension GroupMe {
    /// A conversation: a group, or a direct between two users.
    public enum ConversationID: Hashable, Comparable, Sendable, CustomStringConvertible {
        /// A group, or a topic of a group.
        case group(GroupID)
        /// A direct between two users, the smaller id first. `direct(between:and:)` sorts the ids.
        case direct(UserID, UserID)

        /// Returns the conversation of two users, in whichever order.
        public static func direct(between a: UserID, and b: UserID) -> ConversationID {
            a < b ? .direct(a, b) : .direct(b, a)
        }

        /// Reads `lo+hi`, as in REST and payloads, `lo_hi`, as in channels, each in either order, or a group's id
        /// (GroupMe GM-5). Returns `nil` for an empty text.
        public init?(_ text: String) {
            guard !text.isEmpty else { return nil }
            let parts = text.split(omittingEmptySubsequences: false) { $0 == "+" || $0 == "_" }
            if parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty {
                self = .direct(between: UserID(String(parts[0])), and: UserID(String(parts[1])))
            } else {
                self = .group(GroupID(text))
            }
        }

        /// The group's id; `lo+hi` for a direct.
        public var description: String {
            switch self {
            case .group(let group): group.description
            case .direct(let low, let high): "\(low)+\(high)"
            }
        }

        /// The conversation's id as that of an entity: the group's, or `lo+hi`.
        public var entity: EntityID {
            switch self {
            case .group(let group): group.entity
            case .direct: EntityID(description)
            }
        }

        /// The group; `nil` for a direct.
        public var group: GroupID? { if case .group(let group) = self { group } else { nil } }

        /// Returns the user that `user` talks to; `nil` in a group, and in a direct of other users.
        public func partner(of user: UserID) -> UserID? {
            guard case .direct(let low, let high) = self else { return nil }
            if user == low { return high }
            return user == high ? low : nil
        }

        /// Orders groups before directs, and each kind by its ids.
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

    /// A channel of the push service. Weir calls it a room (GroupMe GM-4).
    public enum Channel: Hashable, Sendable, CustomStringConvertible {
        /// `/user/{id}`: the events of a user, including the messages of all conversations.
        case user(UserID)
        /// `/group/{id}` or `/direct_message/{lo}_{hi}`: typing, reactions, edits and deletions in a conversation.
        case conversation(ConversationID)
        /// Any other channel, as written.
        case other(String)

        /// Creates the channel called `name`. A direct's ids may be in either order, and joined by `+`.
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

        /// The name to subscribe to. A direct's ids ascend and are joined by `_`: the server accepts any
        /// other form but delivers nothing.
        public var description: String {
            switch self {
            case .user(let user): "/user/\(user)"
            case .conversation(.group(let group)): "/group/\(group)"
            case .conversation(.direct(let low, let high)): "/direct_message/\(low)_\(high)"
            case .other(let name): name
            }
        }

        /// The conversation, if the channel belongs to one.
        public var conversation: ConversationID? {
            if case .conversation(let conversation) = self { conversation } else { nil }
        }
    }
}

extension JSONReader {
    /// Reads the id of a conversation; returns `nil` for null and the empty string.
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
