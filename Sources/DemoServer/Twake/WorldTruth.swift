package import Events

/// What is true for one user at one moment, for comparing a client's model with the server.
package struct WorldTruth: Hashable, Sendable {
    /// A channel the user is a member of.
    package struct Channel: Hashable, Sendable {
        /// The channel.
        package var id: EntityID
        /// Its workspace; `direct` for directs.
        package var workspace: EntityID
        /// `public`, `private`, `direct`.
        package var visibility: String
        /// Empty for directs.
        package var name: String
        /// An emoji, or empty.
        package var icon: String
        /// What it is for, or empty.
        package var description: String
        /// Who made it.
        package var owner: EntityID
        /// The users of a direct, members or not; empty for other channels.
        package var participants: [EntityID]
        /// The members, in the order they joined.
        package var members: [EntityID]
        /// The same, with what each made of the channel.
        package var memberships: [Membership]
        /// The time of the last message, or of the channel's making.
        package var lastActivity: Timestamp
        /// The last message's text as it was when written (later edits do not change it).
        package var lastMessage: String?
        /// When the last message was written.
        package var lastDate: Timestamp?
        /// Who wrote the last message.
        package var lastSender: EntityID?
        /// The user's read marker.
        package var lastAccess: Timestamp
        /// Whether the user marked it.
        package var isFavorite: Bool
        /// Which of its messages the user is notified of: the wire's word.
        package var notificationLevel: String
        /// Whether everybody of the workspace is in it.
        package var isDefault: Bool
        /// When name, icon or description last changed.
        package var updatedAt: Timestamp
        /// Threads by their last activity, the latest last.
        package var threads: [Thread]
    }

    /// A user's membership of a channel.
    package struct Membership: Hashable, Sendable {
        /// Who.
        package var user: EntityID
        /// When they last read it.
        package var lastAccess: Timestamp
        /// Whether they marked it.
        package var isFavorite: Bool
        /// Which of its messages they are notified of: the wire's word.
        package var notificationLevel: String
    }

    /// A thread of a channel.
    package struct Thread: Hashable, Sendable {
        /// The thread, and its head message.
        package var id: EntityID
        /// Replies that are not deleted.
        package var replies: Int
        /// When its latest message was written.
        package var lastActivity: Timestamp
        /// Head first, then the replies as they came, deleted ones included.
        package var messages: [Message]
    }

    /// A message.
    package struct Message: Hashable, Sendable {
        /// The message.
        package var id: EntityID
        /// Who wrote it.
        package var user: EntityID
        /// The text; `Deleted message` when deleted.
        package var text: String
        /// `deleted` or nil.
        package var subtype: String?
        /// Whether it is pinned.
        package var isPinned: Bool
        /// When it was written.
        package var createdAt: Timestamp
        /// When it last changed in any way.
        package var updatedAt: Timestamp
        /// When its text was last edited.
        package var editedAt: Timestamp?
        /// Reactions in the order of their first use.
        package var reactions: [Reaction]
    }

    /// One emoji's reactions.
    package struct Reaction: Hashable, Sendable {
        /// The emoji.
        package var name: String
        /// Who, in the order they reacted.
        package var users: [EntityID]
    }

    /// An unread thread.
    package struct Badge: Hashable, Sendable {
        /// The workspace; `direct` for directs.
        package var workspace: EntityID
        /// The channel.
        package var channel: EntityID
        /// The thread.
        package var thread: EntityID
        /// The latest unread message.
        package var message: EntityID
    }

    /// Whose truth this is.
    package var user: EntityID
    /// The channels, in the order they were made.
    package var channels: [Channel]
    /// The badges, in the order they were made.
    package var badges: [Badge]
    /// What the company is called.
    package var companyName: String
    /// Everybody's full name.
    package var names: [EntityID: String]
    /// The company's workspaces: the name of each, in the order they were made.
    package var workspaces: [Workspace]
    /// Who of those who are no clients is there, in the order they came.
    package var present: [EntityID]

    /// A workspace of the company.
    package struct Workspace: Hashable, Sendable {
        /// The workspace.
        package var id: EntityID
        /// What it is called.
        package var name: String
    }
}

extension World {
    /// What is true for `user`.
    package func truth(for user: EntityID) -> WorldTruth {
        WorldTruth(
            user: user,
            channels: channels.compactMap { channel in
                channel.membership(of: user).map { truth(of: channel, $0) }
            },
            badges: badges(of: user).map {
                WorldTruth.Badge(
                    workspace: $0.workspace, channel: $0.channel, thread: $0.thread, message: $0.message)
            },
            companyName: company.name,
            names: Dictionary(users.map { ($0.id, $0.fullName) }) { first, _ in first },
            workspaces: workspaces.map { WorldTruth.Workspace(id: $0.id, name: $0.name) }, present: present)
    }

    private func truth(of channel: Channel, _ membership: Membership) -> WorldTruth.Channel {
        WorldTruth.Channel(
            id: channel.id, workspace: channel.workspace, visibility: channel.visibility.rawValue, name: channel.name,
            icon: channel.icon, description: channel.description, owner: channel.owner,
            participants: channel.participants, members: channel.memberships.map(\.user),
            memberships: channel.memberships.map {
                WorldTruth.Membership(
                    user: $0.user, lastAccess: Timestamp(milliseconds: $0.lastAccess), isFavorite: $0.isFavorite,
                    notificationLevel: $0.level.rawValue)
            },
            lastActivity: Timestamp(milliseconds: channel.lastActivity),
            lastMessage: channel.lastMessage?.text,
            lastDate: channel.lastMessage.map { Timestamp(milliseconds: $0.date) },
            lastSender: channel.lastMessage?.sender, lastAccess: Timestamp(milliseconds: membership.lastAccess),
            isFavorite: membership.isFavorite, notificationLevel: membership.level.rawValue,
            isDefault: channel.isDefault, updatedAt: Timestamp(milliseconds: channel.updatedAt),
            threads: feed(of: channel).map { truth(of: $0) })
    }

    private func truth(of thread: Thread) -> WorldTruth.Thread {
        WorldTruth.Thread(
            id: thread.id, replies: replyCount(of: thread),
            lastActivity: Timestamp(milliseconds: thread.lastActivity),
            messages: messages(ofThread: thread.id).map { truth(of: $0) })
    }

    private func truth(of message: Message) -> WorldTruth.Message {
        WorldTruth.Message(
            id: message.id, user: message.user, text: message.text, subtype: message.isDeleted ? "deleted" : nil,
            isPinned: message.pin != nil, createdAt: Timestamp(milliseconds: message.createdAt),
            updatedAt: Timestamp(milliseconds: message.updatedAt),
            editedAt: message.editedAt.map { Timestamp(milliseconds: $0) },
            reactions: message.reactions.map { WorldTruth.Reaction(name: $0.name, users: $0.users) })
    }

    /// Replies that are not deleted, the head not counted.
    func replyCount(of thread: Thread) -> Int {
        thread.replies.count { messages[$0].map { !$0.isDeleted } ?? false }
    }
}
