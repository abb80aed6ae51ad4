import Events
import Wire

/// The online users, with the time at which each expires, and the schedule of presence queries.
///
/// Servers report that a user comes online, but never that one leaves (Twake TW-21). So presence is queried, and a user
/// without news for 15 minutes, which is the server's own rule, counts as offline. Bounded: the book holds the first
/// `maximum` online users.
struct TwakePresenceBook: Sendable {
    static let maximum = 1_000
    /// The time between queries, which is how often the mobile app reports its own presence.
    static let interval: Duration = .seconds(300)
    /// How long a user counts as online after the last news.
    static let lifetime: Duration = .seconds(900)
    /// How long a user counts as typing. Clients stop after seven seconds (Twake TW-22); one second is for the
    /// transmission.
    static let typingLifetime: Duration = .seconds(8)

    /// The users who were online at some time since the room was joined.
    private var shown: Set<EntityID> = []
    /// The online users, with the time at which each expires.
    private var until: [EntityID: Moment] = [:]
    private var nextAsk: Moment?
    /// The users with an event since the last query. Such an event is newer than the answer.
    private var heard: Set<EntityID> = []
    /// The time of the next expiry or query; `nil` when neither is pending.
    private(set) var deadline: Moment?

    /// Records a user's status.
    ///
    /// - Returns: `false` when the book is full.
    mutating func note(_ user: EntityID, isOnline: Bool, at now: Moment) -> Bool {
        guard shown.contains(user) || shown.count < Self.maximum else { return false }
        shown.insert(user)
        until[user] = isOnline ? now + Self.lifetime : nil
        renewDeadline()
        return true
    }

    /// Records that the status came as an event, not as the answer to a query.
    mutating func noteTold(_ user: EntityID) { if shown.contains(user) { heard.insert(user) } }

    /// Whether an answer about the user is at least as new as the recorded status.
    func believesAnswer(about user: EntityID) -> Bool { !heard.contains(user) }

    /// Schedules a query at `due`, or earlier if one is already scheduled.
    mutating func ask(by due: Moment) {
        nextAsk = nextAsk.map { min($0, due) } ?? due
        renewDeadline()
    }

    /// Moves a scheduled query forward to `due`. Without a joined presence room, as in era A, nothing is scheduled.
    mutating func askSooner(by due: Moment) {
        if nextAsk != nil { ask(by: due) }
    }

    /// Returns whether a query is due, and if so schedules the next one.
    mutating func takeAsk(at now: Moment) -> Bool {
        guard let due = nextAsk, due <= now else { return false }
        nextAsk = now + Self.interval
        heard = []
        renewDeadline()
        return true
    }

    /// Removes and returns the users whose status has expired, sorted by id.
    mutating func expire(at now: Moment) -> [EntityID] {
        let expired = until.filter { $0.value <= now }.keys.sorted()
        for user in expired { until[user] = nil }
        renewDeadline()
        return expired
    }

    private mutating func renewDeadline() {
        // Take the minimum, so that the iteration order does not matter.
        let next = until.values.min()
        deadline = nextAsk.map { ask in next.map { min($0, ask) } ?? ask } ?? next
    }
}
