import Events

/// The known range of a channel's threads. A position is the time of a thread's last activity, in milliseconds since
/// 1970.
typealias TwakeReach = Reach<EntityID, Int64>

/// The state of the handlers outside the model: channels that were mentioned but not listed, and the known ranges of
/// messages.
struct TwakeMemory: Sendable {
    /// The reading of a thread with more than one page, from its end backwards.
    struct LongThread: Sendable {
        var channel: EntityID?
        /// The ids on the pages so far.
        var listed: Set<EntityID> = []
        /// Whether every row of the pages could be decoded.
        var isWhole = true
        var pages = 1
        /// The cursor of the requested page; `nil` while the thread has only one page.
        var next: EntityID?
    }

    /// A channel that a list should contain, with the number of fetches made for it.
    private struct Awaited: Sendable {
        var list: ResourceKey
        var attempts = 0
    }

    /// The limits on what a server can make the memory hold.
    private static let maximumChannels = 5_000
    private static let mostRemoved = 1_000
    /// The maximum number of fetches of a list for a channel that it should contain.
    static let maximumAttempts = 8

    var reaches: [EntityID: TwakeReach] = [:]
    /// The messages that notices removed while answers were in flight, the newest last. Older answers must not bring
    /// them back.
    private(set) var removed: [EntityID] = []
    /// The replies on the pages of a channel's current walk (era A).
    var listed: [EntityID: Set<EntityID>] = [:]
    /// The long threads being read, by the id of their head.
    var longThreads: [EntityID: LongThread] = [:]
    /// The threads with a hole, each with its channel. `deepThreads` contains those to read completely.
    private var brokenThreads: [EntityID: EntityID] = [:]
    private var deepThreads: Set<EntityID> = []
    var accounts = TwakeAccountBook()
    var presence = TwakePresenceBook()
    var typing = TypingBook()
    /// Whether the lists of companies and workspaces must be fetched, since no room causes it (era A).
    var needsPlaces = true
    /// The channels that an event assigned to the user and that are not listed yet (Twake TW-54).
    private var awaited: [EntityID: Awaited] = [:]
    /// The channels that were mentioned but do not belong to the user. They are not fetched again (Twake TW-56).
    private var strangers: Set<EntityID> = []
    var told = ReportedFailures()

    /// Whether an unlisted channel was mentioned before, so that another mention causes no fetch.
    func isStranger(_ channel: EntityID) -> Bool { strangers.contains(channel) }

    /// Records a mention of an unknown channel that nothing assigns to the user.
    mutating func mention(_ channel: EntityID) {
        if strangers.count >= Self.maximumChannels { strangers = [] }
        strangers.insert(channel)
    }

    /// Records that an event assigned an unknown channel to the user. The list gets all its attempts again.
    mutating func await(_ channel: EntityID, in list: ResourceKey) {
        strangers.remove(channel)
        if awaited.count >= Self.maximumChannels { awaited = [:] }
        awaited[channel] = Awaited(list: list)
    }

    /// Records that a list contains the channel.
    mutating func listed(_ channel: EntityID) {
        if !awaited.isEmpty { awaited[channel] = nil }
        if !strangers.isEmpty { strangers.remove(channel) }
    }

    /// Records that a notice removed a message.
    ///
    /// - Parameter isFetching: Whether an answer in flight may still contain the message.
    mutating func noteRemoval(of message: EntityID, isFetching: Bool) {
        guard isFetching else { return removed = [] }
        if removed.count == Self.mostRemoved { removed.removeFirst() }
        removed.append(message)
    }

    /// Whether a message is as old as the start of the channel's known range, or older.
    func isBeyond(_ message: Twake.Message, in channel: EntityID?) -> Bool {
        guard let start = channel.flatMap({ reaches[$0]?.start }), let at = message.createdAt else { return false }
        return at.milliseconds <= start
    }

    /// Forgets the ranges and threads of a channel whose messages are no longer followed.
    mutating func forgetMessages(of channel: EntityID) {
        reaches[channel] = nil
        listed[channel] = nil
        longThreads = longThreads.filter { $0.value.channel != channel }
        deepThreads = deepThreads.filter { brokenThreads[$0] != channel }
        brokenThreads = brokenThreads.filter { $0.value != channel }
    }

    /// Records the result of reading a thread: a hole, or `nil` when the thread is complete.
    mutating func note(hole: Hole?, inThread thread: EntityID, of channel: EntityID?) {
        brokenThreads[thread] = hole == nil ? nil : channel
        deepThreads.remove(thread)
    }

    /// Whether to read a thread completely.
    func isDeep(_ thread: EntityID) -> Bool { deepThreads.contains(thread) }

    /// Marks the threads of a channel that have a hole, so that they are read completely.
    mutating func deepen(_ channel: EntityID) {
        for (thread, place) in brokenThreads where place == channel { deepThreads.insert(thread) }
    }

    /// Returns the threads of a channel to read completely, sorted by id.
    func deepThreads(of channel: EntityID) -> [EntityID] {
        deepThreads.filter { brokenThreads[$0] == channel }.sorted()
    }

    /// Forgets a channel that was deleted or left.
    mutating func forget(_ channel: EntityID) {
        forgetMessages(of: channel)
        awaited[channel] = nil
        strangers.remove(channel)
    }

    /// Returns the delay before a list is fetched again for the channels missing from it, or `nil` when none is missing
    /// or all attempts are used up.
    mutating func nextAttempt(of list: ResourceKey) -> Duration? {
        var delay: Duration?
        for (channel, entry) in awaited where entry.list == list {
            guard entry.attempts < Self.maximumAttempts else {
                awaited[channel] = nil
                continue
            }
            awaited[channel]?.attempts += 1
            // Take the minimum, so that the iteration order does not matter. The delays are 0.5, 1, 2, … 30 seconds.
            let own = Duration.milliseconds(min(500 << entry.attempts, 30_000))
            delay = min(delay ?? own, own)
        }
        return delay
    }
}
