extension Twake {
    /// A message of any era (Twake TW-37, TW-72, TW-80). Its `fields` can be read and set as properties of the message.
    /// They are stored in one shared object, because a message is passed on and stored many times.
    @dynamicMemberLookup
    public struct Message: Hashable, Sendable {
        @usableFromInline private(set) var shared: Shared<Fields>

        /// The contents of a message. Era B's events do not contain the channel; it is taken from the room.
        public struct Fields: Hashable, Sendable {
            /// The message's id, which stays the same when the message moves to another thread.
            public var id: EntityID
            /// The thread's id; equal to `id` for a head message. An empty or null thread of era A becomes `id`.
            public var thread: EntityID
            /// The channel, if the payload contains it.
            public var channel: EntityID?
            /// The sender: a user, or the application if no user sent the message.
            public var user: EntityID?
            /// The sender's display name, if the payload contains one (era A; era B with `include_users`).
            public var senderName: String?
            /// The text: `text` (B), `content.original_str` (A); empty if there is none.
            public var text = ""
            /// The subtype; `nil` for an ordinary message of a user. A deleted message has the subtype `deleted`
            /// (Twake TW-39).
            public var subtype: MessageSubtype?
            /// The time the message was sent.
            public var createdAt: Timestamp?
            /// The time of the last change. On era A, edits and reactions do not set it (Twake TW-77).
            public var updatedAt: Timestamp?
            /// The time the text was last edited (B).
            public var editedAt: Timestamp?
            /// The reactions to the message, in wire order.
            public var reactions: [Reaction] = []
            /// The number of replies without the head message; `nil` when not sent (B:
            /// `stats.replies` − 1; A: `responses_count`).
            public var replies: Int?
            /// The time of the last message in the thread. Only head messages from the REST service contain
            /// it (B: `stats.last_activity`).
            public var threadActivity: Timestamp?
            /// The fields that few messages have; `nil` if this message has none of them, so that they cost nothing.
            var details: Shared<Details>?
        }

        init(_ fields: Fields) { shared = Shared(fields) }

        /// The fields of the message as one value.
        @inlinable
        public var fields: Fields { shared.value }

        /// One field of the message, by key path. Each assignment copies all fields; `update(_:)` sets
        /// several at the cost of one copy.
        @inlinable
        public subscript<Value>(dynamicMember field: WritableKeyPath<Fields, Value>) -> Value {
            get { shared.value[keyPath: field] }
            set { update { $0[keyPath: field] = newValue } }
        }

        /// Changes several fields at the cost of one copy.
        public mutating func update(_ change: (inout Fields) -> Void) {
            var fields = shared.value
            change(&fields)
            shared = Shared(fields)
        }

        /// Whether the message is the head of a thread.
        public var isHead: Bool { self.thread == self.id }

        /// Whether the message is deleted. Its position and ids remain, and its text states the deletion (Twake TW-39).
        public var isDeleted: Bool { self.subtype == .deleted }

        /// The sender in readable form: the display name if it is known, else the id; `nil` if
        /// the message names no sender.
        public var sender: String? { self.senderName ?? self.user?.description }

        /// Returns whether `user` has read the message. `lastAccess` is the time the user last read its channel. A
        /// message that the user sent is read, and so is a message without a time.
        public func isRead(by user: EntityID?, lastAccess: Timestamp?) -> Bool {
            if let user, self.user == user { return true }
            guard let createdAt = self.createdAt else { return true }
            return lastAccess.map { createdAt <= $0 } ?? false
        }

        /// Creates a message from its common fields.
        public init(
            id: EntityID, thread: EntityID, channel: EntityID? = nil, user: EntityID? = nil, senderName: String? = nil,
            text: String, subtype: MessageSubtype? = nil, createdAt: Timestamp? = nil, updatedAt: Timestamp? = nil,
            editedAt: Timestamp? = nil, isPinned: Bool = false, reactions: [Reaction] = [], replies: Int? = nil
        ) {
            var fields = Fields(
                id: id, thread: thread, channel: channel, user: user, senderName: senderName, text: text,
                subtype: subtype, createdAt: createdAt, updatedAt: updatedAt, editedAt: editedAt, reactions: reactions,
                replies: replies)
            if isPinned { fields.isPinned = true }
            self.init(fields)
        }
    }

    /// The reactions to a message with one emoji.
    public struct Reaction: Hashable, Sendable {
        /// The emoji, as a character or as `:shortname:`.
        public var name: String
        /// The number of users who reacted with the emoji, as the server counts.
        public var count: Int
        /// The users who reacted with the emoji.
        public var users: [EntityID]

        /// Creates the reactions with one emoji.
        public init(name: String, count: Int, users: [EntityID]) {
            self.name = name
            self.count = count
            self.users = users
        }
    }
}
