import Events
import Wire

/// Until when who is there is believed to be, and when the server is asked.
///
/// Servers tell who comes and never who leaves (1.6): it is asked for, and whoever nothing is heard of for a quarter of an hour, which is
/// the server's own rule, is gone. Bounded: the first `maximum` users who are there are shown.
struct TwakePresenceBook: Sendable {
    static let maximum = 1_000
    /// How often the server is asked: as often as the app says that it is there.
    static let interval: Duration = .seconds(300)
    /// How long a user is believed to be there after the last word of it.
    static let lifetime: Duration = .seconds(900)
    /// How long a user is believed to type: clients stop by themselves after seven seconds (1.6); a second more is the way.
    static let typingLifetime: Duration = .seconds(8)

    /// Users who were there since the room was joined.
    private var shown: Set<EntityID> = []
    /// Who is there, until when.
    private var until: [EntityID: Moment] = [:]
    private var nextAsk: Moment?
    /// Of whom something was heard since the server was last asked: that is newer than its answer.
    private var heard: Set<EntityID> = []
    /// When the next of all this is due.
    private(set) var deadline: Moment?

    /// Something was heard of a user; false when there is no room for another one.
    mutating func note(_ user: EntityID, isOnline: Bool, at now: Moment) -> Bool {
        guard shown.contains(user) || shown.count < Self.maximum else { return false }
        shown.insert(user)
        until[user] = isOnline ? now + Self.lifetime : nil
        renewDeadline()
        return true
    }

    /// What was heard was told by itself, not asked for.
    mutating func noteTold(_ user: EntityID) { if shown.contains(user) { heard.insert(user) } }

    /// Whether an answer about the user is as new as what is known.
    func believesAnswer(about user: EntityID) -> Bool { !heard.contains(user) }

    /// The server is to be asked, at that time at the latest.
    mutating func ask(by due: Moment) {
        nextAsk = nextAsk.map { min($0, due) } ?? due
        renewDeadline()
    }

    /// Somebody is there to be asked after; a server in whose room nobody is, or that has none (era A), is not asked.
    mutating func askSooner(by due: Moment) {
        if nextAsk != nil { ask(by: due) }
    }

    /// Whether the server is to be asked now; it is asked again in a while.
    mutating func takeAsk(at now: Moment) -> Bool {
        guard let due = nextAsk, due <= now else { return false }
        nextAsk = now + Self.interval
        heard = []
        renewDeadline()
        return true
    }

    /// Takes the users whose time is up.
    mutating func expire(at now: Moment) -> [EntityID] {
        let expired = until.filter { $0.value <= now }.keys.sorted()
        for user in expired { until[user] = nil }
        renewDeadline()
        return expired
    }

    private mutating func renewDeadline() {
        // The earliest of all, in whatever order they are looked at.
        let next = until.values.min()
        deadline = nextAsk.map { ask in next.map { min($0, ask) } ?? ask } ?? next
    }
}
