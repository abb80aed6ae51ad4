extension Twake {
    /// A user's membership of a channel (3.3). Fields absent or null on the wire are nil.
    public struct ChannelMember: Hashable, Sendable {
        /// The channel.
        public var channel: EntityID
        /// The company it belongs to.
        public var company: EntityID?
        /// The workspace; `direct` for directs.
        public var workspace: EntityID?
        /// Nil when a list room says that the room's own user left (`user_member` null).
        public var user: EntityID?
        /// What the user is in the channel.
        public var type: MemberType?
        /// When the user last read the channel.
        public var lastAccess: Timestamp?
        /// Whether the user marked the channel.
        public var isFavorite: Bool?
        /// Which messages the user is notified of.
        public var notificationLevel: NotificationLevel?
        /// When the membership last changed, the read marker included.
        public var updatedAt: Timestamp?
        /// When the user became a member.
        public var createdAt: Timestamp?
        /// When the membership ends, of those that do.
        public var expiration: Timestamp?
        /// How many messages the channel had when the user last read it; servers of 2021 always send 0.
        public var lastIncrement: Int?
        /// The user's address (A's members).
        public var email: String?

        /// A membership of these fields.
        public init(
            channel: EntityID, company: EntityID? = nil, workspace: EntityID? = nil, user: EntityID? = nil,
            type: MemberType? = nil, lastAccess: Timestamp? = nil, isFavorite: Bool? = nil,
            notificationLevel: NotificationLevel? = nil, updatedAt: Timestamp? = nil, createdAt: Timestamp? = nil,
            expiration: Timestamp? = nil, lastIncrement: Int? = nil, email: String? = nil
        ) {
            self.channel = channel
            self.company = company
            self.workspace = workspace
            self.user = user
            self.type = type
            self.lastAccess = lastAccess
            self.isFavorite = isFavorite
            self.notificationLevel = notificationLevel
            self.updatedAt = updatedAt
            self.createdAt = createdAt
            self.expiration = expiration
            self.lastIncrement = lastIncrement
            self.email = email
        }
    }
}
