import WeirJSON
import WeirNetwork
import WeirThreads
import WeirWire

/// Serves the control socket of a process: parses and checks requests, passes valid ones to the handler, and writes the
/// answers. The protocol is JSON-RPC 2.0 with one object per line.
///
/// Everything runs on the loop's thread. Only `ControlCall.answer` can be called on any thread.
final class ControlService: Sendable {
    /// Handles a call: returns a result, throws an error, or returns `nil` and answers later.
    typealias Handler = @Sendable (ControlCall) throws(ControlError) -> ControlResult?

    /// The version of the control protocol.
    static let version = 1
    /// The number of waiting bytes above which a client receives no notifications, only the number of lost ones later.
    static let mostWaiting = 1 << 20

    /// The state of a client.
    private struct Client {
        let peer: LocalClient
        /// The number of calls without an answer yet.
        var calls = 0
        /// The number of subscriptions, which last until the client ends them.
        var subscriptions = 0
        var hasEnded = false
        /// The number of notifications dropped because too many bytes wait for the client.
        var lost = 0
        /// Whether the connection carries a recording from now on.
        var isStream = false
    }

    /// The identity of the serving process, for `hello`.
    struct Identity: Sendable {
        var server: ControlMethod.Server
        var tool: String
        /// The process's name, from the name of the socket.
        var name: String
        /// The optional features that are enabled.
        var capabilities: [String] = []
    }

    let identity: Identity
    private let loop: EventLoop
    private let handler: Handler
    private let onGone: @Sendable (UInt) -> Void
    private let onDrained: @Sendable (UInt) -> Void
    private let clients = Monitor<[UInt: Client]>([:])
    private let socket = Monitor<LocalSocketServer?>(nil)

    /// Starts serving at `path`. Must not be called on the loop, which calls the closures.
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

    /// The number of connected clients.
    var count: Int { clients.change { $0.count } }

    /// Closes the socket. Must not be called on the loop.
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
        // Ignore input on a connection that carries a recording, and blank lines.
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
            // The handler answers later.
            updatePatience(peer.id)
        } catch {
            settle(call, .failure(error))
        }
    }

    /// Sends the answer to a call. Called on the loop.
    fileprivate func settle(_ call: ControlCall, _ result: Result<ControlResult, ControlError>) {
        let peer = clients.change { clients -> LocalClient? in
            clients[call.client]?.calls -= 1
            return clients[call.client]?.peer
        }
        if let id = call.request.id { peer?.send(ControlLine.answer(id, result)) }
        updatePatience(call.client)
        finishIfDone(call.client)
    }

    /// Sends the answer to a call. Can be called on any thread.
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

    /// Sends a notification to a client. Returns false if too many bytes wait for the client, which then receives the
    /// number of lost notifications later. Called on the loop.
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

    /// Changes the number of a client's subscriptions. Called on the loop.
    func subscribed(_ client: UInt, by count: Int) {
        clients.change { $0[client]?.subscriptions += count }
        updatePatience(client)
        finishIfDone(client)
    }

    /// Turns the connection into a stream of bytes. The client's input is ignored from now on. Called on the loop.
    func beginStream(_ client: UInt) { clients.change { $0[client]?.isStream = true } }

    /// Returns a client's connection. Called on the loop.
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

    /// A client that waits for an answer or a notification may be silent.
    private func updatePatience(_ client: UInt) {
        guard let known = clients.change({ $0[client] }) else { return }
        known.peer.mayBeSilent(known.calls > 0 || known.subscriptions > 0)
    }

    /// Closes a client that has ended its input and waits for nothing.
    private func finishIfDone(_ client: UInt) {
        guard let known = clients.change({ $0[client] }), known.hasEnded, known.calls == 0, known.subscriptions == 0
        else { return }
        known.peer.finish()
    }
}

/// A valid request, and the means to answer it.
struct ControlCall: Sendable {
    let request: ControlRequest
    /// The id of the client that sent the request.
    let client: UInt
    /// The service that received the request.
    let service: ControlService

    var method: ControlMethod { request.method }
    var arguments: ControlArguments { request.arguments }

    /// Answers at once, before any notification. The handler must then not answer again. Called on the loop.
    func settle(_ result: Result<ControlResult, ControlError>) { service.settle(self, result) }

    /// Answers a call for which the handler returned `nil`. Can be called on any thread, once.
    func answer(_ result: Result<ControlResult, ControlError>) { service.answer(self, result) }
}
