import JSONText

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

extension Twake.ChannelMember: FieldedEntity {
    package static let subject = "member"
    package static let blank = Self(channel: .none)
    package static let fields: [Field<Self>] = [
        Field("channel_id", at: \.channel).required,
        Field("company_id", at: \.company),
        Field("workspace_id", at: \.workspace),
        Field("user_id", at: \.user),
        Field("type", at: \.type),
        Field("last_access", at: \.lastAccess),
        Field("favorite", at: \.isFavorite),
        Field("notification_level", at: \.notificationLevel),
        Field("updated_at", at: \.updatedAt),
        Field("created_at", at: \.createdAt),
        Field("expiration", at: \.expiration),
        Field("last_increment", at: \.lastIncrement),
        Field("email", at: \.email),
    ]

    /// Reads a membership in either of its forms (3.3): the bare one, which names its channel in `channel_id`, or not at all in a list
    /// that was asked for by `channel`; or a list room's, whose `id` is the channel's and which nests the membership.
    init(reading reader: inout JSONReader, of channel: EntityID?) throws(Mismatch) {
        _ = try reader.kind()
        let start = reader.offset
        let outer = try WireMember(reading: &reader)
        let nested = outer.nested.first
        let isBare = !outer.hasNested && (!outer.member.channel.isNone || channel != nil)
        self = nested?.member ?? outer.member
        let ownID = isBare ? nil : outer.id
        self.channel = try (outer.member.channel.ifAny ?? ownID ?? nested?.member.channel.ifAny ?? channel)
            .required("id", at: start)
        company = outer.member.company ?? company
        workspace = outer.member.workspace ?? workspace
        user = outer.member.user ?? user ?? (isBare ? outer.id : nested?.id)
    }
}

/// A membership as the server sends it: with an id that may be the channel's or the user's, and perhaps another membership within.
struct WireMember: FieldedEntity {
    var id: EntityID?
    var member = Twake.ChannelMember.blank
    /// Whether there is a `user_member`, null or not.
    var hasNested = false
    /// What is in `user_member`: nothing or one.
    var nested: [WireMember] = []

    static let subject = "member"
    static let blank = Self()
    static let fields: [Field<Self>] =
        flat + [
            .sent("user_member") { member, reader throws(Mismatch) in
                (member.hasNested, member.nested) = (true, [])
                guard try reader.openIfAny() else { return }
                var nested = WireMember()
                try flat.read(into: &nested, from: &reader)
                member.nested = [nested]
            }
        ]
    private static let flat: [Field<Self>] =
        [Field("id", at: \Self.id)] + Twake.ChannelMember.fields.map { $0.part(of: \Self.member) }
}
