public import Events

/// What is true for one user at one moment, for comparing a client's model with the server.
public struct WorldTruth: Hashable, Sendable {
    /// A channel the user is a member of.
    public struct Channel: Hashable, Sendable {
        /// The channel.
        public var id: EntityID
        /// Its workspace; `direct` for directs.
        public var workspace: EntityID
        /// `public`, `private`, `direct`.
        public var visibility: String
        /// Empty for directs.
        public var name: String
        /// The members, in the order they joined.
        public var members: [EntityID]
        /// The time of the last message, or of the channel's making.
        public var lastActivity: Timestamp
        /// The last message's text as it was when written (later edits do not change it).
        public var lastMessage: String?
        /// The user's read marker.
        public var lastAccess: Timestamp
        /// Threads by their last activity, the latest last.
        public var threads: [Thread]
    }

    /// A thread of a channel.
    public struct Thread: Hashable, Sendable {
        /// The thread, and its head message.
        public var id: EntityID
        /// Replies that are not deleted.
        public var replies: Int
        /// Head first, then the replies as they came, deleted ones included.
        public var messages: [Message]
    }

    /// A message.
    public struct Message: Hashable, Sendable {
        /// The message.
        public var id: EntityID
        /// Who wrote it.
        public var user: EntityID
        /// The text; `Deleted message` when deleted.
        public var text: String
        /// `deleted` or nil.
        public var subtype: String?
        /// Whether it is pinned.
        public var isPinned: Bool
        /// When it was written.
        public var createdAt: Timestamp
        /// Reactions in the order of their first use.
        public var reactions: [Reaction]
    }

    /// One emoji's reactions.
    public struct Reaction: Hashable, Sendable {
        /// The emoji.
        public var name: String
        /// Who, in the order they reacted.
        public var users: [EntityID]
    }

    /// An unread thread.
    public struct Badge: Hashable, Sendable {
        /// The workspace; `direct` for directs.
        public var workspace: EntityID
        /// The channel.
        public var channel: EntityID
        /// The thread.
        public var thread: EntityID
    }

    /// Whose truth this is.
    public var user: EntityID
    /// The channels, in the order they were made.
    public var channels: [Channel]
    /// The badges, in the order they were made.
    public var badges: [Badge]
}

extension World {
    /// What is true for `user`.
    func truth(for user: EntityID) -> WorldTruth {
        WorldTruth(
            user: user,
            channels: channels.compactMap { channel in
                channel.membership(of: user).map { truth(of: channel, lastAccess: $0.lastAccess) }
            },
            badges: badges(of: user).map {
                WorldTruth.Badge(workspace: $0.workspace, channel: $0.channel, thread: $0.thread)
            })
    }

    private func truth(of channel: Channel, lastAccess: Int64) -> WorldTruth.Channel {
        WorldTruth.Channel(
            id: channel.id, workspace: channel.workspace, visibility: channel.visibility.rawValue, name: channel.name,
            members: channel.memberships.map(\.user), lastActivity: Timestamp(milliseconds: channel.lastActivity),
            lastMessage: channel.lastMessage?.text, lastAccess: Timestamp(milliseconds: lastAccess),
            threads: feed(of: channel).map { truth(of: $0) })
    }

    private func truth(of thread: Thread) -> WorldTruth.Thread {
        WorldTruth.Thread(
            id: thread.id, replies: replyCount(of: thread),
            messages: messages(ofThread: thread.id).map { truth(of: $0) })
    }

    private func truth(of message: Message) -> WorldTruth.Message {
        WorldTruth.Message(
            id: message.id, user: message.user, text: message.text, subtype: message.isDeleted ? "deleted" : nil,
            isPinned: message.pin != nil, createdAt: Timestamp(milliseconds: message.createdAt),
            reactions: message.reactions.map { WorldTruth.Reaction(name: $0.name, users: $0.users) })
    }

    /// Replies that are not deleted, the head not counted.
    func replyCount(of thread: Thread) -> Int {
        thread.replies.count { messages[$0].map { !$0.isDeleted } ?? false }
    }
}
