public import JSONText

extension Twake {
    /// What was done to a resource (3.2).
    public enum ResourceAction: Hashable, Sendable {
        case created, saved, updated, deleted, event
        /// A value this version does not know, as written.
        case unknown(String)
    }

    /// The type of a resource (3.2 and section 6).
    public enum ResourceType: Hashable, Sendable {
        case channel, channels, channelActivity, channelMember, channelTabs, message, badges, desktopNotification, bookmark
        case workspace, user, company, companyUser, companyApplication, online, documentsUpdated
        /// A value this version does not know, as written.
        case unknown(String)
    }

    /// The payload of a resource event, by its type; anything not applied by the pipeline is kept as text.
    public enum Resource: Hashable, Sendable {
        /// `channel`, `channels`: all fields that were sent; a sparse `deleted` has only the ids.
        case channel(Channel)
        /// `channel_activity`.
        case activity(ChannelActivity)
        /// `channel_member`, in either of its two forms (3.3).
        case member(ChannelMember)
        /// `message`.
        case message(Message)
        /// `user_notification_badges`.
        case badge(Badge)
        /// `notification:desktop`.
        case desktopNotification(DesktopNotification)
        /// `user:online`.
        case online([OnlineStatus])
        /// Known types whose contents the pipeline does not use, and unknown ones.
        case other(RawJSON)
    }

    /// A channel: public, private or direct (3.3, 4.3, 4.4). Fields absent on the wire are nil.
    public struct Channel: Hashable, Sendable {
        public var id: EntityID
        public var company: EntityID
        /// The workspace; `direct` for directs.
        public var workspace: EntityID
        public var visibility: ChannelVisibility?
        public var name: String?
        public var icon: String?
        public var description: String?
        public var owner: EntityID?
        public var isArchived: Bool
        /// Only directs carry members on era B.
        public var members: [EntityID]
        public var lastActivity: Timestamp?
        public var lastMessage: MessageSummary?
        /// When the user last read it (`user_member.last_access`, `user_last_access`).
        public var lastAccess: Timestamp?
        public var updatedAt: Timestamp?

        /// Unread: activity after the last access.
        public var hasUnread: Bool {
            guard let lastActivity, let lastAccess else { return false }
            return lastAccess < lastActivity
        }
        public init(
            id: EntityID, company: EntityID, workspace: EntityID, visibility: ChannelVisibility? = nil, name: String? = nil,
            icon: String? = nil, description: String? = nil, owner: EntityID? = nil, isArchived: Bool = false, members: [EntityID] = [],
            lastActivity: Timestamp? = nil, lastMessage: MessageSummary? = nil, lastAccess: Timestamp? = nil, updatedAt: Timestamp? = nil
        ) {
            self.id = id
            self.company = company
            self.workspace = workspace
            self.visibility = visibility
            self.name = name
            self.icon = icon
            self.description = description
            self.owner = owner
            self.isArchived = isArchived
            self.members = members
            self.lastActivity = lastActivity
            self.lastMessage = lastMessage
            self.lastAccess = lastAccess
            self.updatedAt = updatedAt
        }
    }

    /// Who sees a channel.
    public enum ChannelVisibility: Hashable, Sendable {
        case `public`, `private`, direct
        case unknown(String)
    }

    /// The last message of a channel, in short.
    public struct MessageSummary: Hashable, Sendable {
        public var date: Timestamp?
        public var sender: EntityID?
        public var senderName: String?
        public var title: String?
        public var text: String?
        public init(date: Timestamp?, sender: EntityID?, senderName: String?, title: String?, text: String?) {
            self.date = date
            self.sender = sender
            self.senderName = senderName
            self.title = title
            self.text = text
        }
    }

    /// `channel_activity`: something happened in a channel; `id` is the channel's.
    public struct ChannelActivity: Hashable, Sendable {
        public var channel: EntityID
        public var company: EntityID
        public var workspace: EntityID
        public var lastActivity: Timestamp?
        public var lastMessage: MessageSummary?
        public init(
            channel: EntityID, company: EntityID, workspace: EntityID, lastActivity: Timestamp?, lastMessage: MessageSummary?
        ) {
            self.channel = channel
            self.company = company
            self.workspace = workspace
            self.lastActivity = lastActivity
            self.lastMessage = lastMessage
        }
    }

    /// A user's membership of a channel.
    public struct ChannelMember: Hashable, Sendable {
        public var channel: EntityID
        public var company: EntityID?
        public var workspace: EntityID?
        /// Nil when a list room says that the room's own user left (`user_member` null).
        public var user: EntityID?
        /// `member`, `guest`, `bot`.
        public var type: String?
        public var lastAccess: Timestamp?
        public var isFavorite: Bool?
        public var notificationLevel: String?
        public init(
            channel: EntityID, company: EntityID? = nil, workspace: EntityID? = nil, user: EntityID? = nil, type: String? = nil,
            lastAccess: Timestamp? = nil, isFavorite: Bool? = nil, notificationLevel: String? = nil
        ) {
            self.channel = channel
            self.company = company
            self.workspace = workspace
            self.user = user
            self.type = type
            self.lastAccess = lastAccess
            self.isFavorite = isFavorite
            self.notificationLevel = notificationLevel
        }
    }

