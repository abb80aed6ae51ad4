import Testing
import TestSupport
import WeirNetwork
import WeirThreads
import WeirWire

/// A server like the JavaScript server 2.x: it ignores the requested revision and joins every client to `/` at once. A
/// further CONNECT for `/` would create a second session in its application.
private final class OldServer: HTTPServerHandler {
    private let loop: EventLoop
    private let server = Monitor<HTTPServer?>(nil)
    private let said = Monitor<[String]>([])

    init() throws {
        loop = try EventLoop(name: "weir-old-server")
        let made = try HTTPServer(on: loop, handler: self)
        server.change { $0 = made }
    }

    var port: UInt16 { server.look { $0?.port ?? 0 } }
    /// The clients' messages, with their connects and disconnects.
    var heard: [String] { said.look { $0 } }

    func close() {
        server.change { $0 }?.close()
        loop.shutDown()
    }

    func handle(_ request: ServerRequest, respond: @escaping @Sendable (HTTPResponse) -> Void) {
        respond(HTTPResponse(status: 404))
    }
    func refuses(_ upgrade: ServerRequest) -> HTTPResponse? { nil }
    func opened(_ socket: ServerWebSocket, _ upgrade: ServerRequest) {
        said.change { $0.append("opened") }
        socket.send(.text(#"0{"sid":"s","upgrades":[],"pingInterval":25000,"pingTimeout":5000}"#))
        socket.send(.text("40"))
        socket.send(.text(#"42["welcome",1]"#))
    }
    func received(_ messages: [WebSocketMessage], from socket: ServerWebSocket) {
        said.change { $0 += messages.map { String(decoding: $0.bytes, as: UTF8.self) } }
    }
    func closed(_ socket: ServerWebSocket, _ close: WebSocketClose) { said.change { $0.append("closed") } }
}

@Suite struct OldServerTests {
    @Test func `a server of 2.x gets one session per run, and the recording verifies`() throws {
        let server = try OldServer()
        defer { server.close() }
        let path = try temporaryFolder() + "/a.weir.jsonl"
        let run = try weir([
            "tail", "http://127.0.0.1:\(server.port)", "--backend", "socketio", "--format", "raw", "--count", "1",
            "--record",
            path, "--no-ctl", "--store", "none", "--config", "none",
        ])
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output == #"["welcome",1]"# + "\n")
        #expect(run.errors.contains("connected  Engine.IO 3"), "\(run.errors)")
        // `41` is the disconnect at the end.
        #expect(server.heard.filter { $0 != "closed" && $0 != "41" } == ["opened"], "\(server.heard)")
        let replay = try weir("replay", path, "--speed", "max", "--verify", "--format", "raw", "--no-ctl")
        #expect(replay.status == 0, "\(replay.errors)")
        #expect(replay.output == run.output)
    }
}
