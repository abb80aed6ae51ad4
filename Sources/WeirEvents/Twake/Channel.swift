public import WeirJSON

extension Twake {
    /// A channel: public, private or direct (Twake TW-30, TW-72, TW-80). Its `fields` and their `profile` can be read and set as properties
    /// of the channel. They are stored in one shared object, because many places copy and store a channel.
    @dynamicMemberLookup
    public struct Channel: Hashable, Sendable {
        @usableFromInline private(set) var shared: Shared<Fields>

        /// The contents of a channel: its activity, which changes often, and its profile, which rarely does.
        public struct Fields: Hashable, Sendable {
            @usableFromInline var sharedProfile: Shared<Profile>
            /// The time of the last activity; 0 on creation.
            public var lastActivity: Timestamp?
            /// The last message, replies included; `nil` also for the wire's `{}`.
            public var lastMessage: MessageSummary?
            /// The time the user last read the channel (`user_member.last_access`, `user_last_access`).
            public var lastAccess: Timestamp?

            /// The identity and appearance of the channel. Each change copies the profile.
            @inlinable
            public var profile: Profile {
                get { sharedProfile.value }
                set { sharedProfile = Shared(newValue) }
            }

            init(
                _ profile: Profile, lastActivity: Timestamp? = nil, lastMessage: MessageSummary? = nil,
                lastAccess: Timestamp? = nil
            ) {
                sharedProfile = Shared(profile)
                self.lastActivity = lastActivity
                self.lastMessage = lastMessage
                self.lastAccess = lastAccess
            }
        }

        /// The identity and appearance of a channel. Fields that are absent or null on the wire are `nil`.
        public struct Profile: Hashable, Sendable {
            /// The channel's id, unique across all workspaces.
            public var id: EntityID
            /// The company that the channel belongs to.
            public var company: EntityID
            /// The workspace of the channel; `direct` for directs.
            public var workspace: EntityID
            /// The visibility: public, private or direct.
            public var visibility: ChannelVisibility?
            /// The name. Era B does not name directs: their name is composed of the members' names, if those are sent.
            public var name: String?
            /// An emoji, as a character or as `:shortname:`.
            public var icon: String?
            /// A text about the purpose of the channel.
            public var description: String?
            /// The user who owns the channel.
            public var owner: EntityID?
            /// Whether the channel is archived; false when not sent.
            public var isArchived = false
            /// The users in the channel. On era B only directs contain members.
            public var members: [EntityID] = []
            /// The time of the last change to the channel's row (era B).
            public var updatedAt: Timestamp?
            /// The time the channel was created (era B).
            public var createdAt: Timestamp?
            /// Whether every user of the workspace is in the channel (B).
            public var isDefault = false
            /// The fields that few frames contain; `nil` if none of them is known, so that they cost nothing.
            var details: Shared<Details>?
        }

        init(_ fields: Fields) { shared = Shared(fields) }

        /// The fields of the channel as one value.
        @inlinable
        public var fields: Fields { shared.value }

        /// One field of the channel, by key path. Each assignment copies all fields; `update(_:)` sets
        /// several at the cost of one copy.
        @inlinable
        public subscript<Value>(dynamicMember field: WritableKeyPath<Fields, Value>) -> Value {
            get { shared.value[keyPath: field] }
            set { update { $0[keyPath: field] = newValue } }
        }

        /// One field of the channel's profile, by key path. Each assignment copies the fields and the profile.
        @inlinable
        public subscript<Value>(dynamicMember field: WritableKeyPath<Profile, Value>) -> Value {
            get { shared.value.sharedProfile.value[keyPath: field] }
            set { update { $0.profile[keyPath: field] = newValue } }
        }

        /// Changes several fields at the cost of one copy.
        public mutating func update(_ change: (inout Fields) -> Void) {
            var fields = shared.value
            change(&fields)
            shared = Shared(fields)
        }

        /// Whether there was activity after the last access, by any user.
        public var hasUnread: Bool {
            guard let lastActivity = self.lastActivity, let lastAccess = self.lastAccess else { return false }
            return lastAccess < lastActivity
        }

        /// Returns whether the channel is unread for `user`, by the server's rule: it is read if the user sent the
        /// last message (Twake TW-99, #324).
        public func hasUnread(for user: EntityID?) -> Bool {
            guard hasUnread else { return false }
            guard let user, let sender = self.lastMessage?.sender else { return true }
            return sender != user
        }

        /// The number of users in the channel: the count that the server sent, else the members it sent. On era B only
        /// directs contain members (Twake TW-81).
        public var membersCount: Int { self.statedMembersCount ?? self.members.count }

        /// Creates a channel from its common fields.
        public init(
            id: EntityID, company: EntityID, workspace: EntityID, visibility: ChannelVisibility? = nil,
            name: String? = nil, icon: String? = nil, description: String? = nil, owner: EntityID? = nil,
            isArchived: Bool = false, members: [EntityID] = [], lastActivity: Timestamp? = nil,
            lastMessage: MessageSummary? = nil, lastAccess: Timestamp? = nil, updatedAt: Timestamp? = nil,
            createdAt: Timestamp? = nil
        ) {
            let profile = Profile(
                id: id, company: company, workspace: workspace, visibility: visibility, name: name, icon: icon,
                description: description, owner: owner, isArchived: isArchived, members: members,
                updatedAt: updatedAt, createdAt: createdAt)
            self.init(
                Fields(profile, lastActivity: lastActivity, lastMessage: lastMessage, lastAccess: lastAccess))
        }
    }

