public import WeirJSON
import WeirThreads
import WeirWire

/// An event from the server. It does not keep its client alive.
public struct SocketIOEvent: Sendable {
    let arrival: Readers.Arrival
    let readers: Readers

    /// The name. A number counts as its digits.
    public var name: String { arrival.event.name }
    /// The namespace; `/` for the default one.
    public var namespace: String { arrival.event.namespace }
    /// The arguments after the name. They are parsed at each call.
    public var arguments: SocketIOArguments {
        SocketIOArguments(texts: arrival.event.arguments, attachments: arrival.event.attachments)
    }

    /// The argument at `index`, counted from 0. `nil` if there is none.
    public subscript(index: Int) -> JSONValue? { arguments[index] }

    /// Decodes the first arguments, one for each type; see `SocketIOArguments.decode`.
    public func decode<each Value: Decodable>(_ types: repeat (each Value).Type) throws -> (repeat each Value) {
        try arguments.decode(repeat each types)
    }

    /// Whether the server waits for `acknowledge`.
    public var wantsAcknowledgement: Bool { arrival.event.ackID != nil }

    /// Answers the event. Does nothing if the server does not wait for it. Answer once; servers ignore more.
    ///
    /// - Throws: `SocketIOError.disconnected` if the event's connection has ended, or `EncodingError`.
    public func acknowledge(_ arguments: any Encodable & Sendable...) async throws {
        try await acknowledge(SocketIOArguments(encoding: arguments))
    }

    /// Answers the event with JSON values; see the other `acknowledge`.
    public func acknowledge(_ arguments: JSONValue...) async throws {
        try await acknowledge(SocketIOArguments(texts: arguments.map(\.raw), attachments: []))
    }

    private func acknowledge(_ arguments: SocketIOArguments) async throws {
        guard wantsAcknowledgement else { return }
        guard let driver = readers.driver else { throw SocketIOError.disconnected }
        try await driver.acknowledge(arrival, with: arguments.wire)
    }
}

extension SocketIOEvent: CustomStringConvertible {
    /// The name and the arguments on one line, safe to print on a terminal.
    public var description: String { "\(JSONValue.string(name))(\(arguments))" }
}

/// A place in a client's list of readers, which ends with its last reference.
private final class Reading<Element: Sendable>: Sendable {
    let client: SocketIOClient
    let queue: ReaderQueue<Element>
    private let id: UInt64

    init(_ client: SocketIOClient, _ place: (UInt64, ReaderQueue<Element>)) {
        self.client = client
        (id, queue) = place
    }

    deinit {
        client.readers.remove(id)
        queue.finish()
    }
}

/// The events that one reader wants, in order. It keeps the client alive.
///
/// Several tasks may iterate; each event goes to one of them. To give all events to each task, create a sequence for
/// each.
public struct SocketIOEvents: AsyncSequence, Sendable {
    private let reading: Reading<Readers.Arrival>

    init(_ namespace: SocketIONamespace, _ name: String?, _ bound: Int) {
        reading = Reading(
            namespace.client, namespace.client.readers.addEvents(namespace.name, name, bound: bound))
    }

    /// The number of events that wait to be read.
    var waitingCount: Int { reading.queue.count }

    /// Returns an iterator, which shares the events with all others of this sequence.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(reading: reading) }

    /// An iterator over the events of a sequence.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let reading: Reading<Readers.Arrival>

        /// Waits for the next event. Returns `nil` when the connection has ended, and when the task is cancelled.
        public func next() async -> SocketIOEvent? {
            await reading.queue.next().map { SocketIOEvent(arrival: $0, readers: reading.client.readers) }
        }
    }
}

/// The decoded first arguments of events, in order. It keeps the client alive.
public struct SocketIOValues<Value: Decodable & Sendable>: AsyncSequence, Sendable {
    let events: SocketIOEvents

    /// Returns an iterator, which shares the events with all others of this sequence.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(events: events.makeAsyncIterator()) }

    /// An iterator over decoded arguments.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let events: SocketIOEvents.AsyncIterator

        /// Waits for the next event and decodes it. Returns `nil` when the connection has ended, and when the task is
        /// cancelled. Throws `DecodingError`.
        public func next() async throws -> Value? {
            try await events.next().map { try $0.arguments.decode(Value.self, at: 0) }
        }
    }
}

/// The states of a client's connection, in order. It keeps the client alive.
public struct SocketIOStates: AsyncSequence, Sendable {
    private let reading: Reading<SocketIOState>

    init(client: SocketIOClient) { reading = Reading(client, client.readers.addStates()) }

    /// Returns an iterator, which shares the states with all others of this sequence.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(reading: reading) }

    /// An iterator over the states of a sequence.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let reading: Reading<SocketIOState>

        /// Waits for the next state. Returns `nil` after the last one, and when the task is cancelled.
        public func next() async -> SocketIOState? { await reading.queue.next() }
    }
}
