import JSONText
import Network
import Pipeline
import Wire

// Properties that clients hear of when they change.
extension Tail {
    /// How often is looked whether one has.
    private static let interval: Duration = .milliseconds(100)

    func observe(_ call: ControlCall) throws(ControlError) -> ControlResult {
        let properties = try ControlObservations.properties(call.arguments)
        let deadline = call.arguments.span("timeout").map { loop.now + $0 }
        let (id, values) = try observations.add(
            of: call.client, properties, isOnce: call.arguments.flag("once"), until: deadline, value)
        control?.subscribed(call.client, by: 1)
        lookLater()
        return ControlResult { writer in
            writer.beginObject()
            writer.key("observation")
            writer.integer(id)
            writer.key("values")
            writer.beginObject()
            for (property, value) in values {
                writer.key(property.rawValue)
                writer.value(value)
            }
            writer.endObject()
            writer.endObject()
        }
    }

    func unobserve(_ call: ControlCall) throws(ControlError) -> ControlResult {
        guard observations.remove(call.arguments.integer("observation") ?? 0, of: call.client) else {
            throw ControlError(.nothing, "this client has no observation of that number")
        }
        control?.subscribed(call.client, by: -1)
        return .done
    }

    func clientGone(_ client: UInt) {
        observations.removeAll(of: client)
        viewerGone(client)
    }

    private func lookLater() {
        guard observing == nil, !observations.isEmpty else { return }
        observing = loop.schedule(at: loop.now + Self.interval) { [weak self] in self?.assumeIsolated { $0.look() } }
    }

    private func look() {
        observing = nil
        guard case .running = phase, let control else { return }
        for message in observations.look(at: loop.now, value) { message.send(by: control) }
        lookLater()
    }

    private func value(of property: ControlObservations.Property) -> JSONValue {
        switch property {
        case .state: .string(standing.state.rawValue)
        case .rooms:
            .object([
                .init("wanted", .integer(Int64(session.roomBook.entries.count))),
                .init("joined", .integer(Int64(session.roomBook.joined))),
                .init("refused", .integer(Int64(session.roomBook.refused))),
            ])
        case .events: .integer(Int64(counts.events))
        case .gaps: .integer(Int64(counts.gaps))
        case .rate: .number(rates.rate(over: 1, at: loop.now))
        case .recording: recordingPath.map { .string($0) } ?? .null
        case .paused: .bool(configuration.view?.isPaused ?? false)
        case .filter, .position: .null
        }
    }
}

extension ControlObservations {
    /// The names of the properties, for people.
    static var names: String { Property.allCases.map(\.rawValue).joined(separator: ", ") }

    /// The properties that a request names.
    static func properties(_ arguments: ControlArguments) throws(ControlError) -> [Property] {
        var properties: [Property] = []
        for name in arguments.texts("properties") {
            guard let property = Property(rawValue: name) else {
                throw ControlError(
                    .parameters,
                    "params.properties: there is no such property"
                        + Suggestion.phrase(for: name, among: Property.allCases.map(\.rawValue))
                        + "; there are \(names)")
            }
            if !properties.contains(property) { properties.append(property) }
        }
        return properties
    }
}

extension ControlObservations.Message {
    /// Tells the client. On the loop.
    func send(by control: ControlService) {
        switch self {
        case .changed(let client, let observation, let property, let value):
            control.notify(client, "changed") { writer in
                writer.key("observation")
                writer.integer(observation)
                writer.key("property")
                writer.string(property.rawValue)
                writer.key("value")
                writer.value(value)
            }
        case .ended(let client, let observation, let why):
            control.notify(client, "ended") { writer in
                writer.key("observation")
                writer.integer(observation)
                writer.key("why")
                writer.string(why)
            }
            control.subscribed(client, by: -1)
        }
    }
}

extension RoomBook {
    /// How many rooms are joined.
    var joined: Int { entries.count { if case .joined = $0.state { true } else { false } } }
    /// How many were refused.
    var refused: Int { entries.count { if case .refused = $0.state { true } else { false } } }
}
