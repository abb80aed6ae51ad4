import Events
package import JSONText
import Wire

/// One action that is not done yet, and how far it is.
///
///     queued ──► resolving ──► sending ──answer──► done (it leaves the outbox), or failed
///       ▲ ▲          │          │  │ ╲
///       │ └──────────┘          │  │  ╲ 401: parked ──token renewed──► queued
///       │         waiting ◄─────┘  │ no answer, of something made: in doubt
///       │            │ due         ▼
///       └────────────┴──────── checking (did it happen?) ──it did──► done
///
/// A failed one that sends a message stays, and can be sent again or dropped; every other one leaves.
package struct OutboxEntry: Hashable, Sendable {
    /// How far it is.
    enum State: Hashable, Sendable {
        /// It waits for its turn in its lane. Next: `resolving`, `checking`, `sending`, `failed`.
        case queued
        /// What its request needs to name is being fetched. Next: `sending`, `waiting`, `failed`.
        case resolving([ResourceKey])
        /// Its request is under way. Next: done, `failed`, `waiting`, `parked`.
        case sending(request: Int)
        /// Nobody knows whether it was done: what would show it is being fetched. Next: done, `queued`, `waiting`.
        case checking(ResourceKey)
        /// It is tried again at that moment. Next: `queued`.
        case waiting(until: Moment)
        /// The token is being renewed. Next: `queued`, `failed`.
        case parked
        /// It was refused, or cannot be done; why. Next: `queued`, when it is asked for again.
        case failed(why: String)
    }

    /// What is to be done.
    package internal(set) var action: Action
    /// How often its request was sent.
    package internal(set) var attempts = 0
    /// Whether its request was sent and nothing is known of what became of it.
    package internal(set) var isInDoubt = false
    /// How often the token was refused with its request. Such an attempt was no attempt.
    var refusals = 0
    /// How often what would show whether it was done was not there.
    var absences = 0
    /// Of a message: the time of the newest one known before the first attempt. What is older is not its echo.
    var baseline: Timestamp?
    var state = State.queued
    /// What was fetched for it, each asked for once.
    var fetched: [ResourceKey] = []
    /// Why the last of those could not be had.
    var fetchFailure: String?
    /// Messages that came since the first attempt and look like it: the own echo, or the same words from another device.
    var candidates: [EntityID] = []

    /// An action that nothing was done about.
    package init(_ action: Action) { self.action = action }

    /// Whether it goes on when a resource is there.
    func waits(for key: ResourceKey) -> Bool {
        switch state {
        case .resolving(let keys): keys.contains(key)
        case .checking(let checked): checked == key
        case .queued, .sending, .waiting, .parked, .failed: false
        }
    }

    /// Why it was refused, or cannot be done; nil while it may still be.
    package var failure: String? { if case .failed(let why) = state { why } else { nil } }
}

// What of an entry outlives the process.
extension OutboxEntry {
    /// Writes the entry as a JSON object: its action's members, and how far it is. What names no place is of `place`.
    package func encode(into writer: inout JSONWriter, in place: Action.Place? = nil) {
        var action = action
        action.place = action.place ?? place
        writer.beginObject()
        action.encodeMembers(into: &writer)
        writer.member("attempts", attempts)
        if isInDoubt || isUnderWay { writer.member("doubt", true) }
        if let baseline { writer.member("baseline", baseline.milliseconds) }
        writer.member("failure", failure)
        writer.endObject()
    }

    /// Reads what `encode` wrote; nil for anything else. What was under way when it was written is in doubt.
    package init?(_ value: JSONValue) {
        guard let action = Action(value) else { return nil }
        self.init(action)
        attempts = Int(clamping: max(0, value["attempts"]?.int64 ?? 0))
        isInDoubt = value["doubt"] == .bool(true)
        baseline = value["baseline"]?.int64.map { Timestamp(milliseconds: $0) }
        if let why = value["failure"]?.text { state = .failed(why: why) }
    }

    private var isUnderWay: Bool { if case .sending = state { true } else { false } }
}
