extension Twake {
    /// One unread thread (B). Its identity is (company, user, workspace, channel, thread), never the wire's `id`, which is new each time.
    public struct Badge: Hashable, Sendable {
        /// The company of the thread.
        public var company: EntityID
        /// The workspace; `direct` for directs of any company.
        public var workspace: EntityID
        /// The channel of the thread.
        public var channel: EntityID
        /// The unread thread; the message's id when the wire has none.
        public var thread: EntityID
        /// Who has not read it.
        public var user: EntityID?
        /// The last message that was not read.
        public var message: EntityID?
    }

    /// An unread counter of era A: the proxy counts unread threads per company, workspace and channel.
    public struct BadgeCount: Hashable, Sendable {
        /// The level of the hierarchy.
        public struct Level: WireEnumeration {
            /// All of a company.
            public static var company: Self { "company" }
            /// All of a workspace; of all directs under the id `direct`.
            public static var workspace: Self { "workspace" }
            /// One channel.
            public static var channel: Self { "channel" }

            /// The name as it was written.
            public let wireName: String
            /// The value the wire calls `name`.
            public init(wire name: String) { wireName = name }
        }
        /// What the counter counts over.
        public var level: Level
        /// The company, workspace or channel; `direct` is no workspace of its own and one for all companies.
        public var id: EntityID
        /// Unread threads, not messages.
        public var count: Int

        /// Whether this is the counter of that entity.
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
