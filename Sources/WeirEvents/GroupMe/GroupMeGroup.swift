package import WeirJSON

extension GroupMe {
    /// A group, or a topic of a group (GroupMe GM-29). A field that is absent or null on the wire is `nil`, which means
    /// that its value is unknown. The members are not part of the group; an answer carries them next to it
    /// (`GroupRecord`).
    public struct Group: Hashable, Sendable {
        /// The group's id, called `id` on the wire.
        public var id: GroupID
        /// The name of the group.
        public var name: String?
        /// The type, which decides which users may join and write.
        public var type: GroupType?
        /// A text about the purpose of the group; events call it the topic.
        public var description: String?
        /// The address of the group's picture (`image_url`; in `membership.create` `avatar_url`).
        public var imageURL: String?
        /// The user who created the group and cannot be removed (`creator_user_id`; in
        /// `membership.create` `creator_id`).
        public var creator: UserID?
        /// The time the group was created.
        public var createdAt: Timestamp?
        /// The time of the last change.
        public var updatedAt: Timestamp?
        /// The number of messages ever sent in the group. It may be too high or too low (GroupMe GM-35).
        public var messagesCount: Int?
        /// The last message; `nil` in a group without messages.
        public var lastMessage: MessageID?
        /// The time the last message was sent.
        public var lastMessageAt: Timestamp?
        /// The time of the last message's last change. The server reports this for no other message (GroupMe GM-36).
        public var lastMessageUpdatedAt: Timestamp?
        /// A short form of the last message.
        public var preview: Preview?
        /// The number of members; `nil` if the answer omits them, because it then contains 0.
        public var membersCount: Int?
        /// The maximum number of members (`max_members`; in `membership.create` `max_memberships`).
        public var mostMembers: Int?
        /// The address where users join; `nil` if the group is not shared.
        public var shareURL: String?
        /// The symbol that the group uses in place of the heart.
        public var likeIcon: ReactionSymbol?
        /// The name of the colour theme.
        public var theme: String?
        /// The time until which the user is not notified; in the year 9999 if no end is set.
        public var mutedUntil: Timestamp?
        /// Whether an admin must approve new members.
        public var requiresApproval: Bool?
        /// The number of messages that the user has not read.
        public var unreadCount: Int?
        /// The last message that the user read.
        public var lastRead: MessageID?
        /// The time the user last read the group.
        public var lastReadAt: Timestamp?
        /// The parent group, if this group is a topic.
        public var parent: GroupID?
        /// The number of topics in the group.
        public var topicsCount: Int?
        /// The number of minutes in which a message can be edited.
        public var editPeriod: Int?
        /// The roles that may delete a message.
        public var deletionModes: [String]?

        /// Creates a group of which only the given fields are known.
        public init(id: GroupID, name: String? = nil) {
            self.id = id
            self.name = name
        }

        /// A short form of the last message of a group.
        public struct Preview: Hashable, Sendable {
            /// The nickname of the sender, if known.
            public var nickname: String?
            /// The text; `nil` if there is none.
            public var text: String?
            /// The address of the picture sent with the message.
            public var imageURL: String?

            /// Creates the short form of a message.
            public init(nickname: String? = nil, text: String? = nil, imageURL: String? = nil) {
                self.nickname = nickname
                self.text = text
                self.imageURL = imageURL
            }
        }
    }

    /// A group in an answer, with its members unless they were omitted.
    package struct GroupRecord: Hashable, Sendable {
        package var group: Group
        /// The members; `nil` if they were not loaded (`omit=memberships`), which means that they are unknown
        /// (GroupMe GM-29).
        package var members: [Member]?

        init(_ group: Group, members: [Member]?) {
            self.group = group
            self.members = members
        }
    }

    /// A user's membership of a group (GroupMe GM-29). Fields that are absent or null on the wire are `nil`.
    public struct Member: Hashable, Sendable {
        /// The membership's id, with which a member is changed or removed; `nil` if only the user was sent.
        public var id: MembershipID?
        /// The group, called `group_id` on the wire.
        public var group: GroupID
        /// The user, called `user_id` on the wire.
        public var user: UserID
        /// The user's name in this group.
        public var nickname: String?
        /// The user's name outside this group.
        public var name: String?
        /// The address of the user's picture in this group.
        public var imageURL: String?
        /// Whether the member muted the group.
        public var isMuted: Bool?
        /// Whether the server removed the member.
        public var isAutokicked: Bool?
        /// The roles of the member in addition to membership.
        public var roles: [Role]?
        /// An identifier from the caller that adds members, with which it finds each member in the results
        /// (GroupMe GM-42).
        public var guid: String?

        /// Creates a membership of which only the given fields are known.
        public init(id: MembershipID? = nil, group: GroupID, user: UserID, nickname: String? = nil) {
            self.id = id
            self.group = group
            self.user = user
            self.nickname = nickname
        }

        /// The nickname, else the name, else the user's id.
        public var title: String { nickname ?? name ?? user.description }
    }

    /// The state of the user's membership of one group.
    package struct MembershipReport: Hashable, Sendable {
        package var group: GroupID
        /// The state, which remains known after the membership has ended.
        package var state: MembershipState
    }
}

