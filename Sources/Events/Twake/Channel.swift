import JSONText

extension Twake {
    /// A channel: public, private or direct (3.3, 4.3, 4.4). What is known of it is in its `fields` and in their `profile`, all of which can be
    /// read as if it were its own; it is behind one reference, since a channel is handed on and kept many times.
    @dynamicMemberLookup
    public struct Channel: Hashable, Sendable {
        @usableFromInline private(set) var shared: Shared<Fields>

        /// What is known of a channel: what happens in it, which changes with every activity, and its profile, which seldom does.
        public struct Fields: Hashable, Sendable {
            @usableFromInline var sharedProfile: Shared<Profile>
            /// When something last happened in it; 0 on creation.
            public var lastActivity: Timestamp?
            /// Its last message, replies included; nil for the wire's `{}` too.
            public var lastMessage: MessageSummary?
            /// When the user last read it (`user_member.last_access`, `user_last_access`).
            public var lastAccess: Timestamp?

            /// Which channel it is, and what it looks like. Each change costs a copy of it.
            @inlinable
            public var profile: Profile {
                get { sharedProfile.value }
                set { sharedProfile = Shared(newValue) }
            }

            /// What is known of a channel of this profile.
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

        /// Which channel it is, and what it looks like. Fields absent or null on the wire are nil.
        public struct Profile: Hashable, Sendable {
            /// The channel's id, unique over all workspaces.
            public var id: EntityID
            /// The company it belongs to.
            public var company: EntityID
            /// The workspace; `direct` for directs.
            public var workspace: EntityID
            /// Who sees it.
            public var visibility: ChannelVisibility?
            /// The name. Era B names no directs: there it is composed of the members' names, where those are sent.
            public var name: String?
            /// An emoji, raw or as `:shortname:`.
            public var icon: String?
            /// What it is for.
            public var description: String?
            /// The user who owns it.
            public var owner: EntityID?
            /// Whether it was archived; false when not sent.
            public var isArchived = false
            /// The users in it. Only directs carry members on era B.
            public var members: [EntityID] = []
            /// When its row last changed (era B).
            public var updatedAt: Timestamp?
            /// When it was created (era B).
            public var createdAt: Timestamp?
            /// Whether every user of the workspace is in it (B).
            public var isDefault = false
            /// What few frames say of a channel; nil when there is none of it, which so costs nothing.
            var details: Shared<Details>?
        }

        /// A channel of these fields.
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

        /// One of the fields of its profile. Each that is set by itself costs a copy of all.
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

        /// Unread: activity after the last access, whoever's it was.
        public var hasUnread: Bool {
            guard let lastActivity = self.lastActivity, let lastAccess = self.lastAccess else { return false }
            return lastAccess < lastActivity
        }

        /// Unread for `user`, as the server has it: what one said oneself last is read (section 6, #324).
        public func hasUnread(for user: EntityID?) -> Bool {
            guard hasUnread else { return false }
            guard let user, let sender = self.lastMessage?.sender else { return true }
            return sender != user
        }

        /// How many users are in it: the count the server sent, else the members it sent (4.4: on era B only directs carry those).
        public var membersCount: Int { self.statedMembersCount ?? self.members.count }

        /// A channel of these fields.
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

    /// Who sees a channel.
    public struct ChannelVisibility: WireEnumeration {
        /// Everybody in the workspace.
        public static var `public`: Self { "public" }
        /// Its members.
        public static var `private`: Self { "private" }
        /// The users who talk in it; no workspace.
        public static var direct: Self { "direct" }

        /// The name as it was written.
        public let wireName: String
        /// The value the wire calls `name`.
        public init(wire name: String) { wireName = name }
    }

    /// `channel_activity`: something happened in a channel (3.3). One reference, since half of what a busy workspace says is handed on so.
    @dynamicMemberLookup
    public struct ChannelActivity: Hashable, Sendable {
        @usableFromInline let shared: Shared<Fields>

        /// What an activity says.
        public struct Fields: Hashable, Sendable {
            /// The channel, the wire's `id`.
            public var channel: EntityID
            /// The company it belongs to.
            public var company: EntityID
            /// The workspace; `direct` for directs.
            public var workspace: EntityID
            /// When it happened.
            public var lastActivity: Timestamp?
            /// The message that did it, replies included; nil at the channel's creation.
            public var lastMessage: MessageSummary?
        }

        /// An activity of these fields.
        init(_ fields: Fields) { shared = Shared(fields) }

        /// An activity of these fields.
        init(
            channel: EntityID, company: EntityID, workspace: EntityID, lastActivity: Timestamp?,
            lastMessage: MessageSummary?
        ) {
            self.init(
                Fields(
                    channel: channel, company: company, workspace: workspace, lastActivity: lastActivity,
                    lastMessage: lastMessage))
        }

        /// What it says.
        @inlinable
        public var fields: Fields { shared.value }

        /// One of its fields.
        @inlinable
        public subscript<Value>(dynamicMember field: KeyPath<Fields, Value>) -> Value { shared.value[keyPath: field] }
    }
}
