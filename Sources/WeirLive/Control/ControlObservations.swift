import WeirJSON
import WeirNetwork
import WeirTerminal
import WeirThreads
import WeirWire

/// The properties that clients observe, and the changes they receive. Pure: the caller polls it with the current
/// values.
///
/// A value that changes and changes back between two polls is not reported, since observers receive states, not events.
struct ControlObservations {
    /// The properties that a client can observe.
    enum Property: String, CaseIterable {
        /// The state of the connection or of the replay.
        case state
        /// The numbers of wanted, joined and refused rooms.
        case rooms
        /// The number of events so far.
        case events
        /// The number of gaps so far.
        case gaps
        /// The events per second, over the last whole second.
        case rate
        /// The path of the current recording.
        case recording
        /// Whether the view is paused.
        case paused
        /// The filter of the view.
        case filter
        /// The number of rooms hidden by the view, and the number of changes to that set.
        case muted
        /// The user's current selection: company, workspace, channel and thread.
        case globals
        /// The progress of the synchronisation with the server.
        case sync
        /// The user's pending actions, and the outcome of the last finished one.
        case actions
        /// The position of a replay.
        case position
    }

    /// A detected change of a property's value.
    struct Change: Hashable {
        /// The number of the change, counted from 1 over all properties.
        var number: Int
        var property: Property
        var value: JSONValue
    }

    /// The messages to observing clients.
    enum Message: Hashable {
        case changed(client: UInt, observation: Int, Change)
        case ended(client: UInt, observation: Int, why: String)

        var client: UInt {
            switch self {
            case .changed(let client, _, _), .ended(let client, _, _): client
            }
        }
    }

    /// The answer to a new observation.
    struct Beginning: Hashable {
        var id: Int
        /// The number of the last change, which `values` includes.
        var number: Int
        var values: [Property: JSONValue]
        /// The number of changes after the requested one that are no longer kept, of all properties.
        var lost: Int
        /// The messages to send at once: the requested changes that are still kept.
        var missed: [Message]
    }

    /// The maximum number of observations of one client.
    static let mostOfAClient = 16

    private struct Observation {
        let id: Int
        let client: UInt
        let isOnce: Bool
        let deadline: Moment?
        let properties: [Property]
    }

    /// The number of changes kept for clients that reconnect.
    private let kept: Int
    private var observations: [Observation] = []
    private var lastID = 0
    /// The properties observed at any time, with their last polled values. A client that reconnects still receives
    /// changes made meanwhile.
    private var known: [(property: Property, value: JSONValue)] = []
    /// The last changes, in order, at most twice as many as are kept.
    private var changes: [Change] = []
    private var lastNumber = 0

    /// Creates an empty set of observations.
    init(keeping kept: Int = 1024) { self.kept = kept }

    /// Whether no property was ever observed.
    var isIdle: Bool { known.isEmpty }
    /// Whether no client observes anything now.
    var isEmpty: Bool { observations.isEmpty }

