import Glibc
import Testing
import TestSupport

@Suite("Recordings as servers", .serialized, .timeLimit(.minutes(3)))
struct ReplayServeTests {
    /// Records a short demo and returns the path.
    private func record() throws -> String {
        let file = try temporaryFolder() + "/demo.weir.jsonl"
        #expect(try weir("demo", "--duration", "3s", "--no-ctl", "--quiet", "--record", file).status == 0)
        return file
    }

    private func serve(_ file: String, _ options: String...) throws -> (peer: Peer, url: String) {
        let peer = try Peer([try pathOfWeir(), "replay", file, "--serve", "127.0.0.1:0", "--quiet"] + options)
        return (peer, String(try peer.readLine(startingWith: "url ").dropFirst(4)))
    }

    /// Returns the summary's lines about the model.
    private func model(_ errors: String) -> Substring? {
        errors.split(separator: "\n").last { $0.hasPrefix("  model ") }
    }

    @Test("A tail of a served recording reaches the model of the recording")
    func sameModel() throws {
        let file = try record()
        let (peer, url) = try serve(file)
        defer { peer.stop() }
        let replayed = try weir("replay", file, "--speed", "max")
        let tailed = try weir(
            ["tail", url, "--token", "env:T", "--no-ctl", "--store", "none", "--members", "--duration", "6s"],
            environment: ["T": "any"])
        #expect(model(replayed.errors) != nil)
        #expect(model(tailed.errors) == model(replayed.errors))
    }

    @Test(
        "A stock client receives the recorded events",
        .enabled(if: environment("socketio5") != nil, "python-socketio is not installed: run Tests/run"))
    func stockClient() throws {
        let python = try #require(environment("socketio5")) + "/bin/python"
        let (peer, url) = try serve(packageFolder + "/samples/recordings/hello.weir.jsonl")
        defer { peer.stop() }
        let lines = try run([python, peersFolder + "/sio_listen.py", url, "3"]).split(separator: "\n")
        #expect(lines.first == #"["hello",{"from":"ada","text":"Grüß dich 👋"}]"#)
        #expect(lines.last == #"["price",{"eur":12.5}]"#)
    }

    @Test(
        "Captured traffic is served from its middle, and through the handshakes of a log with one connection"
    )
    func captured() throws {
        let folder = try temporaryFolder()
        try writeFile(
            folder + "/log",
            """
            < 42["one",{"n":1}]
            < 0{"sid":"s","upgrades":[],"pingInterval":25000,"pingTimeout":20000}
            < 40{"sid":"t"}
            < 42["two",{"n":2}]
            """)
        #expect(try weir("file", "convert", folder + "/log", "--to", "weir", "-o", folder + "/a").status == 0)
        let (peer, url) = try serve(folder + "/a")
        defer { peer.stop() }
        let tailed = try weir(
            "tail", url, "--backend", "socketio", "--no-ctl", "--store", "none", "--format", "raw", "--count", "2",
            "--duration", "20s", "--quiet")
        #expect(tailed.output == #"["one",{"n":1}]"# + "\n" + #"["two",{"n":2}]"# + "\n")
    }

    @Test("A recording of GroupMe is refused, because its server used another protocol")
    func groupMe() throws {
        let folder = try temporaryFolder()
        try writeFile(folder + "/log", #"< [{"channel":"/user/1","data":{"type":"ping"}}]"#)
        let made = try weir(
            "file", "convert", folder + "/log", "--backend", "groupme", "--to", "weir", "-o", folder + "/a")
        #expect(made.status == 0)
        let served = try weir("replay", folder + "/a", "--serve", "127.0.0.1:0")
        #expect(served.status == 2)
        #expect(
            served.errors == "weir: --serve: a recording of a Bayeux server cannot be served\n")
    }

    @Test("An option that excludes --serve is refused")
    func usage() throws {
        let result = try weir("replay", "f", "--serve", "127.0.0.1:0", "--count", "3")
        #expect(result.status == 2)
        #expect(result.errors == "weir: --serve and --count exclude each other\nTry 'weir help replay'.\n")
    }
}
