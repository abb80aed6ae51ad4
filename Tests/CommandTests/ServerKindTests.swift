import Testing
import TestSupport

/// Tests the error messages for a server called with the wrong backend.
@Suite("A server of another kind", .timeLimit(.minutes(2)))
struct ServerKindTests {
    private static let fixed = ["--no-ctl", "--quiet", "--store", "none", "--config", "none", "--duration", "20s"]

    /// Runs a tail of the server with these arguments, and returns its result.
    private func lastWords(of arguments: [String], at server: Peer) throws -> CommandResult {
        let url = String(try server.readLine(startingWith: "url ").dropFirst(4))
        return try weir(["tail", url] + arguments + Self.fixed, environment: ["T": "t"])
    }

    @Test("A Socket.IO server mistaken for Twake's is named, with the right option")
    func socketIO() throws {
        let server = try Peer([try pathOfWeir(), "serve", "--scenario", "echo", "--quiet"])
        defer { server.stop() }
        let run = try lastWords(of: ["--token", "env:T"], at: server)
        #expect(run.status == 5)
        #expect(
            run.errors.hasSuffix("HTTP status 404; a socketio server answers at /socket.io/: try --backend socketio\n"),
            "\(run.errors)")
    }

    @Test("A Twake server mistaken for a plain Socket.IO server is named")
    func twake() throws {
        let server = try Peer([try pathOfWeir(), "serve", "--quiet"])
        defer { server.stop() }
        let run = try lastWords(of: ["--backend", "socketio"], at: server)
        #expect(run.status == 5)
        #expect(run.errors.hasSuffix("; a twake server answers at /socket/: try --backend twake\n"), "\(run.errors)")
    }

    @Test("A Bayeux server is named, even if it requires a token at every path", arguments: ["twake", "socketio"])
    func bayeux(taken: String) throws {
        let server = try Peer([try pathOfWeir(), "serve", "--scenario", "groupme", "--quiet"])
        defer { server.stop() }
        let run = try lastWords(of: ["--backend", taken, "--token", "env:T"], at: server)
        #expect(run.status == 4)
        #expect(run.errors.contains("HTTP status 401"), "\(run.errors)")
        #expect(run.errors.hasSuffix("; a groupme server answers at /faye: try --backend groupme\n"), "\(run.errors)")
    }

    @Test("If no known server answers, the options are listed")
    func nothing() throws {
        let server = try Peer(["python3", "-m", "http.server", "--bind", "127.0.0.1", "0"])
        defer { server.stop() }
        let port = try #require(
            try server.readLine(startingWith: "Serving HTTP").firstMatch(of: /port ([0-9]+)/)?.1)
        let run = try weir(
            ["tail", "http://127.0.0.1:\(port)", "--token", "env:T"] + Self.fixed, environment: ["T": "t"])
        #expect(run.status == 5)
        #expect(
            run.errors.hasSuffix(
                "; check --path, the endpoint, and --backend, the kind of server (twake was assumed)\n"),
            "\(run.errors)")
    }

    @Test("A server that hangs up gets no further requests")
    func hangsUp() throws {
        let script = """
            import socket
            server = socket.create_server(("127.0.0.1", 0))
            print("port", server.getsockname()[1], flush=True)
            path = ""
            while path != "/end":
                client, _ = server.accept()
                path = client.recv(9999).split()[1].decode()
                print("asked", path, flush=True)
                client.close()
            """
        let server = try Peer(["python3", "-c", script])
        defer { server.stop() }
        let port = try #require(UInt16(try server.readLine(startingWith: "port ").dropFirst(5)))
        let run = try weir(
            ["tail", "http://127.0.0.1:\(port)", "--token", "env:T", "--max-attempts", "1"] + Self.fixed,
            environment: ["T": "t"])
        #expect(run.status == 5, "\(run.errors)")
        try RawConnection(port: port).send("GET /end HTTP/1.1\r\n\r\n")
        var asked: [String] = []
        while let line = server.readLine(), line != "asked /end" { asked.append(line) }
        #expect(!asked.isEmpty)
        #expect(asked.allSatisfy { $0.hasPrefix("asked /socket/?") }, "\(asked)")
    }
}
