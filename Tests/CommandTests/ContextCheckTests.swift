import Glibc
import Testing
import TestSupport
import WeirNetwork

/// Tests `weir ctx check` against real servers on the loopback interface.
@Suite("Checks of a context", .timeLimit(.minutes(3)))
struct ContextCheckTests {
    private static let steps = ["resolve", "connect", "tls", "handshake", "authentication", "rooms", "clock"]

    /// Creates a context in a new home and checks it. Returns the result and the outcome of each step.
    private func check(
        _ url: String, _ options: [String] = [], environment: [String: String] = [:]
    ) throws -> (result: CommandResult, outcomes: [String]) {
        let home = try temporaryFolder()
        let environment = environment.merging(["HOME": home]) { own, _ in own }
        let added = try weir(["ctx", "add", "a", url] + options, environment: environment)
        try #require(added.status == 0, "\(added.errors)")
        let result = try weir("ctx", "check", "a", "--json", environment: environment)
        let lines = result.output.split(separator: "\n")
        try #require(lines.count == Self.steps.count, "\(result.output) \(result.errors)")
        let outcomes = zip(Self.steps, lines).map { step, line in
            ["pass", "fail", "skip"].first { line.hasPrefix(#"{"step":"\#(step)","outcome":"\#($0)""#) } ?? "\(line)"
        }
        return (result, outcomes)
    }

    @Test("Every step of a healthy server passes, with its time")
    func passes() throws {
        let server = try Peer([try pathOfWeir(), "serve", "--seed", "3", "--quiet"])
        defer { server.stop() }
        let url = String(try server.readLine(startingWith: "url ").dropFirst(4))
        let token = String(try server.readLine(startingWith: "token ").dropFirst(6))
        let (result, outcomes) = try check(url, ["--token", "env:TOKEN"], environment: ["TOKEN": token])
        #expect(result.status == 0, "\(result.output)")
        #expect(outcomes.prefix(2) == ["pass", "pass"])
        #expect(outcomes[2] == "skip", "plain HTTP has no TLS")
        #expect(outcomes[3...5] == ["pass", "pass", "pass"])
        #expect(result.output.contains(" joined"))
        #expect(result.output.split(separator: "\n").allSatisfy { $0.contains(#""ms":"#) })
        #expect(!result.output.contains(token))
    }

    @Test("An unknown name fails to resolve, and a closed port fails to connect")
    func unreachable() throws {
        let (name, outcomes) = try check("http://no-such-host.invalid")
        #expect(name.status == 5)
        #expect(outcomes == ["fail", "skip", "skip", "skip", "skip", "skip", "skip"])
        let (port, others) = try check("http://127.0.0.1:\(try freePort())")
        #expect(port.status == 5)
        #expect(others == ["pass", "fail", "skip", "skip", "skip", "skip", "skip"])
        #expect(port.output.contains("Connection refused"))
    }

    @Test("A certificate for another name or of another authority fails the TLS handshake")
    func certificates() throws {
        let certificates = try Certificates.shared.get()
        let server = try ScriptedServer(identity: certificates.otherName)
        defer { server.close() }
        let url = "https://localhost:\(server.port)"
        let (name, outcomes) = try check(url, ["--ca", certificates.authority])
        #expect(name.status == 5)
        #expect(outcomes == ["pass", "pass", "fail", "skip", "skip", "skip", "skip"], "\(name.output)")
        let good = try ScriptedServer(identity: certificates.good)
        defer { good.close() }
        let (authority, others) = try check("https://localhost:\(good.port)", ["--ca", certificates.stranger])
        #expect(authority.status == 5)
        #expect(others == ["pass", "pass", "fail", "skip", "skip", "skip", "skip"], "\(authority.output)")
        let (right, all) = try check(
            "https://localhost:\(good.port)",
            ["--ca", certificates.authority, "--backend", "socketio", "--path", "/socket/"])
        #expect(all.prefix(5) == ["pass", "pass", "pass", "pass", "pass"], "\(right.output)")
        #expect(right.status == 0)
    }

    @Test("A server with another protocol fails the handshake")
    func noSocketIO() throws {
        let server = try ScriptedServer(greeting: "hello")
        defer { server.close() }
        let (result, outcomes) = try check(
            "http://127.0.0.1:\(server.port)", ["--backend", "socketio", "--path", "/socket/"])
        #expect(result.status == 5, "\(result.output)")
        #expect(outcomes == ["pass", "pass", "skip", "fail", "skip", "skip", "skip"])
    }

    @Test("A refused or missing token fails to authenticate, with code 4")
    func refused() throws {
        let server = try Peer([try pathOfWeir(), "serve", "--seed", "3", "--quiet"])
        defer { server.stop() }
        let url = String(try server.readLine(startingWith: "url ").dropFirst(4))
        let (result, outcomes) = try check(url, ["--token", "env:TOKEN"], environment: ["TOKEN": "n0t-the-t0ken"])
        #expect(result.status == 4, "\(result.output)")
        #expect(outcomes == ["pass", "pass", "skip", "pass", "fail", "skip", "skip"])
        #expect(!result.output.contains("n0t-the-t0ken"))
    }

    @Test("A refused room fails the rooms step, with code 4 and the server's words")
    func refusedRoom() throws {
        let server = try ScriptedServer(joining: #"42["realtime:join:error",{"name":"/r","error":"not for you"}]"#)
        defer { server.close() }
        let (result, outcomes) = try check(
            "http://127.0.0.1:\(server.port)", ["--token", "env:TOKEN", "--join", "/r"],
            environment: ["TOKEN": "t0k3n-of-ann"])
        #expect(result.status == 4, "\(result.output)")
        #expect(outcomes == ["pass", "pass", "skip", "pass", "pass", "fail", "skip"])
        #expect(result.output.contains("/r refused: not for you"))
    }

    @Test("A server's clock is read from its answers, and a clock that is far off fails with code 1")
    func clock() throws {
        let near = try Peer(["python3", peersFolder + "/dated_server.py", "0"])
        defer { near.stop() }
        let (well, _) = try check(
            "http://127.0.0.1:\(try near.listeningPort())", ["--backend", "socketio", "--transport", "polling"])
        #expect(well.output.contains(#"{"step":"clock","outcome":"pass""#), "\(well.output)")
        #expect(well.status == 0)
        let far = try Peer(["python3", peersFolder + "/dated_server.py", "3600"])
        defer { far.stop() }
        let (wrong, _) = try check(
            "http://127.0.0.1:\(try far.listeningPort())", ["--backend", "socketio", "--transport", "polling"])
        #expect(wrong.output.contains("the server's clock is 3"), "\(wrong.output)")
        #expect(wrong.output.contains(" s ahead"))
        #expect(wrong.status == 1)
    }

    @Test("The output for humans is a line per step with its time")
    func lines() throws {
        let home = try temporaryFolder()
        _ = try weir("ctx", "add", "a", "http://127.0.0.1:\(try freePort())", environment: ["HOME": home])
        let result = try weir("ctx", "check", "a", environment: ["HOME": home])
        let lines = result.output.split(separator: "\n")
        #expect(lines.count == 7)
        #expect(lines[0].hasPrefix("pass  resolve "))
        #expect(lines[0].contains(" ms  127.0.0.1 is 127.0.0.1"))
        #expect(lines[1].hasPrefix("FAIL  connect "))
        #expect(lines[2].hasPrefix("skip  tls "))
        #expect(result.status == 5)
    }
}