    /// Adds an observation. It begins with the current values, or with the changes after the number `after`. If
    /// `isOnce` is true, it ends with the first change; with a deadline, it ends at that time.
    mutating func add(
        of client: UInt, _ properties: [Property], isOnce: Bool, until deadline: Moment?, after: Int? = nil,
        _ value: (Property) -> JSONValue
    ) throws(ControlError) -> Beginning {
        guard observations.count(where: { $0.client == client }) < Self.mostOfAClient else {
            throw ControlError(.limit, "\(Self.mostOfAClient) observations of a client at most; end one with unobserve")
        }
        if let after, after > lastNumber {
            throw ControlError(.nothing, "change \(after) does not exist yet: the last one is \(lastNumber)")
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

    /// Ends an observation. Returns false if the client has no observation with that number.
    mutating func remove(_ id: Int, of client: UInt) -> Bool {
        guard let index = observations.firstIndex(where: { $0.id == id && $0.client == client }) else { return false }
        observations.remove(at: index)
        return true
    }

    /// Removes the observations of a client that is gone.
    mutating func removeAll(of client: UInt) { observations.removeAll { $0.client == client } }

    /// Polls the properties. Returns a message for each change and observer, in the order of the observations.
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

    /// Returns the messages about a change for all of its observers, or for one observation only.
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

/// The observations of a process's clients, and the timer that polls them. Used on the loop.
final class ControlObserver: Sendable {
    /// The polling interval while a client observes a property.
    private static let interval: Duration = .milliseconds(100)
    /// The polling interval without observers. A client that reconnects still receives the changes made meanwhile.
    private static let leisure: Duration = .seconds(1)

    private struct State {
        var observations = ControlObservations()
        var timer: LoopTimer?
        /// The service that sends the messages; set by the first observation.
        var service: ControlService?
    }

    private let loop: EventLoop
    private let run: String
    private let value: @Sendable (ControlObservations.Property) -> JSONValue
    private let state = Monitor(State())

    /// Creates an observer without observations. `run` distinguishes this process's changes from those of another
    /// process with the same name; `value` returns the current value of a property.
    init(on loop: EventLoop, run: String, _ value: @escaping @Sendable (ControlObservations.Property) -> JSONValue) {
        self.loop = loop
        self.run = run
        self.value = value
    }

    /// Handles and answers an `observe` or `unobserve` call.
    func perform(_ call: ControlCall) throws(ControlError) {
        if call.method == .observe { try observe(call) } else { try unobserve(call) }
    }

    /// Removes the observations of a client that is gone.
    func clientGone(_ client: UInt) { state.change { $0.observations.removeAll(of: client) } }

    private func observe(_ call: ControlCall) throws(ControlError) {
        let arguments = call.arguments
        let properties = try ControlObservations.properties(arguments)
        if let run = arguments.text("run"), run != self.run {
            throw ControlError(.nothing, "the run has changed; observe again, without run and after")
        }
        let deadline = arguments.span("timeout").map { loop.now + $0 }
        let began = try state.change { (state) throws(ControlError) in
            state.service = call.service
            return try state.observations.add(
                of: call.client, properties, isOnce: arguments.flag("once"), until: deadline,
                after: arguments.integer("after"), value)
        }
        call.service.subscribed(call.client, by: 1)
        call.settle(.success(result(began, properties)))
        for message in began.missed { message.send(by: call.service) }
        lookSoon()
    }

    private func result(
        _ began: ControlObservations.Beginning, _ properties: [ControlObservations.Property]
    ) -> ControlResult {
        ControlResult { writer in
            writer.beginObject()
            writer.member("observation", began.id)
            writer.member("run", run)
            writer.member("number", began.number)
            writer.member("lost", began.lost)
            writer.key("values")
            writer.beginObject()
            for property in properties {
                writer.key(property.rawValue)
                writer.value(began.values[property] ?? .null)
            }
            writer.endObject()
            writer.endObject()
        }
    }

    private func unobserve(_ call: ControlCall) throws(ControlError) {
        let number = call.arguments.integer("observation") ?? 0
        guard state.change({ $0.observations.remove(number, of: call.client) }) else {
            throw ControlError(.nothing, "this client has no observation of that number")
        }
        call.service.subscribed(call.client, by: -1)
        call.settle(.success(.done))
    }

    /// Schedules the next poll at the short interval.
    private func lookSoon() {
        state.change {
            $0.timer?.cancel()
            $0.timer = nil
        }
        lookLater()
    }

    private func lookLater() {
        state.change { state in
            guard state.timer == nil, !state.observations.isIdle else { return }
            let pause = state.observations.isEmpty ? Self.leisure : Self.interval
            state.timer = loop.schedule(at: loop.now + pause) { [weak self] in self?.look() }
        }
    }

    private func look() {
        let (messages, service) = state.change { state in
            state.timer = nil
            return (state.observations.look(at: loop.now, value), state.service)
        }
        if let service { for message in messages { message.send(by: service) } }
        lookLater()
    }
}

extension ControlObservations {
    /// The names of the properties, for messages.
    static var names: String { Property.allCases.map(\.rawValue).joined(separator: ", ") }

    /// Returns the properties that a request names.
    static func properties(_ arguments: ControlArguments) throws(ControlError) -> [Property] {
        var properties: [Property] = []
        for name in arguments.texts("properties") {
            guard let property = Property(rawValue: name) else {
                throw ControlError(
                    .parameters,
                    "params.properties: unknown property"
                        + Suggestion.phrase(for: name, among: Property.allCases.map(\.rawValue))
                        + "; properties: \(names)")
            }
            if !properties.contains(property) { properties.append(property) }
        }
        return properties
    }
}

extension ControlObservations.Message {
    /// Sends the message to its client. Called on the loop.
    func send(by control: ControlService) {
        switch self {
        case .changed(let client, let observation, let change):
            control.notify(client, "changed") { writer in
                writer.member("observation", observation)
                writer.member("number", change.number)
                writer.member("property", change.property.rawValue)
                writer.key("value")
                writer.value(change.value)
            }
        case .ended(let client, let observation, let why):
            control.notify(client, "ended") { writer in
                writer.member("observation", observation)
                writer.member("why", why)
            }
            control.subscribed(client, by: -1)
        }
    }
}
