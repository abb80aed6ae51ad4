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
        /// Where a replay is.
        case position
    }

    /// What a client is told.
    enum Message: Hashable {
        case changed(client: UInt, observation: Int, Property, JSONValue)
        case ended(client: UInt, observation: Int, why: String)

        var client: UInt {
            switch self {
            case .changed(let client, _, _, _), .ended(let client, _, _): client
            }
        }
    }

    /// One client does not need more.
    static let mostOfAClient = 16

    private struct Observation {
        let id: Int
        let client: UInt
        let isOnce: Bool
        let deadline: Moment?
        var values: [(property: Property, value: JSONValue)]
    }

    private var observations: [Observation] = []
    private var lastID = 0

    /// Whether nobody observes anything.
    var isEmpty: Bool { observations.isEmpty }

    /// Begins an observation, with the values as they are. With `isOnce` it ends with the first change; with a deadline, then.
    mutating func add(
        of client: UInt, _ properties: [Property], isOnce: Bool, until deadline: Moment?,
        _ value: (Property) -> JSONValue
    ) throws(ControlError) -> (id: Int, values: [(property: Property, value: JSONValue)]) {
        guard observations.count(where: { $0.client == client }) < Self.mostOfAClient else {
            throw ControlError(.limit, "\(Self.mostOfAClient) observations of a client at most; end one with unobserve")
        }
        lastID += 1
        let values = properties.map { (property: $0, value: value($0)) }
        observations.append(
            Observation(id: lastID, client: client, isOnce: isOnce, deadline: deadline, values: values))
        return (lastID, values)
    }

    /// Ends an observation; false when the client has none with that number.
    mutating func remove(_ id: Int, of client: UInt) -> Bool {
        guard let index = observations.firstIndex(where: { $0.id == id && $0.client == client }) else { return false }
        observations.remove(at: index)
        return true
    }

    /// A client is gone.
    mutating func removeAll(of client: UInt) { observations.removeAll { $0.client == client } }

    /// What changed since the last look, in the order the observations were begun.
    mutating func look(at now: Moment, _ value: (Property) -> JSONValue) -> [Message] {
        var messages: [Message] = []
        var known: [Property: JSONValue] = [:]
        for index in observations.indices {
            let observation = observations[index]
            var hasChanged = false
            for (place, last) in observation.values.enumerated() where !(hasChanged && observation.isOnce) {
                let current = known[last.property] ?? value(last.property)
                known[last.property] = current
                guard current != last.value else { continue }
                hasChanged = true
                observations[index].values[place].value = current
                messages.append(
                    .changed(client: observation.client, observation: observation.id, last.property, current))
            }
            let isLate = observation.deadline.map { $0 <= now } ?? false
            guard hasChanged && observation.isOnce || isLate else { continue }
            messages.append(
                .ended(
                    client: observation.client, observation: observation.id,
                    why: hasChanged && observation.isOnce ? "once" : "timeout"
                ))
        }
        let over = messages.compactMap { if case .ended(_, let id, _) = $0 { id } else { nil } }
        observations.removeAll { over.contains($0.id) }
        return messages
    }
}
