import Glibc
import Testing
import TestSupport
import WeirNetwork
import WeirThreads
import WeirWire

/// Tests the commands that a developer of a Socket.IO server uses, against third-party servers.
@Suite("Socket.IO by the command", .timeLimit(.minutes(3)))
struct SocketIORunTests {
    private static let fixed = [
        "--backend", "socketio", "--no-ctl", "--quiet", "--duration", "20s",
    ]

    /// Starts a python-socketio server with Engine.IO 4 or 3 at the usual path. Returns `nil` if its environment is not
    /// installed.
    private func serve(_ peer: String) throws -> (peer: Peer, url: String)? {
        guard let folder = environment(peer) else { return nil }
        let port = try freePort()
        let server = try Peer([
            folder + "/bin/python", peersFolder + "/sio_python.py", "--port", "\(port)", "--path", "socket.io",
        ])
        try server.readLine(startingWith: "listening ")
        return (server, "http://127.0.0.1:\(port)")
    }

    private func tail(
        _ url: String, _ arguments: [String], environment: [String: String] = [:]
    ) throws -> CommandResult {
        try weir(["tail", url, "--format", "raw"] + Self.fixed + arguments, environment: environment)
    }

    @Test(
        "--auth accepts any object with references, which are resolved at each attempt",
        .enabled(if: environment("socketio5") != nil))
    func auth() throws {
        let (server, url) = try #require(try serve("socketio5"))
        defer { server.stop() }
        let counter = try temporaryFolder() + "/n"
        let auth =
            #"{"tab": ["a", {"token": "env:TOKEN"}], "n": 1.50, "user\u0020name": "cmd:echo x >> \#(counter); wc -l < \#(counter)"}"#
        let run = try tail(
            url, ["--namespace", "/custom", "--auth", auth, "--count", "1"], environment: ["TOKEN": "s3cr\"et-value"])
        #expect(run.status == 0, "\(run.errors)")
        // A token that the server sends back is redacted, like any token of its own.
        let parts = run.output.split(separator: "‹secret-")
        #expect(parts.first == #"["auth",{"tab":["a",{"token":""#, "\(run.output)")
        #expect(parts.last?.hasSuffix(#"›"}],"n":1.5,"user name":"1"}]"# + "\n") == true, "\(run.output)")
        let whole = try tail(
            url, ["--namespace", "/custom", "--auth", "env:AUTH", "--count", "1", "--keep-secrets"],
            environment: ["AUTH": #"{"a":{"token":"whole-object"}}"#])
        #expect(whole.output == #"["auth",{"a":{"token":"whole-object"}}]"# + "\n", "\(whole.errors)")
        let short = try tail(
            url, ["--namespace", "/custom", "--token", "env:TOKEN", "--count", "1", "--keep-secrets"],
            environment: ["TOKEN": "t"])
        #expect(short.output == #"["auth",{"token":"t"}]"# + "\n", "\(short.errors)")
        let file = try temporaryFolder() + "/secret"
        try writeFile(file, "of the file\n")
        chmod(file, 0o600)
        let read = try tail(
            url,
            ["--namespace", "/custom", "--auth", #"{"token":"file:\#(file)"}"#, "--count", "1", "--keep-secrets"])
        #expect(read.output == #"["auth",{"token":"of the file"}]"# + "\n", "\(read.errors)")
    }

    @Test("A second attempt resolves the auth object again")
    func authIsRenewed() throws {
        let counter = try temporaryFolder() + "/n"
        let run = try tail(
            "http://127.0.0.1:\(try freePort())",
            ["--max-attempts", "2", "--auth", #"{"n":"cmd:echo x >> \#(counter); wc -l < \#(counter)"}"#])
        #expect(run.status == 5, "\(run.errors)")
        #expect(String(decoding: try readFile(counter), as: UTF8.self) == "x\nx\n")
    }

    @Test(
        "The URL's query and --query are sent with every request of each transport; the URL's path is the namespace",
        arguments: ["socketio5", "socketio4"], ["websocket", "polling", "upgrade"])
    func query(peer: String, transport: String) throws {
        guard let (server, url) = try serve(peer) else { return }
        defer { server.stop() }
        let file = try temporaryFolder() + "/a.weir.jsonl"
        let run = try tail(
            url + "/custom?tab=1%202",
            [
                "--record", file,
                "--query", "token=env:TOKEN", "--query", "b c=d&e", "--transport", transport, "--emit", "test:query",
                "--until-match", #"event = query"#, "--filter", "event = query",
            ], environment: ["TOKEN": "s3cret value"])
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output == #"["query","1 2","s3cret value","d&e"]"# + "\n", "\(run.output)")
        let recorded = String(decoding: try readFile(file), as: UTF8.self)
        #expect(recorded.contains("test:query") && !recorded.contains("s3cret"), "a recording holds no secret of ours")
    }

    @Test(
        "Each request has the query: the handshake, each later poll and post, and the upgrade",
        arguments: [
            ("polling", ["GET polling", "GET polling sid", "POST polling sid"]), ("websocket", ["GET websocket"]),
            ("upgrade", ["GET polling", "GET polling sid", "GET websocket sid"]),
        ])
    func queryOfEach(transport: String, kinds: [String]) throws {
        let server = try NotingServer(upgrades: transport == "upgrade")
        defer { server.close() }
        let run = try tail(
            server.url + "?tab=1%202",
            [
                "--query", "token=env:TOKEN", "--query", "b c=d&e", "--transport", transport, "--emit", "x 1",
                "--until-match", "event = heard",
            ], environment: ["TOKEN": "s3cret value"])
        #expect(run.status == 0, "\(run.errors)")
        let requests = server.requests.all
        for (name, value) in [("tab", "1 2"), ("token", "s3cret value"), ("b c", "d&e")] {
            #expect(requests.allSatisfy { $0.queryParameter(name) == value }, "\(requests.map(\.query))")
        }
        let seen = Set(
            requests.map { request in
                [request.method, request.queryParameter("transport"), request.queryParameter("sid").map { _ in "sid" }]
                    .compactMap(\.self).joined(separator: " ")
            })
        #expect(seen.isSuperset(of: kinds), "\(seen)")
    }

    @Test(
        "With several namespaces each line shows its own, and Engine.IO 3 events of / are not shown elsewhere",
        arguments: ["socketio5", "socketio4"])
    func namespaces(peer: String) throws {
        guard let (server, url) = try serve(peer) else { return }
        defer { server.stop() }
        let both = try weir(
            ["tail", url, "--time", "none", "--namespace", "/custom", "--namespace", "/"] + Self.fixed + [
                "--emit", "message 1", "--until-match", "event = message-back", "--filter", "event = message-back",
            ])
        #expect(both.status == 0, "\(both.errors)")
        #expect(both.output.split(separator: " ").first == "/custom", "\(both.output)")
        #expect(both.output.contains("message-back"))
        let one = try tail(
            url, ["--namespace", "/custom", "--emit", "test:both", "--until-match", "event = here"])
        #expect(one.status == 0, "\(one.errors)")
        #expect(!one.output.contains("elsewhere"), "\(one.output)")
        #expect(one.output.contains(#"["here"]"#))
        let lost = try tail(
            url,
            ["--namespace", "/custom", "--namespace", "/none", "--emit", "test:both", "--until-match", "event = here"])
        #expect(lost.status == 0, "\(lost.errors)")
        #expect(lost.errors.contains("the namespace /none was refused") == (peer == "socketio5"), "\(lost.errors)")
    }

    @Test(
        "--reconnect decides whether the server's disconnect ends the tail",
        arguments: ["socketio5", "socketio4"], ["always", "lost", "never"])
    func goodbye(peer: String, policy: String) throws {
        guard let (server, url) = try serve(peer) else { return }
        defer { server.stop() }
        let run = try tail(url, ["--reconnect", policy, "--emit", "test:kick", "--until-match", "type = gap"])
        // 3: events in the meantime may be lost.
        #expect(run.status == (policy == "always" ? 3 : 5), "\(run.errors)")
        #expect(run.errors.contains("weir: not reconnecting") == (policy != "always"), "\(run.errors)")
    }

    @Test(
        "Binary data is complete in JSON, has its size in a line, and a filter finds it",
        arguments: ["socketio5", "socketio4"])
    func binary(peer: String) throws {
        guard let (server, url) = try serve(peer) else { return }
        defer { server.stop() }
        let asked = ["--emit", "test:binary", "--until-match", "payload[2].bytes = 3 and payload[3][0].bytes = 2"]
        let json = try weir(["tail", url, "--format", "json"] + Self.fixed + asked)
        #expect(json.status == 0, "\(json.errors)")
        #expect(
            json.output.contains(
                #"["test:binary",{"n":1},{"base64":"AQID","bytes":3},[{"base64":"BAU=","bytes":2}]]"#),
            "\(json.output)")
        let line = try weir(["tail", url, "--time", "none"] + Self.fixed + asked)
        #expect(line.output.contains(#"test:binary {"n":1} {"bytes":3} [{"bytes":2}]"#), "\(line.output)")
    }

    @Test(
        "A message above --max-depth or --max-attachments is reported with its size and the limit",
        .enabled(if: environment("socketio5") != nil),
        arguments: [
            (["--max-depth", "8", "--emit", "message [[[[[[[[[1]]]]]]]]]"], " levels deep; the limit is 8"),
            (["--max-attachments", "1", "--emit", "test:binary"], "2 attachments; the limit is 1"),
        ])
    func limits(arguments: [String], words: String) throws {
        let (server, url) = try #require(try serve("socketio5"))
        defer { server.stop() }
        let run = try tail(url, arguments + ["--until-match", "type = undecodable"])
        #expect(run.errors.contains(words), "\(run.errors)")
    }

    @Test(
        "An invalid argument is refused with the right spelling",
        arguments: [
            (["http://h/a", "--backend", "twake"], "URL: the path '/a' has no meaning for --backend twake"),
            (["http://h/a", "--backend", "socketio", "--namespace", "b"], "URL: the path '/a' is a namespace"),
            (["http://h/a,b", "--backend", "socketio"], "URL: a namespace must not contain a comma"),
            (["http://h/#a"], "URL: remove the # and the text after it"),
            (
                ["http://h", "--path", "/a?b=1"],
                "--path must not contain a query; put it in the URL, or use --query NAME=VALUE"
            ),
            (["http://h", "--path", "/a b"], "--path: invalid path '/a b'"),
            (["http://h?token=abc"], "--query: token takes a reference, not the value itself"),
            (["http://h", "--query", "password=abc"], "--query: password takes a reference"),
            (["http://h", "--query", "abc"], "--query: write NAME=VALUE"),
            (["http://h", "--auth", "[1]"], "--auth: not a JSON object, env:NAME"),
            (
                ["http://h", "--auth", #"{"a":{"token":"abc"}}"#],
                "--auth: token takes a reference, not the value itself"
            ),
            (["http://h", "--auth", "{}", "--backend", "groupme"], "--auth applies to Socket.IO"),
            (
                ["http://h", "--auth", "{}", "--token", "env:T", "--backend", "socketio"],
                "--token and --auth both set the auth object"
            ),
            (["http://h", "--namespace", "a", "--namespace", "b"], "several --namespace require --backend socketio"),
        ])
    func refused(arguments: [String], message: String) throws {
        let result = try weir(["tail"] + arguments)
        #expect(result.status == 2)
        #expect(result.errors.hasPrefix("weir: " + message), "\(result.errors)")
        #expect(!result.errors.contains("abc") || arguments.contains("abc"), "\(result.errors)")
    }
}

/// A Socket.IO server with one session on a loopback port, by polling and WebSocket, that stores requests and packets.
/// It answers events with the event `heard`, which requests an acknowledgement. If it upgrades, the answer waits until
/// the session is on the WebSocket.
final class NotingServer: HTTPServerHandler {
    private struct State {
        var server: HTTPServer?
        var poll: (@Sendable (HTTPResponse) -> Void)?
        var socket: ServerWebSocket?
        var isProbed = false
        var hasHeard = false
        /// The packets to send as soon as a poll or a socket is available.
        var packets: [String] = []
    }

    /// All requests that arrived, including upgrades.
    let requests = Mailbox<ServerRequest>()
    /// All packets of the client.
    let packets = Mailbox<String>()
    private let upgrades: Bool
    private let aside: String?
    private let loop: EventLoop
    private let state = Monitor(State())

    /// Starts to listen. `aside` is sent to a client that probes the WebSocket, before the answer to the probe.
    init(upgrades: Bool = false, aside: String? = nil) throws {
        (self.upgrades, self.aside) = (upgrades, aside)
        loop = try EventLoop(name: "weir-noting")
        let server = try HTTPServer(on: loop, handler: self)
        state.change { $0.server = server }
    }

    var url: String { "http://127.0.0.1:\(state.change { $0.server?.port ?? 0 })" }

    func close() {
        state.change { $0.server.take() }?.close()
        loop.shutDown()
    }

    private var open: String {
        let names = upgrades ? #""websocket""# : ""
        return #"0{"sid":"s","upgrades":[\#(names)],"pingInterval":25000,"pingTimeout":20000,"maxPayload":1000000}"#
    }

    private static func text(_ body: String) -> HTTPResponse { HTTPResponse(status: 200, body: Array(body.utf8)) }

    func handle(_ request: ServerRequest, respond: @escaping @Sendable (HTTPResponse) -> Void) {
        requests.put(request)
        if request.method == "POST" {
            respond(Self.text("ok"))
            for packet in String(decoding: request.body, as: UTF8.self).split(separator: "\u{1E}") {
                hear(String(packet))
            }
        } else if request.queryParameter("sid") == nil {
            respond(Self.text(open))
        } else {
            state.change { state in
                state.poll = respond
                // Polls end while the session upgrades.
                if state.isProbed, state.packets.isEmpty { state.packets = ["6"] }
            }
            deliver()
        }
    }

    private func hear(_ packet: String) {
        packets.put(packet)
        if packet.hasPrefix("40") { say(#"40{"sid":"t"}"#) }
        if packet.hasPrefix("42") {
            state.change { $0.hasHeard = true }
            answer()
        }
    }

    private func answer() {
        if state.change({ $0.hasHeard && (!upgrades || $0.socket != nil) }) { say(#"427["heard",1]"#) }
    }

    private func say(_ packet: String) {
        state.change { $0.packets.append(packet) }
        deliver()
    }

    private func deliver() {
        let said = state.change { state -> State? in
            guard !state.packets.isEmpty, state.socket != nil || state.poll != nil else { return nil }
            defer { (state.poll, state.packets) = (nil, []) }
            return state
        }
        guard let said else { return }
        if let socket = said.socket {
            for packet in said.packets { socket.send(.text(packet)) }
        } else {
            said.poll?(Self.text(said.packets.joined(separator: "\u{1E}")))
        }
    }

    func refuses(_ upgrade: ServerRequest) -> HTTPResponse? {
        requests.put(upgrade)
        return nil
    }

    func opened(_ socket: ServerWebSocket, _ upgrade: ServerRequest) {
        guard upgrade.queryParameter("sid") == nil else { return }
        state.change { $0.socket = socket }
        socket.send(.text(open))
    }

    func received(_ messages: [WebSocketMessage], from socket: ServerWebSocket) {
        for message in messages {
            switch String(decoding: message.bytes, as: UTF8.self) {
            case "2probe":
                if let aside { socket.send(.text(aside)) }
                socket.send(.text("3probe"))
                state.change { $0.isProbed = true }
                say("6")
            case "5":
                state.change { $0.socket = socket }
                deliver()
                answer()
            case let packet: hear(packet)
            }
        }
    }

    func closed(_ socket: ServerWebSocket, _ close: WebSocketClose) {}
}
