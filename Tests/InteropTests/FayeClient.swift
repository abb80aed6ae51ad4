import TestSupport
import WeirJSON
import WeirNetwork
import WeirThreads
import WeirWire

/// Drives a `BayeuxClient` over a real WebSocket or real HTTP, on a loop.
actor FayeClient {
    /// The effects of the machine, in order.
    nonisolated let told = Mailbox<BayeuxClient.Effect>()
    nonisolated let unownedExecutor: UnownedSerialExecutor

    private let loop: EventLoop
    private let http: HTTPClient
    private let url: URLParts
    private let configuration: BayeuxClient.Configuration
    private var machine: BayeuxClient
    private var memory = BayeuxClient.Memory()
    private var socket: WebSocketClient?
    private var timer: LoopTimer?
    /// Counts the transports, so that late events of an earlier transport are ignored.
    private var transport = 0

    init(_ stage: FayeStage, _ connectionType: Bayeux.ConnectionType = .websocket) {
        loop = stage.loop
        http = stage.http
        let scheme = connectionType == .websocket ? "ws" : "http"
        url = URLParts(scheme: scheme, host: "127.0.0.1", port: stage.port, path: "/faye")
        configuration = BayeuxClient.Configuration(
            connectionType: connectionType, replyTimeout: .seconds(2), probeAfter: .milliseconds(300))
        machine = BayeuxClient(configuration, seed: 1)
        unownedExecutor = stage.loop.asUnownedSerialExecutor()
    }

    /// Opens a new transport and continues from the memory of the last one.
    func connect() {
        transport += 1
        machine = BayeuxClient(configuration, memory: memory, seed: 1)
        guard configuration.connectionType == .websocket else { return begin() }
        let mine = transport
        socket = WebSocketClient(on: loop, WebSocketRequest(url: url)) { [self] event in
            assumeIsolated { $0.take(event, mine) }
        }
    }

    /// Cuts the transport, as a lost network does.
    func cut() {
        socket?.close(WebSocketClose(code: 1000))
        socket = nil
        lose()
    }

    func subscribe(_ name: String, token: String) {
        let ext = RawJSON(unchecked: ArraySlice(#"{"access_token":"\#(token)"}"#.utf8))
        guard let channel = Bayeux.Channel(name) else { return }
        run { machine, now, effects in machine.subscribe(channel, ext: ext, at: now, into: &effects) }
    }

    func publish(_ name: String, _ data: String, token: String) {
        let ext = RawJSON(unchecked: ArraySlice(#"{"access_token":"\#(token)"}"#.utf8))
        guard let channel = Bayeux.Channel(name) else { return }
        run { machine, now, effects in
            _ = machine.publish(channel, RawJSON(unchecked: ArraySlice(data.utf8)), ext: ext, at: now, into: &effects)
        }
    }

    func disconnect() { run { machine, now, effects in machine.disconnect(at: now, into: &effects) } }

    private func begin() { run { machine, now, effects in machine.start(at: now, into: &effects) } }

    private func take(_ event: WebSocketEvent, _ from: Int) {
        guard from == transport else { return }
        switch event {
        case .opened: begin()
        case .received(let messages):
            for message in messages { receive(message.bytes) }
        case .closed, .failed: lose()
        }
    }

    private func receive(_ frame: ArraySlice<UInt8>) {
        run { machine, now, effects in machine.receive(frame, at: now, into: &effects) }
    }

    private func lose() {
        transport += 1
        var effects: [BayeuxClient.Effect] = []
        memory = machine.transportClosed(into: &effects)
        perform(effects)
    }

    private func run(_ body: (inout BayeuxClient, Moment, inout [BayeuxClient.Effect]) -> Void) {
        var effects: [BayeuxClient.Effect] = []
        body(&machine, loop.now, &effects)
        perform(effects)
        timer?.cancel()
        timer = machine.deadline.map { deadline in
            loop.schedule(at: deadline) { [self] in
                assumeIsolated { $0.run { machine, now, effects in machine.advance(to: now, into: &effects) } }
            }
        }
    }

    private func perform(_ effects: [BayeuxClient.Effect]) {
        for effect in effects {
            switch effect {
            case .send(let frame): send(frame.bytes)
            case .close:
                told.put(effect)
                if socket != nil { cut() }
            case .connected, .subscribed, .refused, .unanswered, .unsubscribed, .delivery, .published, .unpublished,
                .malformed:
                told.put(effect)
            }
        }
    }

    private func send(_ frame: [UInt8]) {
        if let socket { return socket.send(.text(frame[...])) }
        let mine = transport
        let request = HTTPRequest(
            method: "POST", url: url, headers: [("Content-Type", "application/json")], body: frame,
            timeout: .seconds(20))
        http.send(request) { [self] result in
            assumeIsolated { client in
                guard mine == client.transport else { return }
                switch result {
                case .success(let response): client.receive(response.body[...])
                case .failure: client.lose()
                }
            }
        }
    }
}

/// Debian's Faye with GroupMe's rules, and the loop for its clients.
final class FayeStage: Sendable {
    let loop: EventLoop
    let http: HTTPClient
    let port: UInt16
    private let timeout: Int
    /// The file with the REST service's world, or `nil` without such a service.
    private let world: String?
    private let running: Monitor<Peer?>

    /// `timeout` is the time in seconds that the server holds a connect. Sessions live twice as long.
    init(timeout: Int = 2, world: String? = nil) throws {
        port = try freePort()
        loop = try EventLoop(name: "weir-faye")
        http = try HTTPClient(answeringOn: loop)
        self.timeout = timeout
        self.world = world
        running = Monitor(nil)
        try start()
    }

    var server: Peer? { running.change { $0 } }

    func start() throws {
        let words = ["ruby", "\(peersFolder)/faye_groupme.rb", "\(port)", "\(timeout)"]
        let peer = try Peer(words + (world.map { [$0] } ?? []))
        try peer.readLine(startingWith: "listening")
        running.change { $0 = peer }
    }

    func kill() {
        let peer = running.change { running in
            defer { running = nil }
            return running
        }
        peer?.stop()
    }

    func stop() {
        kill()
        http.shutDown()
        loop.shutDown()
    }

    /// Publishes as the service itself.
    func publish(_ channel: String, _ data: String) async throws {
        let body = #"[{"channel":"\#(channel)","data":\#(data),"id":"x","ext":{"access_token":"server"}}]"#
        let request = HTTPRequest(
            method: "POST", url: URLParts(scheme: "http", host: "127.0.0.1", port: port, path: "/faye"),
            headers: [("Content-Type", "application/json")], body: Array(body.utf8))
        let response = await withCheckedContinuation { continuation in
            http.send(request) { continuation.resume(returning: $0) }
        }
        guard case .success(let answer) = response, String(decoding: answer.body, as: UTF8.self).contains("true") else {
            throw NotPublished()
        }
    }

    struct NotPublished: Error {}
}
