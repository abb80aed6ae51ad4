extension Twake {
    /// A message of any era (3.3, 4.3, 4.4). What is known of it is in its `fields`, all of which can be read as if they were its own;
    /// they are behind one reference, since a message is handed on and kept many times.
    @dynamicMemberLookup
    public struct Message: Hashable, Sendable {
        @usableFromInline private(set) var shared: Shared<Fields>

        /// What is known of a message. The channel is not in era B's events; it is taken from the room.
        public struct Fields: Hashable, Sendable {
            /// The message's id; it stays when the message moves to another thread.
            public var id: EntityID
            /// The thread's id; equal to `id` for a head message. Era A's empty or null thread is normalised to `id`.
            public var thread: EntityID
            /// The channel, where the payload has it.
            public var channel: EntityID?
            /// Who sent it: a user, or the application when no user did.
            public var user: EntityID?
            /// The sender's display name, where the payload has one (era A; era B with `include_users`).
            public var senderName: String?
            /// The text: `text` (B), `content.original_str` (A); empty when there is none.
            public var text = ""
            /// Nil for what a user said; a deleted message is one of subtype `deleted` (3.3).
            public var subtype: MessageSubtype?
            /// When it was sent.
            public var createdAt: Timestamp?
            /// When it last changed; on era A not by an edit or a reaction (4.3).
            public var updatedAt: Timestamp?
            /// When its text was last edited (B).
            public var editedAt: Timestamp?
            /// The reactions to it, in the order of the wire.
            public var reactions: [Reaction] = []
            /// Replies without the head message; nil when not sent (B: `stats.replies` − 1; A: `responses_count`).
            public var replies: Int?
            /// When something was last said in its thread; only heads that the REST service gives have it (B: `stats.last_activity`).
            public var threadActivity: Timestamp?
            /// What few messages have; nil when this one has none of it, which so costs nothing.
            var details: Shared<Details>?
        }

        /// A message of these fields.
        init(_ fields: Fields) { shared = Shared(fields) }

        /// What is known of it.
        @inlinable
        public var fields: Fields { shared.value }

        /// One of its fields. Each that is set by itself costs a copy of all.
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

        /// Head message of a thread.
        public var isHead: Bool { self.thread == self.id }

        /// Whether it was deleted: its place and ids are left, and a text that says so (3.3).
        public var isDeleted: Bool { self.subtype == .deleted }

        /// Who sent it, for people: the display name, where that is known, else the id; nil when nobody is named.
        public var sender: String? { self.senderName ?? self.user?.description }

        /// Whether `user` has read it, who last read its channel at `lastAccess`: what one sent oneself is read, and so is what has no time.
        public func isRead(by user: EntityID?, lastAccess: Timestamp?) -> Bool {
            if let user, self.user == user { return true }
            guard let createdAt = self.createdAt else { return true }
            return lastAccess.map { createdAt <= $0 } ?? false
        }

        /// A message of these fields.
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

    /// One emoji's reactions.
    public struct Reaction: Hashable, Sendable {
        /// The emoji, raw or as `:shortname:`.
        public var name: String
        /// How many users reacted with it, as the server counts.
        public var count: Int
        /// Those users.
        public var users: [EntityID]

        /// The reactions with one emoji.
        public init(name: String, count: Int, users: [EntityID]) {
            self.name = name
            self.count = count
            self.users = users
        }
    }
}