    /// The set of users who see a channel.
    public struct ChannelVisibility: WireEnumeration {
        /// The channel is visible to every user of the workspace.
        public static var `public`: Self { "public" }
        /// The channel is visible to its members.
        public static var `private`: Self { "private" }
        /// The channel is a conversation of a few users, outside any workspace.
        public static var direct: Self { "direct" }

        /// The name as written on the wire.
        public let wireName: String
        /// Creates the value that the wire calls `name`.
        public init(wire name: String) { wireName = name }
    }

    /// `channel_activity`: an activity in a channel (Twake TW-32). It is stored in one shared object, because half of a
    /// busy workspace's events are activities, and all of them are passed on.
    @dynamicMemberLookup
    public struct ChannelActivity: Hashable, Sendable {
        @usableFromInline let shared: Shared<Fields>

        /// The contents of an activity event.
        public struct Fields: Hashable, Sendable {
            /// The channel, called `id` on the wire.
            public var channel: EntityID
            /// The company that the channel belongs to.
            public var company: EntityID
            /// The workspace of the channel; `direct` for directs.
            public var workspace: EntityID
            /// The time the activity happened.
            public var lastActivity: Timestamp?
            /// The message that caused the activity, replies included; `nil` at the channel's creation.
            public var lastMessage: MessageSummary?
        }

        init(_ fields: Fields) { shared = Shared(fields) }

        init(
            channel: EntityID, company: EntityID, workspace: EntityID, lastActivity: Timestamp?,
            lastMessage: MessageSummary?
        ) {
            self.init(
                Fields(
                    channel: channel, company: company, workspace: workspace, lastActivity: lastActivity,
                    lastMessage: lastMessage))
        }

        /// The fields of the activity as one value.
        @inlinable
        public var fields: Fields { shared.value }

        /// One field of the activity, by key path.
        @inlinable
        public subscript<Value>(dynamicMember field: KeyPath<Fields, Value>) -> Value { shared.value[keyPath: field] }
    }
}

extension Twake.Channel.Profile {
    /// The fields that few frames contain. They are stored in an object of their own, so that a channel without them is
    /// small and costs no more to read.
    struct Details: Hashable, Sendable {
        var memberType: Twake.MemberType?
        var isFavorite: Bool?
        var notificationLevel: Twake.NotificationLevel?
        var isMember: Bool?
        var role: Twake.Role?
        var permissions: [Twake.Permission] = []
        var statedMembersCount: Int?
        var messagesCount: Int?
        var isReadOnly: Bool?
        var archivedAt: Timestamp?
        var group: String?
        var connectors: RawJSON?

        /// The details of a channel for which none was sent.
        static let absent = Details()
    }

    /// Whether any of the optional or list fields below has a value. If not, none of them needs to be inspected.
    public var hasDetails: Bool { details != nil }

    @inline(__always)
    private func detail<Value>(_ detail: KeyPath<Details, Value>) -> Value {
        guard let details else { return Details.absent[keyPath: detail] }
        return details.value[keyPath: detail]
    }

    private mutating func set<Value>(_ detail: WritableKeyPath<Details, Value>, _ value: Value) {
        changeDetails { $0[keyPath: detail] = value }
    }

    /// Changes several details at the cost of one copy. If no detail is left, the reference is removed, so that this
    /// state has only one representation.
    mutating func changeDetails(_ change: (inout Details) -> Void) {
        var all = details?.value ?? .absent
        change(&all)
        details = all == .absent ? nil : Shared(all)
    }

    /// The user's kind of membership (`user_member.type`).
    public var memberType: Twake.MemberType? {
        get { detail(\.memberType) }
        set { set(\.memberType, newValue) }
    }

    /// Whether the user marked the channel as a favourite (`user_member.favorite`).
    public var isFavorite: Bool? {
        get { detail(\.isFavorite) }
        set { set(\.isFavorite, newValue) }
    }

    /// The messages of which the user is notified (`user_member.notification_level`).
    public var notificationLevel: Twake.NotificationLevel? {
        get { detail(\.notificationLevel) }
        set { set(\.notificationLevel, newValue) }
    }

    /// Whether the user is in the channel (A).
    public var isMember: Bool? {
        get { detail(\.isMember) }
        set { set(\.isMember, newValue) }
    }

    /// The role of the user in the channel, since July 2021.
    public var role: Twake.Role? {
        get { detail(\.role) }
        set { set(\.role, newValue) }
    }

    /// The permissions of the user in the channel (A).
    public var permissions: [Twake.Permission] {
        get { detail(\.permissions) }
        set { set(\.permissions, newValue) }
    }

