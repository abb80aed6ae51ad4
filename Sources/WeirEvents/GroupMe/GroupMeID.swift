import WeirJSON

extension GroupMe {
    /// The id of one kind of entity. The wire writes an id as a string in one place and as a number in
    /// another (GroupMe GM-24); both are the same id.
    ///
    /// Identity is by text. The order is that of numbers, never that of texts, because ids of
    /// different lengths occur (GroupMe GM-28).
    public struct ID<Subject>: Hashable, Comparable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
        /// The id without its kind.
        public let entity: EntityID

        /// Creates an id of this kind.
        public init(_ entity: EntityID) { self.entity = entity }

        /// Creates the id written as `text`.
        public init(_ text: String) { self.init(EntityID(text)) }

        /// Creates the id written as `text`.
        public init(stringLiteral text: String) { self.init(text) }

        /// The id in the spelling of the wire.
        public var description: String { entity.description }

        /// Orders numbers by value, however long they are, and after them all other ids by text.
        public static func < (a: ID, b: ID) -> Bool {
            let (text, other) = (a.description, b.description)
            return switch (Digits(text), Digits(other)) {
            case (let number?, let second?): number == second ? text < other : number < second
            case (.some, nil): true
            case (nil, .some): false
            case (nil, nil): text < other
            }
        }
    }

    /// The id of a user. Two values are not users: `system` sends the server's messages, and
    /// `-1` mentions everybody (GroupMe GM-28).
    public typealias UserID = ID<User>
    /// The id of a group, or of a topic, which is a group of its own (GroupMe GM-6).
    public typealias GroupID = ID<Group>
    /// The id of a membership, which differs from the id of its user. Members are removed by it (GroupMe GM-28).
    public typealias MembershipID = ID<Member>
    /// The id of a message. It does not order messages on its own; `Message.place` does.
    public typealias MessageID = ID<Message>
    /// The id of a poll.
    public typealias PollID = ID<Poll>
    /// The id of an event of a group's calendar.
    public typealias CalendarID = ID<CalendarChange>
}

extension GroupMe.ID where Subject == GroupMe.User {
    /// `system`: the sender of the server's messages.
    public static var system: Self { "system" }
    /// `-1`: every member of the group, in a mention.
    public static var everybody: Self { "-1" }
}

/// A text of digits only, compared by the number that it represents, of any size.
private struct Digits: Comparable {
    /// The digits without leading zeros.
    private let significant: Substring.UTF8View

    init?(_ text: String) {
        guard !text.isEmpty, text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else { return nil }
        significant = text.utf8.drop { $0 == UInt8(ascii: "0") }
    }

    static func == (a: Self, b: Self) -> Bool { a.significant.elementsEqual(b.significant) }

    static func < (a: Self, b: Self) -> Bool {
        if a.significant.count != b.significant.count { return a.significant.count < b.significant.count }
        return a.significant.lexicographicallyPrecedes(b.significant)
    }
}

extension JSONReader {
    /// Reads an id, which is a string or a number; returns `nil` for null and the empty string.
    mutating func groupMeID<Subject>() throws(Mismatch) -> GroupMe.ID<Subject>? {
        guard let id = try idIfAny() else { return nil }
        return GroupMe.ID(id)
    }

    /// Reads a list of ids; null counts as an empty list.
    mutating func groupMeIDs<Subject>() throws(Mismatch) -> [GroupMe.ID<Subject>] {
        var ids: [GroupMe.ID<Subject>] = []
        for id in try self.ids() { ids.append(GroupMe.ID(id)) }
        return ids
    }
}

extension JSONWriter {
    mutating func member<Subject>(_ name: StaticString, _ id: GroupMe.ID<Subject>?) { member(name, id?.entity) }

    mutating func member<Subject>(_ name: StaticString, _ ids: [GroupMe.ID<Subject>]?) {
        guard let ids else { return }
        key(name)
        beginArray()
        for id in ids { id.entity.write(into: &self) }
        endArray()
    }
}

extension GroupMe.ID: FieldValue, FieldScalar {
    static func read(from reader: inout JSONReader, _ form: FieldForm) throws(Mismatch) -> Self? {
        try reader.groupMeID()
    }
    func write(into writer: inout JSONWriter) { entity.write(into: &writer) }
    var isBlank: Bool { entity.isNone }
}

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
