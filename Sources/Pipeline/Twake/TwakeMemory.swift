import Events

/// What the handlers remember beside the model: channels that were mentioned and are not listed, and how far the pages of a channel's
/// messages were followed.
struct TwakeMemory: Sendable {
    /// Following the pages of a channel's messages, newest first, until all that the model holds was seen.
    struct Walk: Sendable {
        /// Heads the model held when the walk began and no page has shown yet.
        var unseen: Set<EntityID>
        /// Heads the pages have shown.
        var seen: Set<EntityID>
        /// Pages asked for.
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
    /// How often a list is asked for a channel that it should hold.
    static let maximumAttempts = 8

    var walks: [EntityID: Walk] = [:]
    /// How far back somebody wants to see the messages of a channel the next time they are read.
    var depths: [EntityID: Timestamp] = [:]
    var accounts = TwakeAccountBook()
    var presence = TwakePresenceBook()
    var typing = TypingBook()
    /// Whether the lists of companies and workspaces are still to be asked for where no room brings them (era A).
    var needsPlaces = true
    /// Heads of channels that are remembered of an earlier session, and of which no page has been asked for yet.
    var kept: [EntityID: Set<EntityID>] = [:]
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

    /// The channel is gone, or left.
    mutating func forget(_ channel: EntityID) {
        walks[channel] = nil
        depths[channel] = nil
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
