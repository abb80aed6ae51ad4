import Glibc
import Testing
import TestSupport
import WeirNetwork

@Suite("Ways to reach a server", .timeLimit(.minutes(2)))
struct AccessRunTests {
    /// Starts a demo server in a process of its own. Returns it with its port and a valid token.
    private func serve() throws -> (server: Peer, port: UInt16, token: String) {
        let server = try Peer([try pathOfWeir(), "serve", "--seed", "3", "--quiet"])
        let first = try #require(server.readLine()), second = try #require(server.readLine())
        let url = try URLParts(parsing: try #require(first.split(separator: " ").last.map(String.init)))
        return (server, url.port, try #require(second.split(separator: " ").last.map(String.init)))
    }

    private static let tail = ["--no-ctl", "--quiet", "--max-attempts", "1", "--count", "5"]

    @Test("The environment's proxies are used only on demand")
    func noLeak() throws {
        let (server, port, token) = try serve()
        defer { server.stop() }
        let nowhere = "http://127.0.0.1:1"
        let result = try weir(
            ["tail", "http://127.0.0.1:\(port)", "--token", "env:TOKEN"] + Self.tail,
            environment: [
                "TOKEN": token, "http_proxy": nowhere, "HTTP_PROXY": nowhere, "https_proxy": nowhere,
                "ALL_PROXY": nowhere,
                "all_proxy": nowhere, "socks_proxy": "127.0.0.1:1",
            ])
        #expect(result.status == 0, "\(result.errors)")
    }

    @Test(
        "--proxy env sends WebSocket and REST through the environment's proxy, which resolves the server's name",
        arguments: ["websocket", "polling", "upgrade"])
    func environment(transport: String) throws {
        let (server, port, token) = try serve()
        defer { server.stop() }
        let proxy = try Peer(
            ["python3", peersFolder + "/connect_proxy.py", "--auth", "ann:p@ssword", "--to", "\(port)"])
        defer { proxy.stop() }
        let url = "http://ann:p%40ssword@127.0.0.1:\(try proxy.listeningPort())"
        let arguments =
            ["tail", "http://chat.invalid", "--token", "env:TOKEN", "--proxy", "env", "--transport", transport]
            + Self.tail
        let result = try weir(arguments, environment: ["TOKEN": token, "HTTP_PROXY": url, "NO_PROXY": "other.invalid"])
        #expect(result.status == 0, "\(result.errors)")
        for _ in 0..<2 {
            #expect(try proxy.readLine(startingWith: "asked ").hasPrefix("asked CONNECT chat.invalid:80 ann:p@ssword "))
        }
        let direct = try weir(arguments, environment: ["TOKEN": token, "HTTP_PROXY": url, "NO_PROXY": ".invalid"])
        #expect(direct.status == 5)
        #expect(direct.errors.contains("cannot connect (resolve): chat.invalid"), "\(direct.errors)")
        #expect(!direct.errors.contains("ssword"))
    }

    @Test("A pinned key and a private authority are accepted over TLS; another pin, authority or name is refused")
    func pins() throws {
        let certificates = try Certificates.shared.get()
        let server = try ScriptedServer(
            frames: [#"42["realtime:event",{"name":"/r","data":{}}]"#], identity: certificates.good)
        defer { server.close() }
        let url = "https://localhost:\(server.port)"
        func tail(_ arguments: [String], environment: [String: String] = [:]) throws -> CommandResult {
            try weir(
                ["tail", url, "--token", "env:TOKEN", "--join", "/r", "--no-ctl", "--quiet", "--max-attempts", "1"]
                    + ["--count", "1", "--duration", "1m"] + arguments,
                environment: environment.merging(["TOKEN": "t0ken-value"]) { a, _ in a })
        }
        let ca = ["--ca", certificates.authority]
        let (good, other) = (try certificates.pin(certificates.good), try certificates.pin(certificates.otherName))
        let fits = try tail(ca + ["--pin", "\(other)", "--pin", "\(good)"])
        #expect(fits.status != 5, "\(fits.errors)")
        let wrong = try tail(ca + ["--pin", "\(other)"])
        #expect(wrong.status == 5)
        #expect(
            wrong.errors.contains(
                "cannot connect (tls): localhost:\(server.port): TLS: the server's public key is \(good), and is not the pinned \(other)"
            ), "\(wrong.errors)")
        let stranger = try tail(["--ca", certificates.stranger])
        #expect(stranger.status == 5)
        #expect(stranger.errors.contains("(tls)"), "\(stranger.errors)")
        let byEnvironment = try tail([], environment: ["SSL_CERT_FILE": certificates.authority])
        #expect(byEnvironment.status != 5, "\(byEnvironment.errors)")
        let missing = try tail(ca + ["--cert", certificates.client.certificate])
        #expect(missing.status == 1)
        #expect(
            missing.errors.hasPrefix(
                "weir: cannot use \(certificates.client.certificate): the file contains no private"),
            "\(missing.errors)")
    }
}
