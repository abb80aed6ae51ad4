import Glibc
import Testing
import TestSupport
import WeirDemoServer
import WeirJSON
import WeirNetwork
import WeirThreads
import WeirWire

/// A server, a protocol revision, a transport, and the implementation of WebSocket framing.
struct Lane: Sendable, CustomTestStringConvertible {
    /// The servers: our own, and three third-party ones.
    enum Server: String, CaseIterable {
        case ours = "weir"
        case python5 = "python-socketio 5"
        case python4 = "python-socketio 4"
        case debian = "Debian's python3-socketio"

        /// The Engine.IO revisions that the server supports.
        var revisions: [EngineIO.Revision] {
            switch self {
            case .ours: [.v3, .v4]
            case .python5, .debian: [.v4]
            case .python4: [.v3]
            }
        }

        /// The Python interpreter with the server installed. It is `nil` if `Tests/run` could not install it, and for
        /// our own.
        var python: String? {
            switch self {
            case .ours: nil
            case .python5: environment("socketio5").map { $0 + "/bin/python" }
            case .python4: environment("socketio4").map { $0 + "/bin/python" }
            case .debian:
                access("/usr/lib/python3/dist-packages/socketio/__init__.py", R_OK) == 0 ? "/usr/bin/python3" : nil
            }
        }

        var isInstalled: Bool { self == .ours || python != nil }
    }

    var server: Server
    var revision: EngineIO.Revision
    var transport: EngineIO.TransportChoice
    var framing: WebSocketFraming

    var isPython: Bool { server != .ours }

    var testDescription: String {
        let framed = transport == .polling ? "" : ", \(framing.rawValue) framing"
        return "\(server.rawValue), Engine.IO \(revision.rawValue), \(transport.rawValue)\(framed)"
    }

    /// Returns an attempt to connect to the lane's server.
    func attempt(_ url: URLParts, auth: [String: RawJSON] = [:]) -> SocketIOAttempt {
        var attempt = SocketIOAttempt(url: url, auth: auth)
        attempt.framing = framing
        return attempt
    }

    /// All lanes of the installed servers.
    static let all: [Lane] = Server.allCases.filter(\.isInstalled).flatMap { server in
        server.revisions.flatMap { revision in
            [EngineIO.TransportChoice.websocket, .polling, .upgrade].flatMap { transport in
                (transport == .polling ? [.own] : [WebSocketFraming.own, .library]).map {
                    Lane(server: server, revision: revision, transport: transport, framing: $0)
                }
            }
        }
    }
}

/// The server of a lane on a loopback port, and the loop for its clients.
final class Stage: Sendable {
    let lane: Lane
    let loop: EventLoop
    let http: HTTPClient
    private let port: UInt16
    private let running: Monitor<Running?>

    private enum Running: Sendable {
        case ours(EchoServer, EventLoop)
        case python(Peer)
    }

    init(_ lane: Lane) throws {
        self.lane = lane
        port = try freePort()
        loop = try EventLoop(name: "weir-interop")
        http = try HTTPClient(answeringOn: loop)
        running = Monitor(nil)
        try start()
    }

    private func start() throws {
        let started: Running
        if let python = lane.server.python {
            let peer = try Peer([
                python, "\(peersFolder)/sio_python.py", "--port", "\(port)", "--path", "socket.io", "--ping-interval",
                "1", "--ping-timeout", "20",
            ])
            try peer.readLine(startingWith: "listening")
            started = .python(peer)
        } else {
            let loop = try EventLoop(name: "weir-echo")
            let options = EndpointOptions(pingInterval: .milliseconds(500))
            started = .ours(try EchoServer(on: loop, port: port, options: options), loop)
        }
        running.change { $0 = started }
    }

    private func end() {
        let ended = running.change { running in
            defer { running = nil }
            return running
        }
        switch ended {
        case .ours(let server, let loop):
            server.close()
            loop.shutDown()
        case .python(let peer): peer.stop()
        case nil: break
        }
    }

    /// Cuts every connection and restarts the server without its state. Returns when the server listens again.
    func restart() throws {
        end()
        try start()
    }

    func stop() {
        end()
        http.shutDown()
        loop.shutDown()
    }

    /// Returns the server's URL with `query`, the user's part of the query.
    func url(_ query: String = "") throws -> URLParts {
        try URLParts(parsing: "http://127.0.0.1:\(port)/socket.io/\(query.isEmpty ? "" : "?")\(query)")
    }
}
