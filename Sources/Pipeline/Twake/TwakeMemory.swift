import Events

/// How far back the threads of a channel are known: each stands where its last activity puts it, milliseconds since 1970.
typealias TwakeReach = Reach<EntityID, Int64>

/// What the handlers remember beside the model: channels that were mentioned and are not listed, and how far back the messages of a channel
/// are known.
struct TwakeMemory: Sendable {
    /// A thread of more than one page, read from its end on.
    struct LongThread: Sendable {
        var channel: EntityID?
        /// What the pages held.
        var listed: Set<EntityID> = []
        /// Whether all rows of the pages could be read.
        var isWhole = true
        var pages = 1
        /// What the page ends with that is being asked for.
        var next: EntityID?
    }

    /// A channel that a list should hold, and how often the list was asked for it.
    private struct Awaited: Sendable {
        var list: ResourceKey
        var attempts = 0
    }

    /// Bounds of what a server can make the memory hold.
    private static let maximumChannels = 5_000
    private static let mostRemoved = 1_000
    /// How often a list is asked for a channel that it should hold.
    static let maximumAttempts = 8

    var reaches: [EntityID: TwakeReach] = [:]
    /// Messages that notices removed while answers were on their way, the newest last: an answer that was asked for before does not bring them
    /// back.
    private(set) var removed: [EntityID] = []
    /// Replies that the pages of a channel's walk have listed (era A).
    var listed: [EntityID: Set<EntityID>] = [:]
    /// Long threads that are being read, by their heads.
    var longThreads: [EntityID: LongThread] = [:]
    /// Threads with a hole, each with its channel; and those of them that somebody wants to see whole.
    private var brokenThreads: [EntityID: EntityID] = [:]
    private var deepThreads: Set<EntityID> = []
    var accounts = TwakeAccountBook()
    var presence = TwakePresenceBook()
    var typing = TypingBook()
    /// Whether the lists of companies and workspaces are still to be asked for where no room brings them (era A).
    var needsPlaces = true
    /// Channels that are the user's, as an event said, and are not listed yet (T7).
    private var awaited: [EntityID: Awaited] = [:]
    /// Channels that were mentioned and are not the user's: not asked for again (T9).
    private var strangers: Set<EntityID> = []
    var told = ToldFailures()

    /// Whether a mention of an unlisted channel is a reason to ask the list.
    func isStranger(_ channel: EntityID) -> Bool { strangers.contains(channel) }

    /// An event mentions a channel that is not known, and that nothing says to be the user's.
    mutating func mention(_ channel: EntityID) {
        if strangers.count >= Self.maximumChannels { strangers = [] }
        strangers.insert(channel)
    }

    /// An event says that a channel, which is not known, is the user's: the list has all its chances (again).
    mutating func await(_ channel: EntityID, in list: ResourceKey) {
        strangers.remove(channel)
        if awaited.count >= Self.maximumChannels { awaited = [:] }
        awaited[channel] = Awaited(list: list)
    }

    /// A list holds the channel.
    mutating func listed(_ channel: EntityID) {
        if !awaited.isEmpty { awaited[channel] = nil }
        if !strangers.isEmpty { strangers.remove(channel) }
    }

    /// A notice says that a message is gone. `isFetching`: whether an answer is on its way that may still hold it.
    mutating func noteRemoval(of message: EntityID, isFetching: Bool) {
        guard isFetching else { return removed = [] }
        if removed.count == Self.mostRemoved { removed.removeFirst() }
        removed.append(message)
    }

    /// Whether a message is as old as where what is known of its channel begins, or older.
    func isBeyond(_ message: Twake.Message, in channel: EntityID?) -> Bool {
        guard let start = channel.flatMap({ reaches[$0]?.start }), let at = message.createdAt else { return false }
        return at.milliseconds <= start
    }

    /// What is said in the channel is not followed any more.
    mutating func forgetMessages(of channel: EntityID) {
        reaches[channel] = nil
        listed[channel] = nil
        longThreads = longThreads.filter { $0.value.channel != channel }
        deepThreads = deepThreads.filter { brokenThreads[$0] != channel }
        brokenThreads = brokenThreads.filter { $0.value != channel }
    }

    /// A thread was read to its bound, or whole.
    mutating func note(hole: Hole?, inThread thread: EntityID, of channel: EntityID?) {
        brokenThreads[thread] = hole == nil ? nil : channel
        deepThreads.remove(thread)
    }

    /// Whether somebody wants to see all of a thread.
    func isDeep(_ thread: EntityID) -> Bool { deepThreads.contains(thread) }

    /// Somebody wants to see what is missing in the threads of a channel, too.
    mutating func deepen(_ channel: EntityID) {
        for (thread, place) in brokenThreads where place == channel { deepThreads.insert(thread) }
    }

    /// The threads of a channel that are to be read whole, in order.
    func deepThreads(of channel: EntityID) -> [EntityID] {
        deepThreads.filter { brokenThreads[$0] == channel }.sorted()
    }

    /// The channel is gone, or left.
    mutating func forget(_ channel: EntityID) {
        forgetMessages(of: channel)
        awaited[channel] = nil
        strangers.remove(channel)
    }

    /// After a list was read: in how long it is to be asked again for the channels that should be in it, nil when none is missing or
    /// worth it any more.
    mutating func nextAttempt(of list: ResourceKey) -> Duration? {
        var delay: Duration?
        for (channel, entry) in awaited where entry.list == list {
            guard entry.attempts < Self.maximumAttempts else {
                awaited[channel] = nil
                continue
            }
            awaited[channel]?.attempts += 1
            // The shortest counts, whatever the order: 0.5, 1, 2, … 30 seconds.
            let own = Duration.milliseconds(min(500 << entry.attempts, 30_000))
            delay = min(delay ?? own, own)
        }
        return delay
    }
}
