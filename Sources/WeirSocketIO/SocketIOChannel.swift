public import WeirJSON
import WeirWire

/// A sender and receiver of events: a `SocketIOClient`, or one of its namespaces.
///
/// Arguments are any `Encodable` values: `client.emit("move", 3, point)`. An object with different kinds of values needs
/// no type: `client.emit("join", ["room": "general", "limit": 5])`.
public protocol SocketIOChannel: Sendable {
    /// The namespace to which the methods apply.
    nonisolated var namespace: SocketIONamespace { get }
}

extension SocketIOChannel {
    /// Sends an event, and returns when it is queued for the socket. While the namespace is not joined, for example
    /// during a reconnect, the call waits; cancelled then, the event is not sent.
    ///
    /// - Throws: `SocketIOError`, `CancellationError`, or `EncodingError` of an argument.
    public func emit(_ name: String, _ arguments: any Encodable & Sendable...) async throws {
        try await namespace.send(name, SocketIOArguments(encoding: arguments))
    }

    /// Sends an event with JSON values; see the other `emit`.
    public func emit(_ name: String, _ arguments: JSONValue...) async throws {
        try await namespace.send(name, SocketIOArguments(texts: arguments.map(\.raw), attachments: []))
    }

    /// Sends an event, and returns the first argument of the server's acknowledgement. A missing one counts as `null`.
    ///
    /// - Parameter timeout: The longest time, which includes a wait for the namespace.
    /// - Throws: `SocketIOError`, `CancellationError`, `EncodingError` of an argument, or `DecodingError`.
    public func request<Answer: Decodable>(
        _ name: String, _ arguments: any Encodable & Sendable..., timeout: Duration = .seconds(20)
    ) async throws -> Answer {
        try await namespace.ask(name, SocketIOArguments(encoding: arguments), timeout).decode(Answer.self, at: 0)
    }

    /// Sends an event with JSON values, and returns the first argument of the acknowledgement; see the other `request`.
    public func request<Answer: Decodable>(
        _ name: String, _ arguments: JSONValue..., timeout: Duration = .seconds(20)
    ) async throws -> Answer {
        let arguments = SocketIOArguments(texts: arguments.map(\.raw), attachments: [])
        return try await namespace.ask(name, arguments, timeout).decode(Answer.self, at: 0)
    }

    /// Sends an event, and returns all arguments of the acknowledgement; see the other `request`.
    public func request(
        _ name: String, _ arguments: any Encodable & Sendable..., timeout: Duration = .seconds(20)
    ) async throws -> SocketIOArguments {
        try await namespace.ask(name, SocketIOArguments(encoding: arguments), timeout)
    }

    /// Sends an event with JSON values, and returns all arguments of the acknowledgement; see the other `request`.
    public func request(
        _ name: String, _ arguments: JSONValue..., timeout: Duration = .seconds(20)
    ) async throws -> SocketIOArguments {
        try await namespace.ask(
            name, SocketIOArguments(texts: arguments.map(\.raw), attachments: []), timeout)
    }

    /// The events with this name, or all events of the namespace, from now on.
    ///
    /// Nothing is dropped. When `bound` events or 8 MiB wait in one sequence, the client stops reading the socket until half of
    /// them are taken; what was already read is added. While an `emit`, `request`, `connect` or `join` waits, the client
    /// reads on, since the answer could not arrive, until 16 times as much waits. A client that does not read for
    /// longer than the server's ping timeout is disconnected by the server.
    ///
    /// A sequence without a reader pauses the client too. Drop the sequence to end that.
    public nonisolated func events(named name: String? = nil, bound: Int = 256) -> SocketIOEvents {
        SocketIOEvents(namespace, name, bound)
    }

    /// The first arguments of the events with this name, decoded; see the other `events`. An argument that does not fit
    /// throws `DecodingError`; the iterator can go on with the next event.
    public nonisolated func events<Value: Decodable & Sendable>(
        named name: String, as type: Value.Type, bound: Int = 256
    ) -> SocketIOValues<Value> {
        SocketIOValues(events: events(named: name, bound: bound))
    }
}

extension SocketIONamespace {
    fileprivate func send(_ event: String, _ arguments: SocketIOArguments) async throws {
        let emission = try emission(event, arguments)
        try await driver().emit(emission, to: name)
    }

    fileprivate func ask(
        _ event: String, _ arguments: SocketIOArguments, _ timeout: Duration
    ) async throws -> SocketIOArguments {
        let emission = try emission(event, arguments)
        let answer = try await driver().request(emission, to: name, timeout: timeout.bounded)
        return SocketIOArguments(texts: answer.values, attachments: answer.attachments)
    }

    private func emission(
        _ event: String, _ arguments: SocketIOArguments
    ) throws(SocketIOError) -> SocketIO.Emission {
        if SocketIO.isReserved(event) { throw .invalid("the event name \(event) is reserved by Socket.IO") }
        return SocketIO.Emission(event, arguments.wire, namespace: name, delivery: .volatile)
    }

    private func driver() throws(SocketIOError) -> SocketIODriver {
        guard let driver = client.readers.driver else { throw .notConnected }
        return driver
    }
}
