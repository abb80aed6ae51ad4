import JSONText
import Network
import Wire

/// Serves the control socket of a process: reads the requests, gives those that stand the check to who can answer, and writes the
/// answers. JSON-RPC 2.0, one object a line.
///
/// Everything happens on the loop's thread; `ControlCall.answer` may be called on any.
final class ControlService: Sendable {
    /// Answers a call: with a result, an error, or later (nil).
    typealias Handler = @Sendable (ControlCall) throws(ControlError) -> ControlResult?

    /// The version of the protocol.
    static let version = 1
    /// A client for which more bytes wait is told nothing new but how much it has lost.
    static let mostWaiting = 1 << 20

    /// What is known of a client.
    private struct Client {
        let peer: LocalClient
        /// Calls that are not answered.
        var calls = 0
        /// What it wants to hear of, until it says otherwise.
        var subscriptions = 0
        var hasEnded = false
        /// Notifications it has not been told, since too many wait for it.
        var lost = 0
        /// The connection carries a recording from now on.
        var isStream = false
    }

    /// Who answers.
    struct Identity: Sendable {
        var server: ControlMethod.Server
        var tool: String
        /// What it is called.
        var name: String
        /// What is switched on, besides the methods.
        var capabilities: [String] = []
    }

    let identity: Identity
    private let loop: EventLoop
    private let handler: Handler
    private let onGone: @Sendable (UInt) -> Void
    private let onDrained: @Sendable (UInt) -> Void
    private let clients = Monitor<[UInt: Client]>([:])
    private let socket = Monitor<LocalSocketServer?>(nil)

    /// Serves at `path`. Not from the loop, on which the closures are called.
    init(
        on loop: EventLoop, path: String, _ identity: Identity,
        onGone: @escaping @Sendable (UInt) -> Void = { _ in }, onDrained: @escaping @Sendable (UInt) -> Void = { _ in },
        handler: @escaping Handler
    ) throws(NetworkError) {
        self.loop = loop
        self.identity = identity
        self.handler = handler
        self.onGone = onGone
        self.onDrained = onDrained
        let server = try LocalSocketServer(on: loop, path: path) { [weak self] peer, event in
            self?.take(event, of: peer)
        }
        socket.change { $0 = server }
    }

    /// How many clients there are.
    var count: Int { clients.change { $0.count } }

    /// Closes the socket. Not from the loop.
    func close() { socket.change { $0 }?.close() }

    // MARK: - What clients say

    private func take(_ event: LocalSocketServer.Event, of peer: LocalClient) {
        switch event {
        case .line(let line): take(line, of: peer)
        case .overlong:
            let error = ControlError(.limit, "a line is \(LocalSocketServer.maximumLine) bytes long at most")
            peer.send(ControlLine.answer(.null, .failure(error)))
        case .ended:
            change(peer) { $0.hasEnded = true }
            finishIfDone(peer.id)
        case .drained: drained(peer)
        case .gone:
            clients.change { $0[peer.id] = nil }
            onGone(peer.id)
        }
    }

    private func take(_ line: [UInt8], of peer: LocalClient) {
        // What is on a stream's way back is nobody's, and an empty line is nothing.
        guard !line.allSatisfy({ $0 == 0x20 || $0 == 0x0d }), change(peer, { !$0.isStream }) else { return }
        let request: ControlRequest
        do throws(ControlRequest.Refusal) {
            request = try ControlRequest(line[...], to: identity.server)
        } catch {
            if let id = error.id { peer.send(ControlLine.answer(id, .failure(error.error))) }
            return
        }
        change(peer) { $0.calls += 1 }
        let call = ControlCall(request: request, client: peer.id, service: self)
        do throws(ControlError) {
            if request.method == .hello { return settle(call, .success(hello)) }
            if let result = try handler(call) { return settle(call, .success(result)) }
            // It may take a while.
            updatePatience(peer.id)
        } catch {
            settle(call, .failure(error))
        }
    }

