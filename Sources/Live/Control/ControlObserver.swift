import JSONText
import Network
import Terminal
import Wire

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
