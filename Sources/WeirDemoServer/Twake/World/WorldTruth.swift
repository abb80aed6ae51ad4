package import WeirEvents

/// The true state for one user at one moment, for comparing a client's model with the server.
package struct WorldTruth: Hashable, Sendable {
    /// A channel of which the user is a member.
    package struct Channel: Hashable, Sendable {
        package var id: EntityID
        /// The workspace; `direct` for direct channels.
        package var workspace: EntityID
        /// The visibility on the wire: `public`, `private` or `direct`.
        package var visibility: String
        /// The name; empty for direct channels.
        package var name: String
        /// An emoji, or an empty text.
        package var icon: String
        /// The channel's purpose, or an empty text.
        package var description: String
        /// The user who created the channel.
        package var owner: EntityID
        /// The users of a direct channel, members or not; empty for other channels.
        package var participants: [EntityID]
        /// The members, in the order in which they joined.
        package var members: [EntityID]
        /// The members with their settings, in the same order.
        package var memberships: [Membership]
        /// The time of the last message, or of the channel's creation.
        package var lastActivity: Timestamp
        /// The text of the last message when it was written. Later edits do not change it, except in the last edition.
        package var lastMessage: String?
        /// The time of the last message; `nil` without one.
        package var lastDate: Timestamp?
        /// The sender of the last message; `nil` without one.
        package var lastSender: EntityID?
        /// The time up to which the user has read the channel.
        package var lastAccess: Timestamp
        /// Whether the user marked the channel as a favourite.
        package var isFavorite: Bool
        /// The user's notification level, as on the wire.
        package var notificationLevel: String
        /// Whether all users of the workspace are members.
        package var isDefault: Bool
        /// The time of the last change to name, icon or description.
        package var updatedAt: Timestamp
        /// The threads by their last activity, the latest last.
        package var threads: [Thread]
    }

    /// A user's membership of a channel.
    package struct Membership: Hashable, Sendable {
        package var user: EntityID
        /// The time up to which the user has read the channel.
        package var lastAccess: Timestamp
        /// Whether the user marked the channel as a favourite.
        package var isFavorite: Bool
        /// The user's notification level, as on the wire.
        package var notificationLevel: String
    }

    /// A thread of a channel, with its messages.
    package struct Thread: Hashable, Sendable {
        /// The id of the thread and of its head message.
        package var id: EntityID
        /// The number of replies that are not deleted.
        package var replies: Int
        /// The time of the latest message.
        package var lastActivity: Timestamp
        /// The head, then the replies in the order of arrival, including deleted ones.
        package var messages: [Message]
    }

    /// A message of a thread, as a client must show it.
    package struct Message: Hashable, Sendable {
        package var id: EntityID
        /// The user who wrote the message.
        package var user: EntityID
        /// The text; `Deleted message` when deleted.
        package var text: String
        /// The subtype on the wire: `deleted` or `nil`.
        package var subtype: String?
        package var isPinned: Bool
        /// The time at which the message was written.
        package var createdAt: Timestamp
        /// The time of the last change of any kind.
        package var updatedAt: Timestamp
        /// The time of the last edit of the text; `nil` when it was never edited.
        package var editedAt: Timestamp?
        /// The reactions, in the order of their first use.
        package var reactions: [Reaction]
    }

    /// The reactions with one emoji.
    package struct Reaction: Hashable, Sendable {
        /// The emoji, or its name as the client sent it.
        package var name: String
        /// The users in the order in which they reacted.
        package var users: [EntityID]
    }

    /// An unread thread of the user.
    package struct Badge: Hashable, Sendable {
        /// The workspace; `direct` for direct channels.
        package var workspace: EntityID
        package var channel: EntityID
        package var thread: EntityID
        /// The latest unread message of the thread.
        package var message: EntityID
    }

    /// The user whose view this is.
    package var user: EntityID
    /// The channels, in the order of creation.
    package var channels: [Channel]
    /// The badges, in the order of creation.
    package var badges: [Badge]
    package var companyName: String
    /// The full name of every user.
    package var names: [EntityID: String]
    /// The company's workspaces, in the order of creation.
    package var workspaces: [Workspace]
    /// Users who are online without a client of this server, in the order in which they came.
    package var present: [EntityID]

    /// A workspace of the company.
    package struct Workspace: Hashable, Sendable {
        package var id: EntityID
        package var name: String
    }
}

extension World {
    /// Returns the true state for `user`.
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

    /// Returns the number of replies that are not deleted, without the head.
    func replyCount(of thread: Thread) -> Int {
        thread.replies.count { messages[$0].map { !$0.isDeleted } ?? false }
    }
}