    /// Answers a call, on the loop.
    fileprivate func settle(_ call: ControlCall, _ result: Result<ControlResult, ControlError>) {
        let peer = clients.change { clients -> LocalClient? in
            clients[call.client]?.calls -= 1
            return clients[call.client]?.peer
        }
        if let id = call.request.id { peer?.send(ControlLine.answer(id, result)) }
        updatePatience(call.client)
        finishIfDone(call.client)
    }

    /// Answers a call. Any thread.
    fileprivate func answer(_ call: ControlCall, _ result: Result<ControlResult, ControlError>) {
        loop.run { self.settle(call, result) }
    }

    private var hello: ControlResult {
        ControlResult { writer in
            writer.beginObject()
            writer.member("tool", identity.tool)
            writer.member("protocol", Self.version)
            writer.member("kind", identity.server.rawValue)
            writer.member("name", identity.name)
            writer.key("methods")
            writer.beginArray()
            for method in ControlMethod.of(identity.server) { writer.string(method.rawValue) }
            writer.endArray()
            writer.member("capabilities", names: identity.capabilities)
            writer.endObject()
        }
    }

    // MARK: - What clients are told

    /// Tells a client something it asked to hear of. False when too much waits for it: then it is told later how much it has lost.
    /// On the loop.
    @discardableResult
    func notify(_ client: UInt, _ method: String, _ write: (inout JSONWriter) -> Void) -> Bool {
        let (peer, lost) = clients.change { clients -> (LocalClient?, Int) in
            guard let known = clients[client] else { return (nil, 0) }
            guard known.peer.pendingBytes <= Self.mostWaiting else {
                clients[client]?.lost += 1
                return (nil, 0)
            }
            clients[client]?.lost = 0
            return (known.peer, known.lost)
        }
        guard let peer else { return false }
        if lost > 0 { peer.send(Self.lost(lost)) }
        peer.send(ControlLine.notification(method, write))
        return true
    }

    private static func lost(_ count: Int) -> [UInt8] {
        ControlLine.notification("lost") { writer in
            writer.member("count", count)
        }
    }

    private func drained(_ peer: LocalClient) {
        let lost = change(peer) { client in
            defer { client.lost = 0 }
            return client.lost
        }
        if lost > 0 { peer.send(Self.lost(lost)) }
        onDrained(peer.id)
    }

    /// A client has one subscription more, or fewer. On the loop.
    func subscribed(_ client: UInt, by count: Int) {
        clients.change { $0[client]?.subscriptions += count }
        updatePatience(client)
        finishIfDone(client)
    }

    /// Makes the connection a stream of bytes: nothing it says is heeded any more. On the loop.
    func beginStream(_ client: UInt) { clients.change { $0[client]?.isStream = true } }

    /// The client's connection. On the loop.
    func peer(_ client: UInt) -> LocalClient? { clients.change { $0[client]?.peer } }

    // MARK: - Book-keeping

    @discardableResult
    private func change<Value>(_ peer: LocalClient, _ body: (inout Client) -> Value) -> Value {
        clients.change { clients in
            var client = clients[peer.id] ?? Client(peer: peer)
            defer { clients[peer.id] = client }
            return body(&client)
        }
    }

    /// A client that waits for something may be silent.
    private func updatePatience(_ client: UInt) {
        guard let known = clients.change({ $0[client] }) else { return }
        known.peer.mayBeSilent(known.calls > 0 || known.subscriptions > 0)
    }

    /// A client that says nothing more, and waits for nothing, is closed.
    private func finishIfDone(_ client: UInt) {
        guard let known = clients.change({ $0[client] }), known.hasEnded, known.calls == 0, known.subscriptions == 0
        else { return }
        known.peer.finish()
    }
}

/// A request that stood the check, and the way to answer it.
struct ControlCall: Sendable {
    let request: ControlRequest
    /// Whose it is.
    let client: UInt
    /// Who serves it.
    let service: ControlService

    var method: ControlMethod { request.method }
    var arguments: ControlArguments { request.arguments }

    /// Answers it before anything else is told: the handler must not answer it, too. On the loop.
    func settle(_ result: Result<ControlResult, ControlError>) { service.settle(self, result) }

    /// Answers it, when the handler said that it would be later. Any thread, once.
    func answer(_ result: Result<ControlResult, ControlError>) { service.answer(self, result) }
}
