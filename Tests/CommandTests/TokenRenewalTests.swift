import Foundation
import Testing
import TestSupport

/// Tests token renewal: before the expiry and after a refusal, by one process at a time.
@Suite(.timeLimit(.minutes(3))) struct TokenRenewalTests {
    private struct Server {
        let process: Peer
        let url: String

        init(era: String, _ more: String...) throws {
            process = try Peer([try pathOfWeir(), "serve", "--seed", "3", "--quiet", "--era", era] + more)
            url = String(try process.readLine(startingWith: "url ").dropFirst(4))
        }

        func stop() { process.stop() }
    }

    private static let eras = ["a", "b"]
    private static let renewed = "the token was renewed"

    private func login(_ server: String, to file: String, _ more: String..., user: String = "ana.lima") throws {
        let login = try weir(
            ["login", server, "--user", user, "--password", "env:P", "--save", file] + more, environment: ["P": "weir"])
        #expect(login.status == 0, "\(login.errors)")
    }

    private func tail(_ server: String, _ file: String, _ more: String...) throws -> Peer {
        try Peer(
            [try pathOfWeir(), "tail", server, "--token", "file:\(file)", "--no-ctl", "--duration", "60s"] + more,
            environment: ["HOME": try temporaryFolder()], errorsToo: true)
    }

    private func text(of file: String) throws -> String { String(decoding: try readFile(file), as: UTF8.self) }

    /// Reads a tail's lines up to the nth that contains a text. Returns all of them.
    private func read(_ tail: Peer, to end: String, times: Int = 1) -> String {
        var (text, left) = ("", times)
        while left > 0, let line = tail.readLine() {
            text += line + "\n"
            if line.contains(end) { left -= 1 }
        }
        #expect(left == 0, "\(text)")
        return text
    }

    @Test(arguments: eras) func `a tail outlives its token many times, without a gap`(era: String) throws {
        let server = try Server(era: era, "--token-life", "2s")
        defer { server.stop() }
        let file = try temporaryFolder() + "/token"
        try login(server.url, to: file)
        let first = try readFile(file)
        let tail = try tail(server.url, file)
        defer { tail.stop() }
        // Era B says when a token expires. In era A, only a refusal shows that it has expired.
        let text = read(tail, to: era == "b" ? Self.renewed : "another one is used from now on", times: 3)
        #expect(!text.contains("could not be fetched") && !text.contains("gap"), "\(text)")
        #expect(try readFile(file) != first)
        // The file's token is valid for other commands.
        #expect(try weir("whoami", server.url, "--token", "file:\(file)").status == 0)
    }

    @Test func `a token refused before its expiry is renewed`() throws {
        let server = try Server(era: "b")
        defer { server.stop() }
        let file = try temporaryFolder() + "/token"
        try login(server.url, to: file)
        let lines = try text(of: file).split(separator: "\n")
        try writeFile(file, "not-the-token\n\(lines[1])\n")
        let tail = try weir(
            "tail", server.url, "--token", "file:\(file)", "--no-ctl", "--until-match", "kind = message", "--duration",
            "60s")
        #expect(tail.status == 0, "\(tail.errors)")
        #expect(try !text(of: file).hasPrefix("not-the-token"))
    }

    @Test func `an expired login asks the user to log in again`() throws {
        let server = try Server(era: "b")
        defer { server.stop() }
        let file = try temporaryFolder() + "/token"
        try writeFile(
            file, "old\n" + #"{"refresh":"older","renew_at":1,"renew_until":2}"# + "\n")
        let who = try weir("whoami", server.url, "--token", "file:\(file)")
        #expect(who.status == 4 && who.errors.contains("log in again"), "\(who.errors)")
        let tail = try weir("tail", server.url, "--token", "file:\(file)", "--no-ctl", "--store", "none")
        #expect(tail.status == 4 && tail.errors.contains("log in again"), "\(tail.errors)")
        // The server does not know this refresh token.
        try writeFile(file, "old\n" + #"{"refresh":"older","renew_at":1}"# + "\n")
        let refused = try weir("send", server.url, "#general", "hi", "--token", "file:\(file)")
        #expect(refused.status == 4 && refused.errors.contains("log in again"), "\(refused.errors)")
        #expect(!(who.errors + tail.errors + refused.errors).contains("older"))
    }

    @Test func `a tail and a command report the same for a refused token that cannot be renewed`()
        throws
    {
        let server = try Server(era: "b")
        defer { server.stop() }
        let file = try temporaryFolder() + "/token"
        try writeFile(file, "not-the-token\n" + #"{"refresh":"older","renew_at":99999999999}"# + "\n")
        let sent = try weir("send", server.url, "#general", "hi", "--token", "file:\(file)")
        let tail = try weir("tail", server.url, "--token", "file:\(file)", "--no-ctl", "--store", "none")
        for result in [sent, tail] {
            #expect(result.status == 4)
            let line = result.errors.split(separator: "\n").first { $0.contains("log in again") } ?? ""
            #expect(line.contains(": the server refused to renew the token"), "\(result.errors)")
        }
    }

    @Test(.enabled(if: environment("socketio5") != nil, "aiohttp is not installed: run Tests/run"))
    func `two tails share a login with a single-use refresh token`() throws {
        let (port, folder) = (try freePort(), try temporaryFolder())
        let python = try #require(environment("socketio5")) + "/bin/python"
        let server = try Peer(
            [
                python, peersFolder + "/gateway_python.py", "--port", "\(port)", "--state", folder + "/state.json",
                "--life", "2",
            ], errorsToo: true)
        defer { server.stop() }
        try server.readLine(startingWith: "listening")
        server.drain()
        let (url, file) = ("http://127.0.0.1:\(port)", folder + "/token")
        let profile = packageFolder + "/samples/profiles/gateway.yaml"
        try login(url, to: file, "--profile", profile, user: "ana")
        let tails = try (0..<2).map { _ in try tail(url, file, "--profile", profile) }
        defer { for tail in tails { tail.stop() } }
        for tail in tails {
            let text = read(tail, to: Self.renewed, times: 3)
            #expect(!text.contains("log in again") && !text.contains("refused"), "\(text)")
        }
        #expect(try weir("whoami", url, "--profile", profile, "--token", "file:\(file)").output.contains("ana"))
    }
}
