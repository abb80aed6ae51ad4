package import Events

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