    /// A message of era A or B. The channel is not in era B's events; it is taken from the room.
    public struct Message: Hashable, Sendable {
        public var id: EntityID
        /// The thread's id; equal to `id` for a head message. Era A's empty or null thread is normalised to `id`.
        public var thread: EntityID
        public var channel: EntityID?
        public var user: EntityID?
        /// The sender's display name, where the payload has one (era A; era B with `include_users`).
        public var senderName: String?
        /// The text: `text` (B), `content.original_str` (A).
        public var text: String
        /// Nil, `application`, `deleted`, `system`.
        public var subtype: String?
        public var createdAt: Timestamp?
        public var updatedAt: Timestamp?
        public var editedAt: Timestamp?
        public var isPinned: Bool
        public var reactions: [Reaction]
        /// Replies without the head message; nil when not sent (B: `stats.replies` − 1; A: `responses_count`).
        public var replies: Int?
        /// Head message of a thread.
        public var isHead: Bool { thread == id }
        public init(
            id: EntityID, thread: EntityID, channel: EntityID? = nil, user: EntityID? = nil, senderName: String? = nil, text: String,
            subtype: String? = nil, createdAt: Timestamp? = nil, updatedAt: Timestamp? = nil, editedAt: Timestamp? = nil,
            isPinned: Bool = false, reactions: [Reaction] = [], replies: Int? = nil
        ) {
            self.id = id
            self.thread = thread
            self.channel = channel
            self.user = user
            self.senderName = senderName
            self.text = text
            self.subtype = subtype
            self.createdAt = createdAt
            self.updatedAt = updatedAt
            self.editedAt = editedAt
            self.isPinned = isPinned
            self.reactions = reactions
            self.replies = replies
        }
    }

    /// One emoji's reactions.
    public struct Reaction: Hashable, Sendable {
        public var name: String
        public var count: Int
        public var users: [EntityID]
        public init(name: String, count: Int, users: [EntityID]) {
            self.name = name
            self.count = count
            self.users = users
        }
    }

    /// One unread thread (B). Its identity is (company, user, workspace, channel, thread), never `id`.
    public struct Badge: Hashable, Sendable {
        public var company: EntityID
        public var workspace: EntityID
        public var channel: EntityID
        public var thread: EntityID
        public var user: EntityID?
        public var message: EntityID?
        public init(
            company: EntityID, workspace: EntityID, channel: EntityID, thread: EntityID, user: EntityID? = nil, message: EntityID? = nil
        ) {
            self.company = company
            self.workspace = workspace
            self.channel = channel
            self.thread = thread
            self.user = user
            self.message = message
        }
    }

    /// An unread counter of era A: the proxy counts unread threads per company, workspace and channel.
    public struct BadgeCount: Hashable, Sendable {
        /// The level of the hierarchy.
        public enum Level: Hashable, Sendable {
            case company, workspace, channel
            case unknown(String)
        }
        public var level: Level
        public var id: EntityID
        public var count: Int
        public init(level: Level, id: EntityID, count: Int) {
            self.level = level
            self.id = id
            self.count = count
        }
        /// Whether this is the counter of that entity.
        public func matches(_ level: Level, _ id: EntityID) -> Bool { self.level == level && self.id == id }
    }

    /// `notification:desktop`.
    public struct DesktopNotification: Hashable, Sendable {
        public var channel: EntityID?
        public var thread: EntityID?
        public var message: EntityID?
        public var title: String
        public var text: String
        public init(channel: EntityID?, thread: EntityID?, message: EntityID?, title: String, text: String) {
            self.channel = channel
            self.thread = thread
            self.message = message
            self.title = title
            self.text = text
        }
    }

    /// One user's presence (1.6).
    public struct OnlineStatus: Hashable, Sendable {
        public var user: EntityID
        public var isOnline: Bool
        public init(user: EntityID, isOnline: Bool) {
            self.user = user
            self.isOnline = isOnline
        }
    }

    /// A room the era A list offers (2.2).
    public struct SocketIORoom: Hashable, Sendable {
        /// What a room is for.
        public enum Kind: Hashable, Sendable {
            case channelsList, directsList, notifications, channel, direct
            case unknown(String)
        }
        /// The room's name, the wire's `key`; opaque.
        public var key: String
        public var kind: Kind
        public var id: String
        public init(key: String, kind: Kind, id: String) {
            self.key = key
            self.kind = kind
            self.id = id
        }
    }

    /// The user (era A `/user`, era B `users/me`), as far as the pipeline needs it.
    public struct Account: Hashable, Sendable {
        public var id: EntityID
        public var name: String
        public init(id: EntityID, name: String) {
            self.id = id
            self.name = name
        }
    }

    /// A company or a workspace in a list.
    public struct Place: Hashable, Sendable {
        public var id: EntityID
        public var name: String
        public init(id: EntityID, name: String) {
            self.id = id
            self.name = name
        }
    }
}
