import Events
package import JSONText
import Wire

/// An action that is not done yet, and its progress.
///
///     queued ──► resolving ──► sending ──answer──► done (it leaves the outbox), or failed
///       ▲ ▲          │          │  │ ╲
///       │ └──────────┘          │  │  ╲ 401: parked ──token renewed──► queued
///       │         waiting ◄─────┘  │ no answer to a creation: in doubt
///       │            │ due         ▼
///       └────────────┴──────── checking (was it done?) ──yes──► done
///
/// A failed entry that sends a message stays, and can be retried or dropped. Any other failed entry leaves the outbox.
package struct OutboxEntry: Hashable, Sendable {
    /// The states of an entry, each with the states that may follow.
    enum State: Hashable, Sendable {
        /// The entry waits for its turn in its lane. Next: `resolving`, `checking`, `sending`, `failed`.
        case queued
        /// The resources that the request needs are being fetched. Next: `sending`, `waiting`, `failed`.
        case resolving([ResourceKey])
        /// The request is in flight. Next: done, `failed`, `waiting`, `parked`.
        case sending(request: Int)
        /// The action may have been done, and the resource that shows it is being fetched. Next: done, `queued`,
        /// `waiting`.
        case checking(ResourceKey)
        /// The next attempt starts at that moment. Next: `queued`.
        case waiting(until: Moment)
        /// The entry waits for the token to be renewed. Next: `queued`, `failed`.
        case parked
        /// The action was refused or cannot be done, for this reason. Next: `queued`, on a retry.
        case failed(why: String)
    }

    /// The action that the entry performs.
    package internal(set) var action: Action
    /// The number of times that the request was sent.
    package internal(set) var attempts = 0
    /// Whether the request was sent and its outcome is unknown.
    package internal(set) var isInDoubt = false
    /// The number of requests that failed because the token was refused. They do not count as attempts.
    var refusals = 0
    /// The number of checks that did not find the evidence.
    var absences = 0
    /// For a message, the time of the newest message that was known before the first attempt. An older message is not
    /// the echo.
    var baseline: Timestamp?
    var state = State.queued
    /// The resources fetched for the entry. Each is requested only once.
    var fetched: [ResourceKey] = []
    /// The reason why one of these resources could not be fetched.
    var fetchFailure: String?
    /// Messages that arrived since the first attempt and look like the action: its echo, or the same text from another
    /// device.
    var candidates: [EntityID] = []

    /// Creates an entry for an action that has not been tried.
    package init(_ action: Action) { self.action = action }

    /// Returns whether the entry continues once a resource is fetched.
    func waits(for key: ResourceKey) -> Bool {
        switch state {
        case .resolving(let keys): keys.contains(key)
        case .checking(let checked): checked == key
        case .queued, .sending, .waiting, .parked, .failed: false
        }
    }

    /// The reason why the action was refused or cannot be done; `nil` while it still can be.
    package var failure: String? { if case .failed(let why) = state { why } else { nil } }
}

// The state of an entry that outlives the process.
extension OutboxEntry {
    /// Writes the entry as a JSON object: the members of its action, and its progress. An action without a place of its
    /// own gets `place`.
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

    /// Creates an entry from the JSON that `encode` wrote, or returns `nil` for anything else. An entry that was in
    /// flight when it was written is in doubt.
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
