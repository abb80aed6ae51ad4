package import Events

/// A Twake company as it really is: the truth that REST answers show and frames tell of.
///
/// Actions of users are its only inputs (`perform`). Each changes the world and gives the frames the real server would send,
/// in the rooms of eras A and B alike. The world has no clock: the time, milliseconds since 1970, comes with each action and must
/// not go back. New ids are given by the caller.
package struct World: Sendable {
    /// Bounds, so that no script and no client can make the world grow for ever.
    enum Limit {
        /// Workspaces.
        static let workspaces = 100
        /// Channels of all kinds.
        static let channels = 500
        /// Threads of one channel; beyond it the thread quiet for the longest time is forgotten, without a frame.
        static let threads = 5_000
        /// Replies of one thread.
        static let replies = 1_000
        /// Characters of one message.
        static let text = 30_000
        /// Characters of a channel's name, icon or description.
        static let title = 500
        /// Different reactions to one message.
        static let reactions = 50
        /// Files of the company.
        static let files = 1_000
        /// Bytes of one file; the proxy's own limit (4.3).
        static let file = 50_000_000
        /// Bytes of all files.
        static let fileBytes = 200_000_000
        /// Badges of one user; beyond it no more are made.
        static let badges = 1_000
    }

    /// Which server's frames these are.
    var edition = Edition.of2021
    /// Threads of one channel; the limit, but for tests.
    var maximumThreads = Limit.threads
    package let company: Company
    let badgeIDs: IDSource
    package var workspaces: [Workspace]
    package var users: [User]
    package var channels: [Channel] = []
    var messages: [EntityID: Message] = [:]
    var threads: [EntityID: Thread] = [:]
    var files: [EntityID: SentFile] = [:]
    /// Unread threads by user, each list in the order the badges were made.
    var badges: [EntityID: [Badge]] = [:]
    /// Users who are there without being clients of ours, in the order they came.
    package var present: [EntityID] = []
    /// Notifications the server holds back, in the order they are due.
    var delayed: [DelayedNotification] = []

    init(company: Company, workspaces: [Workspace], users: [User], seed: UInt64) {
        self.company = company
        self.workspaces = workspaces
        self.users = users
        badgeIDs = IDSource(seed: seed, stream: .badges)
    }

    /// What the workspace id of a direct channel reads on the wire.
    static let directWorkspace = EntityID("direct")

    var rooms: RoomNames { RoomNames(company: company.id) }

    func user(_ id: EntityID) -> User? { users.first { $0.id == id } }

    /// The user who logs in with that name or address.
    func user(login: String) -> User? { users.first { $0.email == login || $0.username == login } }

    /// The users whose whole name or user name has these words, the letters' case aside.
    func users(called words: String) -> [User] {
        let words = words.lowercased()
        return users.filter {
            words.isEmpty || $0.fullName.lowercased().contains(words) || $0.username.contains(words)
        }
    }

    func workspace(_ id: EntityID) -> Workspace? { workspaces.first { $0.id == id } }

    func channel(_ id: EntityID) -> Channel? { channels.first { $0.id == id } }

    /// A thread's messages that exist, head first, in the order they were written.
    package func messages(ofThread id: EntityID) -> [Message] {
        guard let thread = threads[id] else { return [] }
        return ([id] + thread.replies).compactMap { messages[$0] }
    }

    /// The channel's threads by their last activity, the latest last (the order of era B's feed).
    func feed(of channel: Channel) -> [Thread] {
        channel.threads.compactMap { threads[$0] }.enumerated()
            .sorted { ($0.element.lastActivity, $0.offset) < ($1.element.lastActivity, $1.offset) }
            .map(\.element)
    }

    /// The channels a user is a member of, in the order they were made.
    package func channels(of user: EntityID) -> [Channel] { channels.filter { $0.membership(of: user) != nil } }

    /// Whether a user may see a channel: it is public, or the user is a member or was invited to the direct.
    func isVisible(_ channel: Channel, to user: EntityID) -> Bool {
        channel.visibility == .public || channel.participants.contains(user) || channel.membership(of: user) != nil
    }
}
