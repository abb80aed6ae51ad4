package import Events
import JSONText

/// The only company of a world.
package struct Company: Hashable, Sendable {
    package var id: EntityID
    var name: String
}

/// A workspace of the company. All users are members except those who were removed.
package struct Workspace: Hashable, Sendable {
    package var id: EntityID
    var name: String
    var createdAt: Int64
    /// The user who created the workspace; `nil` for one that existed from the beginning.
    var owner: EntityID?
    /// The users who were removed from the workspace. All others are members.
    var removed: Set<EntityID> = []
}

/// A user of the company, with account details.
package struct User: Hashable, Sendable {
    package var id: EntityID
    /// The name in mentions and logins, without `@`.
    var username: String
    var firstName: String
    var lastName: String
    var createdAt: Int64
    /// Whether the user has a picture.
    var hasPicture = false
    var language = "en"
    /// The user's status: an emoji and words, or empty.
    var status = ""

    var fullName: String { lastName.isEmpty ? firstName : "\(firstName) \(lastName)" }
    var email: String { "\(username)@example.org" }
}

/// The messages of which a member is notified.
package enum NotificationLevel: String, Hashable, Sendable, CaseIterable {
    /// All messages of the channel.
    case all
    /// Messages with the user's name, `@all` or `@here`.
    case mentions
    /// Messages with the user's name.
    case me
    case none
}

/// A user's membership of a channel. Times are milliseconds since 1970.
package struct Membership: Hashable, Sendable {
    var user: EntityID
    var lastAccess: Int64
    var isFavorite = false
    var level = NotificationLevel.all
    var createdAt: Int64
    var updatedAt: Int64
}

/// A channel of a workspace, or a direct channel between users.
package struct Channel: Hashable, Sendable {
    enum Visibility: String, Hashable, Sendable {
        case `public`, `private`, direct
    }

    package var id: EntityID
    /// The workspace's id; `direct` for direct channels.
    var workspace: EntityID
    var visibility: Visibility
    /// The name; empty for direct channels.
    var name: String
    var icon: String
    var description: String
    var owner: EntityID
    var isDefault = false
    /// The two or more users of a direct channel, including those who are not members yet; empty for other channels.
    package var participants: [EntityID] = []
    var memberships: [Membership] = []
    var lastActivity: Int64 = 0
    var lastMessage: MessageSummary?
    var createdAt: Int64
    var updatedAt: Int64
    /// The channel's threads, in the order of creation.
    package var threads: [EntityID] = []

    var isDirect: Bool { visibility == .direct }

    package func membership(of user: EntityID) -> Membership? { memberships.first { $0.user == user } }
}

/// A short form of a channel's last message.
struct MessageSummary: Hashable, Sendable {
    var date: Int64
    var sender: EntityID
    var senderName: String
    var title: String
    var text: String
}

/// A message: a head (`thread` is its own id) or a reply.
package struct Message: Hashable, Sendable {
    struct Reaction: Hashable, Sendable {
        var name: String
        var users: [EntityID]
    }
    struct Pin: Hashable, Sendable {
        var at: Int64
        var by: EntityID
    }

    package var id: EntityID
    var thread: EntityID
    var channel: EntityID
    package var user: EntityID
    var text: String
    /// The files that were sent with the message.
    var files: [EntityID] = []
    /// An object that the sending client stores with the message.
    var context: JSONValue?
    /// Whether the message is deleted. A deleted message keeps its place but loses its contents (Twake TW-39).
    package var isDeleted = false
    package var createdAt: Int64
    var updatedAt: Int64
    var editedAt: Int64?
    var pin: Pin?
    var reactions: [Reaction] = []

    var isHead: Bool { thread == id }
}

/// An uploaded file with its contents.
struct SentFile: Hashable, Sendable {
    var id: EntityID
    var owner: EntityID
    /// The message that the file was sent with; `nil` until there is one.
    var message: EntityID?
    var name: String
    /// The media type of the file.
    var type = "text/plain"
    var bytes: [UInt8]
}

/// A head message and its replies.
struct Thread: Hashable, Sendable {
    var id: EntityID
    var channel: EntityID
    var createdBy: EntityID
    var createdAt: Int64
    /// The time of the latest message. Edits do not count.
    var lastActivity: Int64
    /// The replies in the order of arrival.
    var replies: [EntityID] = []
}

/// An unread thread of one user. Its identity is (user, channel, thread); the `id` on the wire has no meaning.
struct Badge: Hashable, Sendable {
    var id: EntityID
    var user: EntityID
    var workspace: EntityID
    var channel: EntityID
    var thread: EntityID
    /// The latest unread message of the thread.
    var message: EntityID
}

/// A notification that is not sent yet. The server waits two seconds before it notifies of a direct message
/// (Twake TW-54).
struct DelayedNotification: Hashable, Sendable {
    var due: Int64
    var message: EntityID
    var recipient: EntityID
}
