import Testing
import TestSupport
import WeirJSON
import WeirNetwork
import WeirThreads
import WeirWire

/// A client under test, which collects its events and can wait for them.
final class Client: Sendable {
    typealias Event = SocketIOReconnection.Event

    let events: Mailbox<Event>
    let connection: SocketIOConnection
    private let loop: EventLoop

    private init(_ loop: EventLoop, _ connection: SocketIOConnection, _ events: Mailbox<Event>) {
        self.loop = loop
        self.connection = connection
        self.events = events
    }

    /// Begins to connect. `first` runs before any event can arrive.
    static func start(
        _ stage: Stage, _ configuration: SocketIOReconnection.Configuration? = nil,
        prepare: SocketIOConnection.Preparation? = nil,
        first: @escaping @Sendable (SocketIOConnection) -> Void = { _ in }
    ) async throws -> Client {
        let events = Mailbox<Event>()
        let url = try stage.url()
        let lane = stage.lane
        let configuration = configuration ?? .standard(lane.revision)
        let prepare = prepare ?? { _, proceed in proceed(.success(lane.attempt(url))) }
        let connection = await withCheckedContinuation { continuation in
            stage.loop.run {
                let connection = SocketIOConnection(
                    on: stage.loop, http: stage.http, configuration, transport: lane.transport, prepare: prepare,
                    handler: { events.put($0) })
                first(connection)
                continuation.resume(returning: connection)
            }
        }
        return Client(stage.loop, connection, events)
    }

    /// Connects and waits for the first namespace, and for the WebSocket if the lane upgrades.
    static func joined(
        _ stage: Stage, _ configuration: SocketIOReconnection.Configuration? = nil,
        prepare: SocketIOConnection.Preparation? = nil
    ) async throws -> Client {
        let client = try await start(stage, configuration, prepare: prepare)
        await client.waits { !$0.joins.isEmpty }
        return client
    }

    /// Runs `body` with the connection on its loop.
    func on(_ body: @escaping @Sendable (SocketIOConnection) -> Void) {
        loop.run { [connection] in body(connection) }
    }

    func emit(_ emission: SocketIO.Emission) { on { $0.emit(emission) } }

    /// Waits until the collected events satisfy `isDone`.
    @discardableResult
    func waits(
        _ sourceLocation: SourceLocation = #_sourceLocation, until isDone: @escaping @Sendable ([Event]) -> Bool
    ) async -> [Event] {
        await events.wait(seconds: 20, sourceLocation: sourceLocation, until: isDone)
    }

    /// Sends an event and returns the arguments of its acknowledgement.
    func ask(_ emission: SocketIO.Emission) async throws -> SocketIO.Acknowledgement {
        var emission = emission
        if emission.ack == .none { emission.ack = .within(.seconds(10)) }
        return try await connection.request(emission)
    }

    var isOnWebSocket: Bool {
        get async {
            await withCheckedContinuation { continuation in
                on { continuation.resume(returning: $0.isOnWebSocket) }
            }
        }
    }

    /// Disconnects cleanly and waits for the end.
    func end(_ sourceLocation: SourceLocation = #_sourceLocation) async {
        on { $0.disconnect() }
        await waits(sourceLocation) { $0.ending != nil }
    }
}

extension SocketIOReconnection.Configuration {
    /// Uses short delays, so that tests with a reconnect finish quickly.
    static func standard(
        _ revision: EngineIO.Revision?, _ namespaces: [SocketIOClientMachine.Namespace] = [.init("/")]
    ) -> Self {
        .init(
            revision: revision, namespaces: namespaces,
            backoff: Backoff(base: .milliseconds(20), cap: .milliseconds(200)))
    }
}

extension [SocketIOReconnection.Event] {
    var joins: [SocketIOClientMachine.Joined] {
        compactMap { if case .joined(let joined) = $0 { joined } else { nil } }
    }

    var received: [SocketIO.Event] { compactMap { if case .event(let event) = $0 { event } else { nil } } }

    func received(_ name: String) -> [SocketIO.Event] { received.filter { $0.name == name } }

    var refusals: [(namespace: String, refusal: SocketIO.Refusal)] {
        compactMap { if case .refused(let namespace, let refusal) = $0 { (namespace, refusal) } else { nil } }
    }

    var dropped: [SocketIOClientMachine.Dropped] {
        compactMap { if case .dropped(let dropped) = $0 { dropped } else { nil } }
    }

    var malformed: [SocketIO.Malformed] {
        compactMap { if case .malformed(let malformed) = $0 { malformed } else { nil } }
    }

    var attempts: [Int] { compactMap { if case .connecting(let attempt) = $0 { attempt } else { nil } } }

    var ending: SocketIOReconnection.Ending? {
        for case .ended(let ending) in self { return ending }
        return nil
    }
}

extension SocketIO.Event {
    /// The arguments as parsed values, including placeholders.
    var values: [JSONValue] {
        arguments.compactMap { try? JSONValue(parsing: $0.bytes) }
    }
}

extension SocketIO.Acknowledgement {
    /// The arguments as parsed values, including placeholders.
    var trees: [JSONValue] { values.compactMap { try? JSONValue(parsing: $0.bytes) } }
}

func json(_ text: String) -> RawJSON { RawJSON(unchecked: ArraySlice(text.utf8)) }

func tree(_ text: String) throws -> JSONValue { try JSONValue(parsing: ArraySlice(text.utf8)) }
