package import Events
import JSONText

/// The one company of a world.
package struct Company: Hashable, Sendable {
    package var id: EntityID
    var name: String
}

/// A workspace of the company.
package struct Workspace: Hashable, Sendable {
    package var id: EntityID
    var name: String
    var createdAt: Int64
    /// The user that made it; nil for one that was there from the beginning.
    var owner: EntityID?
    /// The users that were taken out of it; all others belong to it.
    var removed: Set<EntityID> = []
}

/// A user.
package struct User: Hashable, Sendable {
    package var id: EntityID
    /// The name in mentions and logins, without `@`.
    var username: String
    var firstName: String
    var lastName: String
    var createdAt: Int64
    /// Whether there is a picture of the user.
    var hasPicture = false
    var language = "en"
    /// What the user says about themselves: an emoji and words, or nothing.
    var status = ""

    var fullName: String { lastName.isEmpty ? firstName : "\(firstName) \(lastName)" }
    var email: String { "\(username)@example.org" }
}

/// When a member is notified.
package enum NotificationLevel: String, Hashable, Sendable, CaseIterable {
    /// Of every message.
    case all
    /// Of messages with the user's name, `@all` or `@here`.
    case mentions
    /// Of messages with the user's name.
    case me
    case none
}

/// A user's membership of a channel.
package struct Membership: Hashable, Sendable {
    var user: EntityID
    var lastAccess: Int64
    var isFavorite = false
    var level = NotificationLevel.all
    var createdAt: Int64
    var updatedAt: Int64
}

/// A channel of a workspace, or a direct.
package struct Channel: Hashable, Sendable {
    enum Visibility: String, Hashable, Sendable {
        case `public`, `private`, direct
    }

    package var id: EntityID
    /// `direct` for directs.
    var workspace: EntityID
    var visibility: Visibility
    /// Empty for directs.
    var name: String
    var icon: String
    var description: String
    var owner: EntityID
    var isDefault = false
    /// The two or more users of a direct, whether members yet or not; empty for other channels.
    package var participants: [EntityID] = []
    var memberships: [Membership] = []
    var lastActivity: Int64 = 0
    var lastMessage: MessageSummary?
    var createdAt: Int64
    var updatedAt: Int64
    /// Threads in the order they were begun.
    package var threads: [EntityID] = []

    var isDirect: Bool { visibility == .direct }

    package func membership(of user: EntityID) -> Membership? { memberships.first { $0.user == user } }
}

/// The last message of a channel, in short.
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
    /// The files that were sent with it.
    var files: [EntityID] = []
    /// What the client that sent it keeps with it.
    var context: JSONValue?
    /// A deleted message keeps its place and loses its contents (3.3).
    package var isDeleted = false
    package var createdAt: Int64
    var updatedAt: Int64
    var editedAt: Int64?
    var pin: Pin?
    var reactions: [Reaction] = []

    var isHead: Bool { thread == id }
}

/// An uploaded file.
struct SentFile: Hashable, Sendable {
    var id: EntityID
    var owner: EntityID
    /// The message it was sent with; nil until there is one.
    var message: EntityID?
    var name: String
    /// Its media type.
    var type = "text/plain"
    var bytes: [UInt8]
}

/// A head message and its replies.
struct Thread: Hashable, Sendable {
    var id: EntityID
    var channel: EntityID
    var createdBy: EntityID
    var createdAt: Int64
    /// The time of the latest message; edits do not count.
    var lastActivity: Int64
    /// In the order they came.
    var replies: [EntityID] = []
}

/// One unread thread of one user. Its identity is (user, channel, thread); the wire's `id` means nothing.
struct Badge: Hashable, Sendable {
    var id: EntityID
    var user: EntityID
    var workspace: EntityID
    var channel: EntityID
    var thread: EntityID
    /// The latest unread message.
    var message: EntityID
}

/// A notification that is not sent yet: the server waits two seconds before it notifies of a direct message (T7).
struct DelayedNotification: Hashable, Sendable {
    var due: Int64
    var message: EntityID
    var recipient: EntityID
}
