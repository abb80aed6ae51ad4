import JSONText

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
