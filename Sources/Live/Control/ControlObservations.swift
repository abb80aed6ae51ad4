import JSONText
import Wire

/// What clients want to hear of when it changes. Pure: it is asked now and then, with the values as they are.
///
/// A value that changes and changes back between two looks is not told: what is told is how things stand.
struct ControlObservations {
    /// What can be observed.
    enum Property: String, CaseIterable {
        /// What the connection, or the replay, does.
        case state
        /// How many rooms are wanted, joined and refused.
        case rooms
        /// Events so far.
        case events
        /// Gaps so far.
        case gaps
        /// Events a second, over the last whole second.
        case rate
        /// The file being recorded to.
        case recording
        /// Whether the view is paused, and how much waits.
        case paused
        /// The filter of the view.
        case filter
        /// How many rooms the view hides, and how often that became others.
        case muted
        /// What the user looks at.
        case globals
        /// How far the synchronisation with the server is.
        case sync
        /// The user's actions that are not done, and what became of the last one.
        case actions
        /// Where a replay is.
        case position
    }

    /// A property was seen to have another value.
    struct Change: Hashable {
        /// Changes are numbered from 1 on, whichever property they are of.
        var number: Int
        var property: Property
        var value: JSONValue
    }

    /// What a client is told.
    enum Message: Hashable {
        case changed(client: UInt, observation: Int, Change)
        case ended(client: UInt, observation: Int, why: String)

        var client: UInt {
            switch self {
            case .changed(let client, _, _), .ended(let client, _, _): client
            }
        }
    }

    /// How an observation begins.
    struct Beginning: Hashable {
        var id: Int
        /// The number of the last change; the values are those behind it.
        var number: Int
        var values: [Property: JSONValue]
        /// Changes behind the one asked for that are not kept any more, of whichever property.
        var lost: Int
        /// What is to be told at once: the changes that are still kept.
        var missed: [Message]
    }

    /// One client does not need more.
    static let mostOfAClient = 16

    private struct Observation {
        let id: Int
        let client: UInt
        let isOnce: Bool
        let deadline: Moment?
        let properties: [Property]
    }

    /// How many changes are kept for who was cut off and comes back.
    private let kept: Int
    private var observations: [Observation] = []
    private var lastID = 0
    /// What was ever observed, with the values of the last look: who was cut off is still told what changed.
    private var known: [(property: Property, value: JSONValue)] = []
    /// The last changes, in order; a few more than are kept.
    private var changes: [Change] = []
    private var lastNumber = 0

    /// Nobody observes anything.
    init(keeping kept: Int = 1024) { self.kept = kept }

    /// Whether nothing was ever observed.
    var isIdle: Bool { known.isEmpty }
    /// Whether nobody observes anything now.
    var isEmpty: Bool { observations.isEmpty }

    /// Begins an observation: with the values as they are, or with the changes behind the number `after`. With `isOnce` it ends with
    /// the first change; with a deadline, then.
    mutating func add(
        of client: UInt, _ properties: [Property], isOnce: Bool, until deadline: Moment?, after: Int? = nil,
        _ value: (Property) -> JSONValue
    ) throws(ControlError) -> Beginning {
        guard observations.count(where: { $0.client == client }) < Self.mostOfAClient else {
            throw ControlError(.limit, "\(Self.mostOfAClient) observations of a client at most; end one with unobserve")
        }
        if let after, after > lastNumber {
            throw ControlError(.nothing, "there was no change \(after) yet: the last one is \(lastNumber)")
        }
        lastID += 1
        for property in properties where !known.contains(where: { $0.property == property }) {
            known.append((property, value(property)))
        }
        observations.append(
            Observation(id: lastID, client: client, isOnce: isOnce, deadline: deadline, properties: properties))
        let held = changes.suffix(kept)
        let first = held.first?.number ?? lastNumber + 1
        var missed: [Message] = []
        for change in held where change.number > after ?? lastNumber {
            missed += tell(change, only: lastID)
            removeEnded(missed)
        }
        let values = known.filter { properties.contains($0.property) }
        return Beginning(
            id: lastID, number: lastNumber,
            values: Dictionary(values.map { ($0.property, $0.value) }) { first, _ in first },
            lost: after.map { max(0, first - 1 - $0) } ?? 0, missed: missed)
    }

    /// Ends an observation; false when the client has none with that number.
    mutating func remove(_ id: Int, of client: UInt) -> Bool {
        guard let index = observations.firstIndex(where: { $0.id == id && $0.client == client }) else { return false }
        observations.remove(at: index)
        return true
    }

    /// A client is gone.
    mutating func removeAll(of client: UInt) { observations.removeAll { $0.client == client } }

    /// What changed since the last look, change by change, for each in the order the observations were begun.
    mutating func look(at now: Moment, _ value: (Property) -> JSONValue) -> [Message] {
        var messages: [Message] = []
        for index in known.indices {
            let current = value(known[index].property)
            guard current != known[index].value else { continue }
            known[index].value = current
            lastNumber += 1
            let change = Change(number: lastNumber, property: known[index].property, value: current)
            changes.append(change)
            if changes.count >= 2 * kept { changes.removeFirst(changes.count - kept) }
            messages += tell(change)
            removeEnded(messages)
        }
        for observation in observations where observation.deadline.map({ $0 <= now }) ?? false {
            messages.append(.ended(client: observation.client, observation: observation.id, why: "timeout"))
        }
        removeEnded(messages)
        return messages
    }

    /// Tells those who observe the property of a change; or only one of them.
    private func tell(_ change: Change, only id: Int? = nil) -> [Message] {
        var messages: [Message] = []
        for one in observations where one.properties.contains(change.property) && (id == nil || one.id == id) {
            messages.append(.changed(client: one.client, observation: one.id, change))
            if one.isOnce { messages.append(.ended(client: one.client, observation: one.id, why: "once")) }
        }
        return messages
    }

    private mutating func removeEnded(_ messages: [Message]) {
        let over = messages.compactMap { if case .ended(_, let id, _) = $0 { id } else { nil } }
        if !over.isEmpty { observations.removeAll { over.contains($0.id) } }
    }
}
