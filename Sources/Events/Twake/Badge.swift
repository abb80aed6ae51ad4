extension Twake {
    /// An unread thread (B). Its identity is (company, user, workspace, channel, thread), never the wire's
    /// `id`, which is new each time.
    public struct Badge: Hashable, Sendable {
        /// The company of the thread.
        public var company: EntityID
        /// The workspace; `direct` for directs of any company.
        public var workspace: EntityID
        /// The channel of the thread.
        public var channel: EntityID
        /// The unread thread; the message's id if the wire has none.
        public var thread: EntityID
        /// The user who has not read the thread.
        public var user: EntityID?
        /// The last message that the user has not read.
        public var message: EntityID?
    }

    /// An unread counter of era A. The proxy counts unread threads per company, workspace and channel.
    public struct BadgeCount: Hashable, Sendable {
        /// The level of the hierarchy that a counter covers.
        public struct Level: WireEnumeration {
            /// The counter covers a whole company.
            public static var company: Self { "company" }
            /// The counter covers a whole workspace, or all directs under the id `direct`.
            public static var workspace: Self { "workspace" }
            /// The counter covers a single channel.
            public static var channel: Self { "channel" }

            /// The name as written on the wire.
            public let wireName: String
            /// Creates the value that the wire calls `name`.
            public init(wire name: String) { wireName = name }
        }
        /// The level that the counter covers.
        public var level: Level
        /// The company, workspace or channel. The id `direct` is not a workspace and is shared by all companies.
        public var id: EntityID
        /// The number of unread threads, not of messages.
        public var count: Int

        /// Returns whether this is the counter of the given entity.
        public func matches(_ level: Level, _ id: EntityID) -> Bool { self.level == level && self.id == id }
    }
}

extension Twake.Badge: FieldedEntity {
    package static let subject = "badge"
    package static let blank = Self(company: .none, workspace: .none, channel: .none, thread: .none)
    package static let fields: [Field<Self>] = [
        Field("company_id", at: \.company).required,
        Field("workspace_id", at: \.workspace).required,
        Field("channel_id", at: \.channel).required,
        Field("thread_id", at: \.thread).required,
        Field("user_id", at: \.user),
        Field("message_id", at: \.message),
    ]

    package mutating func complete() {
        if thread.isNone, let message { thread = message }
    }
}

extension Twake.BadgeCount: FieldedEntity {
    package static let subject = "badge count"
    package static let blank = Self(level: .company, id: .none, count: 0)
    package static let fields: [Field<Self>] = [
        Field("type", at: \.level).required,
        Field("id", at: \.id).required,
        Field("count", at: \.count).required,
    ]
}

extension Twake.BadgeCount.Level: FieldScalar {}
