extension GroupMe {
    /// A group or a topic of one (3.3). Fields absent or null on the wire are nil: nothing was said of them. Who is in it is not a part
    /// of it, but comes along with it (`GroupRecord`).
    public struct Group: Hashable, Sendable {
        /// The group's id.
        public var id: GroupID
        /// The name.
        public var name: String?
        /// Who may join and speak.
        public var type: GroupType?
        /// What it is for; events call it the topic.
        public var description: String?
        /// The address of its picture (`image_url`; in `membership.create` `avatar_url`).
        public var imageURL: String?
        /// The user who made it, and who cannot be removed (`creator_user_id`; in `membership.create` `creator_id`).
        public var creator: UserID?
        /// When it was made.
        public var createdAt: Timestamp?
        /// When it last changed.
        public var updatedAt: Timestamp?
        /// How many messages were ever said in it. May be wrong either way (3.4).
        public var messagesCount: Int?
        /// The last message; nil in a group where nothing was said.
        public var lastMessage: MessageID?
        /// When that was said.
        public var lastMessageAt: Timestamp?
        /// When that last changed; of no other message is this told (3.4).
        public var lastMessageUpdatedAt: Timestamp?
        /// The last message in short.
        public var preview: Preview?
        /// How many users are in it; nil when they were left out of the answer, which then says 0.
        public var membersCount: Int?
        /// How many may be in it (`max_members`; in `membership.create` `max_memberships`).
        public var mostMembers: Int?
        /// Where one joins; nil when it is not shared.
        public var shareURL: String?
        /// What it has instead of the heart.
        public var likeIcon: ReactionSymbol?
        /// The colours.
        public var theme: String?
        /// Until when the user is not notified; year 9999 for ever.
        public var mutedUntil: Timestamp?
        /// Whether an admin has to let users in.
        public var requiresApproval: Bool?
        /// How many messages the user has not read.
        public var unreadCount: Int?
        /// The message that the user read last.
        public var lastRead: MessageID?
        /// When.
        public var lastReadAt: Timestamp?
        /// The group that it is a topic of.
        public var parent: GroupID?
        /// How many topics it has.
        public var topicsCount: Int?
        /// For how many minutes a message can be edited.
        public var editPeriod: Int?
        /// Who may delete messages.
        public var deletionModes: [String]?

        /// A group of which no more is known.
        public init(id: GroupID, name: String? = nil) {
            self.id = id
            self.name = name
        }

        /// The last message of a group in short.
        public struct Preview: Hashable, Sendable {
            /// Who said it.
            public var nickname: String?
            /// The text; nil when there is none.
            public var text: String?
            /// The picture that came with it.
            public var imageURL: String?

            /// A preview.
            public init(nickname: String? = nil, text: String? = nil, imageURL: String? = nil) {
                self.nickname = nickname
                self.text = text
                self.imageURL = imageURL
            }
        }
    }

    /// A group as an answer has it: with its members, unless they were left out.
    package struct GroupRecord: Hashable, Sendable {
        /// The group.
        package var group: Group
        /// Who is in it; nil when they were not loaded (`omit=memberships`), which says nothing of them (3.3).
        package var members: [Member]?

        /// A group and who is in it.
        init(_ group: Group, members: [Member]?) {
            self.group = group
            self.members = members
        }
    }

    /// Somebody's membership of a group (3.3). Fields absent or null on the wire are nil.
    public struct Member: Hashable, Sendable {
        /// The membership's id, by which a member is changed or removed; nil where only the user is told.
        public var id: MembershipID?
        /// The group.
        public var group: GroupID
        /// The user.
        public var user: UserID
        /// What the user is called in this group.
        public var nickname: String?
        /// What the user is called elsewhere.
        public var name: String?
        /// The address of the picture used in this group.
        public var imageURL: String?
        /// Whether the member muted the group.
        public var isMuted: Bool?
        /// Whether the server removed the member.
        public var isAutokicked: Bool?
        /// What the member is besides a member.
        public var roles: [Role]?
        /// The word by which one who adds members knows them again in the results (3.5).
        public var guid: String?

        /// A membership of which no more is known.
        public init(id: MembershipID? = nil, group: GroupID, user: UserID, nickname: String? = nil) {
            self.id = id
            self.group = group
            self.user = user
            self.nickname = nickname
        }

        /// The nickname, else the name, else the user's id.
        public var title: String { nickname ?? name ?? user.description }
    }

    /// How the user stands to one group.
    package struct Standing: Hashable, Sendable {
        /// The group.
        package var group: GroupID
        /// A member, or what became of it.
        package var state: MembershipState
    }
}
