import WeirJSON

extension Twake {
    /// A user's membership of a channel (Twake TW-34). Fields that are absent or null on the wire are `nil`.
    public struct ChannelMember: Hashable, Sendable {
        /// The channel, called `channel_id` on the wire.
        public var channel: EntityID
        /// The company that the channel belongs to.
        public var company: EntityID?
        /// The workspace of the channel; `direct` for directs.
        public var workspace: EntityID?
        /// The user; `nil` if a list room reports that its own user left (`user_member` null).
        public var user: EntityID?
        /// The kind of member: a user, a guest or a bot.
        public var type: MemberType?
        /// The time the user last read the channel.
        public var lastAccess: Timestamp?
        /// Whether the user marked the channel as a favourite.
        public var isFavorite: Bool?
        /// The messages of which the user is notified.
        public var notificationLevel: NotificationLevel?
        /// The time of the last change to the membership, the read marker included.
        public var updatedAt: Timestamp?
        /// The time the user became a member.
        public var createdAt: Timestamp?
        /// The time the membership ends, if it is limited.
        public var expiration: Timestamp?
        /// The number of messages in the channel when the user last read it. Servers of 2021 always send 0.
        public var lastIncrement: Int?
        /// The user's e-mail address (era A's member lists).
        public var email: String?

        /// Creates a membership of a channel.
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

    /// Reads a membership in either of its forms (Twake TW-34). The bare form contains its channel as `channel_id`, or
    /// omits it in a list that was requested for `channel`. The form of a list room has the channel's id as
    /// `id` and nests the membership.
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

/// A membership as the server sends it. Its id is the channel's or the user's, and it may contain another membership.
struct WireMember: FieldedEntity {
    var id: EntityID?
    var member = Twake.ChannelMember.blank
    /// Whether `user_member` was sent, null or not.
    var hasNested = false
    /// The contents of `user_member`: empty or one membership.
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

extension Twake {
    /// The role of a user in a company, a workspace or a channel, as one word (Twake TW-46). A channel has
    /// `owner`, `member`, `guest`; a company has `owner`, `admin`, `member`, `guest`; a workspace has
    /// `admin`, `moderator`, `member`.
    public struct Role: WireEnumeration {
        /// `owner`: the user owns the entity.
        public static var owner: Self { "owner" }
        /// `admin`: the user administers the entity.
        public static var admin: Self { "admin" }
        /// `moderator`: the user moderates the entity.
        public static var moderator: Self { "moderator" }
        /// `member`: the user is an ordinary member.
        public static var member: Self { "member" }
        /// `guest`: the user is admitted as a guest.
        public static var guest: Self { "guest" }

        /// The name as written on the wire.
        public let wireName: String
        /// Creates the value that the wire calls `name`.
        public init(wire name: String) { wireName = name }
    }

    /// A single permission of a user, as era A lists them (Twake TW-73). Since July 2021 the role alone
    /// describes what a user may do.
    public struct Permission: WireEnumeration {
        /// `CREATE_WORKSPACES`: the user may create workspaces in the company.
        public static var createWorkspaces: Self { "CREATE_WORKSPACES" }
        /// `EDIT_WORKSPACE`: the user may edit the workspace.
        public static var editWorkspace: Self { "EDIT_WORKSPACE" }
        /// `UPDATE_NAME`: the user may rename the channel.
        public static var updateName: Self { "UPDATE_NAME" }
        /// `UPDATE_DESCRIPTION`: the user may change the channel's description.
        public static var updateDescription: Self { "UPDATE_DESCRIPTION" }
        /// `ADD_MEMBER`: the user may add members to the channel.
        public static var addMember: Self { "ADD_MEMBER" }
        /// `REMOVE_MEMBER`: the user may remove members from the channel.
        public static var removeMember: Self { "REMOVE_MEMBER" }
        /// `UPDATE_PRIVACY`: the user may change the channel's visibility.
        public static var updatePrivacy: Self { "UPDATE_PRIVACY" }
        /// `DELETE_CHANNEL`: the user may delete the channel.
        public static var deleteChannel: Self { "DELETE_CHANNEL" }

        /// The name as written on the wire.
        public let wireName: String
        /// Creates the value that the wire calls `name`.
        public init(wire name: String) { wireName = name }
    }
}

extension Twake.Role: FieldScalar {}
extension Twake.Permission: FieldScalar {}