extension GroupMe.Group: FieldedEntity {
    package static let subject = "group"
    package static let blank = Self(id: "")
    /// The fields of a group in an answer, of the reduced group in `membership.create`, and of a group in Weir's files.
    package static let fields: [Field<Self>] = [
        Field("id", at: \.id).required,
        Field("name", at: \.name) { (reader) throws(Mismatch) in try reader.textIfAny() },
        Field("type", at: \.type) { (reader) throws(Mismatch) in
            try reader.textIfAny().map { GroupMe.GroupType(wire: $0) }
        },
        Field("description", at: \.description),
        Field("image_url", wire: "image_url", "avatar_url", at: \.imageURL),
        Field("creator_user_id", wire: "creator_user_id", "creator_id", at: \.creator),
        .instant("created_at", at: \.createdAt),
        .instant("updated_at", at: \.updatedAt),
        .object(
            "messages",
            [
                Field("count", at: \.messagesCount),
                Field("last_message_id", at: \.lastMessage),
                .instant("last_message_created_at", at: \.lastMessageAt),
                .instant("last_message_updated_at", at: \.lastMessageUpdatedAt),
                Field("preview", at: \.preview),
            ]),
        Field("members_count", at: \.membersCount),
        Field("max_members", wire: "max_members", "max_memberships", at: \.mostMembers),
        Field("share_url", at: \.shareURL),
        Field("like_icon", at: \.likeIcon),
        Field("theme_name", at: \.theme),
        .instant("muted_until", at: \.mutedUntil),
        Field("requires_approval", at: \.requiresApproval),
        Field("unread_count", at: \.unreadCount),
        Field("last_read_message_id", at: \.lastRead),
        .instant("last_read_at", at: \.lastReadAt),
        Field("parent_id", at: \.parent),
        Field("children_count", at: \.topicsCount),
        Field("message_edit_period", at: \.editPeriod),
        Field("message_deletion_mode", at: \.deletionModes),
        .fallback("group_id", at: \.id),
    ]
}

extension GroupMe.Group.Preview: FieldedEntity, FieldScalar {
    package static let subject = "preview"
    package static let blank = Self()
    package static let fields: [Field<Self>] = [
        Field("nickname", at: \.nickname) { (reader) throws(Mismatch) in try reader.textIfAny() },
        Field("text", at: \.text) { (reader) throws(Mismatch) in try reader.textIfAny() },
        Field("image_url", at: \.imageURL),
    ]
}

extension GroupMe.GroupRecord {
    /// Reads a group of an answer, with its members.
    init(reading reader: inout JSONReader, _ sieve: RowSieve? = nil) throws(Mismatch) {
        var group = GroupMe.Group.blank
        var members: [GroupMe.Member]?
        var read: UInt64 = 0
        let start = try reader.open()
        while let key = try reader.field() {
            if reader.isNamed(key, "members") {
                members = try reader.isNull() ? nil : GroupMe.Member.list(reading: &reader, of: "", sieve)
            } else if try !GroupMe.Group.fields.take(key, into: &group, from: &reader, .wire, &read) {
                try reader.pass()
            }
        }
        try GroupMe.Group.fields.check(group, read, at: start, .wire)
        // A group without its members contains a count of 0 (GroupMe GM-29).
        group.membersCount = members?.count ?? group.membersCount.flatMap { $0 == 0 ? nil : $0 }
        if group.lastMessage == nil { group.preview = nil }
        self.init(group, members: members?.map { $0.moved(to: group.id) })
    }
}

extension GroupMe.ReactionSymbol: FieldScalar {
    static func read(from reader: inout JSONReader, _ form: FieldForm) throws(Mismatch) -> Self? {
        try ifAny(reading: &reader)
    }
    func write(into writer: inout JSONWriter) { encode(into: &writer) }
}

extension Field {
    /// Returns a field for a time in any of the forms that GroupMe writes (GroupMe GM-15).
    static func instant(
        _ name: StaticString, at path: any WritableKeyPath<Entity, Timestamp?> & Sendable
    ) -> Field {
        Field(name, at: path) { (reader) throws(Mismatch) in try reader.instantIfAny(.wire) }
    }
}

extension GroupMe.Member: FieldedEntity {
    package static let subject = "member"
    package static let blank = Self(group: "", user: "")
    package static let fields: [Field<Self>] = [
        Field("id", at: \.id),
        Field("group_id", at: \.group),
        Field("user_id", at: \.user).required,
        Field("nickname", at: \.nickname),
        Field("name", at: \.name),
        Field("image_url", wire: "image_url", "avatar_url", at: \.imageURL),
        Field("muted", at: \.isMuted),
        Field("autokicked", at: \.isAutokicked),
        Field("roles", at: \.roles),
        Field("guid", at: \.guid),
    ]

    /// Reads a member that `encode` wrote.
    package init(decoding reader: inout JSONReader) throws(DecodingFailure) {
        self = try reader.logged(Self.subject) { (reader) throws(Mismatch) in
            let start = reader.offset
            let member = try Self(reading: &reader, .log)
            try member.group.entity.require("group_id", at: start)
            return member
        }
    }

    /// Reads a member of `group`. The wire does not repeat the group inside its list of members.
    init(reading reader: inout JSONReader, of group: GroupMe.GroupID) throws(Mismatch) {
        try self.init(reading: &reader)
        if self.group.isBlank { self.group = group }
    }

    /// Reads the members of a group; null counts as an empty list.
    static func list(
        reading reader: inout JSONReader, of group: GroupMe.GroupID, _ sieve: RowSieve?
    ) throws(Mismatch) -> [Self] {
        var members: [Self] = []
        guard try reader.openListIfAny() else { return members }
        try reader.rows(through: sieve) { (reader) throws(Mismatch) in
            members.append(try Self(reading: &reader, of: group))
        }
        return members
    }

    /// Returns the same membership in another group: the group that contains the list, if the
    /// list precedes the group's id.
    func moved(to group: GroupMe.GroupID) -> Self {
        var member = self
        member.group = group
        return member
    }
}

extension GroupMe.MembershipReport: FieldedEntity {
    package static let subject = "membership state"
    package static let blank = Self(group: "", state: "")
    package static let fields: [Field<Self>] = [
        Field("group_id", at: \.group).required,
        Field("state", at: \.state).required,
    ]
}
