package import WeirEvents
import WeirJSON

/// The true state of a Twake company, from which REST answers and frames are made.
///
/// Its only inputs are the users' actions (`perform`). Each action changes the world and returns the frames that the
/// real server would send, in the rooms of both eras A and B. The world has no clock: each action carries the time in
/// milliseconds since 1970, which must not go back. The caller supplies new ids.
package struct World: Sendable {
    /// Limits that keep scripts and clients from growing the world without bound.
    enum Limit {
        static let workspaces = 100
        /// Channels of all kinds, including direct ones.
        static let channels = 500
        /// Threads of one channel. Beyond this the least recently active thread is dropped without a frame.
        static let threads = 5_000
        /// Replies in one thread, without the head.
        static let replies = 1_000
        /// Characters of the text of one message.
        static let text = 30_000
        /// The maximum number of characters of a channel's name, icon or description.
        static let title = 500
        /// The maximum number of different reactions to one message.
        static let reactions = 50
        static let files = 1_000
        /// Bytes of one file, which is the proxy's own limit (Twake TW-78).
        static let file = 50_000_000
        /// Bytes of all files together.
        static let fileBytes = 200_000_000
        /// Badges of one user. Beyond this no more are created.
        static let badges = 1_000
    }

    /// The server whose frames the world creates.
    var edition = Edition.of2021
    /// The maximum number of threads in one channel. Only tests change it.
    var maximumThreads = Limit.threads
    package let company: Company
    let badgeIDs: IDSource
    package var workspaces: [Workspace]
    package var users: [User]
    package var channels: [Channel] = []
    var messages: [EntityID: Message] = [:]
    var threads: [EntityID: Thread] = [:]
    var files: [EntityID: SentFile] = [:]
    /// The unread threads by user, each list in the order in which the badges were created.
    var badges: [EntityID: [Badge]] = [:]
    /// Users who are online without a client here, in the order in which they came.
    package var present: [EntityID] = []
    /// Delayed notifications, in the order of their times.
    var delayed: [DelayedNotification] = []

    init(company: Company, workspaces: [Workspace], users: [User], seed: UInt64) {
        self.company = company
        self.workspaces = workspaces
        self.users = users
        badgeIDs = IDSource(seed: seed, stream: .badges)
    }

    /// The workspace id of direct channels on the wire.
    static let directWorkspace = EntityID("direct")

    var rooms: RoomNames { RoomNames(company: company.id) }

    func user(_ id: EntityID) -> User? { users.first { $0.id == id } }

    /// Returns the user with this user name or email address.
    func user(login: String) -> User? { users.first { $0.email == login || $0.username == login } }

    /// Returns the users whose full name or user name contains the words, ignoring case.
    func users(called words: String) -> [User] {
        let words = words.lowercased()
        return users.filter {
            words.isEmpty || $0.fullName.lowercased().contains(words) || $0.username.contains(words)
        }
    }

    func workspace(_ id: EntityID) -> Workspace? { workspaces.first { $0.id == id } }

    func channel(_ id: EntityID) -> Channel? { channels.first { $0.id == id } }

    /// Returns the existing messages of a thread: the head, then the replies in the order of creation.
    package func messages(ofThread id: EntityID) -> [Message] {
        guard let thread = threads[id] else { return [] }
        return ([id] + thread.replies).compactMap { messages[$0] }
    }

    /// Returns the channel's threads by their last activity, the latest last (the order of era B's feed).
    func feed(of channel: Channel) -> [Thread] {
        channel.threads.compactMap { threads[$0] }.enumerated()
            .sorted { ($0.element.lastActivity, $0.offset) < ($1.element.lastActivity, $1.offset) }
            .map(\.element)
    }

    /// Returns the channels of which a user is a member, in the order of creation.
    package func channels(of user: EntityID) -> [Channel] { channels.filter { $0.membership(of: user) != nil } }

    /// Returns whether a user may see a channel: it is public, or the user is a member or a participant of the direct
    /// channel.
    func isVisible(_ channel: Channel, to user: EntityID) -> Bool {
        channel.visibility == .public || channel.participants.contains(user) || channel.membership(of: user) != nil
    }
}

/// The real server that a world simulates where their behaviour differs (Twake TW-1).
package enum Edition: Hashable, Sendable {
    /// The server of 2021, eras A and B.
    case of2021
    /// The last server, era C. It sends the head again after each reply, repeats the frames of replies, updates a
    /// channel's last message when it is edited, and hides the text of exceptions.
    case last
}

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
