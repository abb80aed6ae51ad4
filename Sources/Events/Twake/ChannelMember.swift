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
        /// `member`, `guest`, `bot`.
        public var type: String?
        /// When the user last read the channel.
        public var lastAccess: Timestamp?
        /// Whether the user marked the channel.
        public var isFavorite: Bool?
        /// `all`, `mentions`, `me`, `none`.
        public var notificationLevel: String?
        /// When the membership last changed, the read marker included.
        public var updatedAt: Timestamp?

        /// A membership of these fields.
        public init(
            channel: EntityID, company: EntityID? = nil, workspace: EntityID? = nil, user: EntityID? = nil,
            type: String? = nil, lastAccess: Timestamp? = nil, isFavorite: Bool? = nil,
            notificationLevel: String? = nil, updatedAt: Timestamp? = nil
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
        }
    }
}