    /// The number of users in the channel, as sent (`members_count`, `stats.members`); `membersCount`
    /// falls back to the known members.
    public var statedMembersCount: Int? {
        get { detail(\.statedMembersCount) }
        set { set(\.statedMembersCount, newValue) }
    }

    /// The number of messages in the channel (`stats.messages`, C).
    public var messagesCount: Int? {
        get { detail(\.messagesCount) }
        set { set(\.messagesCount, newValue) }
    }

    /// Whether only the users who manage the channel may write (C).
    public var isReadOnly: Bool? {
        get { detail(\.isReadOnly) }
        set { set(\.isReadOnly, newValue) }
    }

    /// The time the channel was archived; `nil` for the wire's 0.
    public var archivedAt: Timestamp? {
        get { detail(\.archivedAt) }
        set { set(\.archivedAt, newValue) }
    }

    /// The heading under which the channel is listed; `nil` if it is empty.
    public var group: String? {
        get { detail(\.group) }
        set { set(\.group, newValue) }
    }

    /// The applications connected to the channel, a JSON array without white space; `nil` if there are none.
    public var connectors: RawJSON? {
        get { detail(\.connectors) }
        set { set(\.connectors, newValue) }
    }

    /// Keeps known details that only lists contain. The frames of changes omit them, so a known value
    /// that is not sent again stays.
    public mutating func keepDetails(of known: Self) {
        createdAt = createdAt ?? known.createdAt
        guard let kept = known.details, kept != details else { return }
        guard var all = details?.value else { return details = kept }
        all.fill(from: kept.value)
        details = Shared(all)
    }
}

extension Twake.Channel.Profile {
    /// Applies a membership of the user to the channel, except for the read marker.
    public mutating func takeMembership(_ member: Twake.ChannelMember) {
        takeMembership(member.type, member.isFavorite, member.notificationLevel)
    }

    /// Applies the user's membership from a newer list, except for the read marker.
    public mutating func takeMembership(of listed: Self) {
        takeMembership(listed.memberType, listed.isFavorite, listed.notificationLevel)
    }

    /// Applies the values that are not `nil`. A `nil` value was not sent, so the known one stays.
    mutating func takeMembership(_ type: Twake.MemberType?, _ favorite: Bool?, _ level: Twake.NotificationLevel?) {
        guard type != nil || favorite != nil || level != nil else { return }
        changeDetails { details in
            details.memberType = type ?? details.memberType
            details.isFavorite = favorite ?? details.isFavorite
            details.notificationLevel = level ?? details.notificationLevel
        }
    }
}

extension Twake.Channel {
    /// Whether any of the fields that few frames contain has a value.
    public var hasDetails: Bool { shared.value.sharedProfile.value.hasDetails }
}

extension Twake.Channel.Profile.Details {
    fileprivate mutating func fill(from known: Self) {
        memberType = memberType ?? known.memberType
        isFavorite = isFavorite ?? known.isFavorite
        notificationLevel = notificationLevel ?? known.notificationLevel
        isMember = isMember ?? known.isMember
        role = role ?? known.role
        if permissions.isEmpty { permissions = known.permissions }
        statedMembersCount = statedMembersCount ?? known.statedMembersCount
        messagesCount = messagesCount ?? known.messagesCount
        isReadOnly = isReadOnly ?? known.isReadOnly
    }
}

extension Twake {
    /// A short form of a channel's last message (Twake TW-33). It is stored in one shared object: every other event
    /// contains one, and each change of a channel copies it along.
    @dynamicMemberLookup
    public struct MessageSummary: Hashable, Sendable {
        @usableFromInline let shared: Shared<Fields>

        /// The contents of a summary; each field is `nil` when not sent.
        public struct Fields: Hashable, Sendable {
            /// The time the message was sent.
            public var date: Timestamp?
            /// The user who sent the message; `nil` for bots.
            public var sender: EntityID?
            /// The display name of the sender.
            public var senderName: String?
            /// The place of the message in readable form: `{channel} in {company} • {workspace}`.
            public var title: String?
            /// The text of the message, truncated by the server on era A.
            public var text: String?

            init() {}

            /// Compares the texts byte by byte: equal strings can still write a letter and its accent in two ways.
            public static func == (a: Self, b: Self) -> Bool {
                a.date == b.date && a.sender == b.sender && isSame(a.senderName, b.senderName)
                    && isSame(a.title, b.title) && isSame(a.text, b.text)
            }

            private static func isSame(_ a: String?, _ b: String?) -> Bool {
                guard let a, let b else { return a == nil && b == nil }
                return a.utf8.elementsEqual(b.utf8)
            }
        }

        init(_ fields: Fields) { shared = Shared(fields) }

        init(date: Timestamp?, sender: EntityID?, senderName: String?, title: String?, text: String?) {
            var fields = Fields()
            (fields.date, fields.sender) = (date, sender)
            (fields.senderName, fields.title, fields.text) = (senderName, title, text)
            self.init(fields)
        }

        /// One field of the summary, by key path.
        @inlinable
        public subscript<Value>(dynamicMember field: KeyPath<Fields, Value>) -> Value { shared.value[keyPath: field] }
    }
}
