import Glibc
import Testing
import TestSupport

@Suite(.serialized) struct RecordedDemoTests {
    /// Starts the embedded backend in a process of its own.
    private func serve() throws -> (peer: Peer, url: String, token: String) {
        let peer = try Peer([try pathOfWeir(), "serve", "--seed", "4", "--quiet"])
        let url = try peer.readLine(startingWith: "url ").dropFirst(4)
        let token = try peer.readLine(startingWith: "token ").dropFirst(6)
        return (peer, String(url), String(token))
    }

    @Test func `a recording of the demo replays to the same diff log and lines, twice, in two processes`()
        throws
    {
        let folder = try temporaryFolder()
        let (peer, url, token) = try serve()
        defer { peer.stop() }
        let live = try weir(
            [
                "tail", url, "--token", "env:T", "--no-ctl", "--duration", "6s", "--format", "json", "--record",
                folder + "/d.weir.jsonl",
                "--diff-log", folder + "/live.diff", "--diff-log-reversible",
            ], environment: ["T": token])
        #expect(live.status == 0)
        for copy in ["10", "max"] {
            let replayed = try weir(
                "replay", folder + "/d.weir.jsonl", "--speed", copy, "--format", "json", "--diff-log",
                folder + "/\(copy).diff", "--diff-log-reversible")
            #expect(replayed.status == 0)
            #expect(events(replayed.output) == events(live.output))
            #expect(try readFile(folder + "/\(copy).diff") == readFile(folder + "/live.diff"))
        }
        #expect(events(live.output).count > 30)
        #expect(String(decoding: try readFile(folder + "/live.diff"), as: UTF8.self).contains(#""old":{"#))
        #expect(!String(decoding: try readFile(folder + "/d.weir.jsonl"), as: UTF8.self).contains(token))
    }

    /// Returns the lines of events and diffs. The connection's lines depend on timers, which fire slightly late in the
    /// live run.
    private func events(_ output: String) -> [Substring] {
        output.split(separator: "\n").filter { $0.contains(#""type":"event""#) || $0.contains(#""type":"diff""#) }
    }

    @Test func `rooms of a running tail are listed, joined and left from another process`() throws {
        let (peer, url, token) = try serve()
        defer { peer.stop() }
        let runtime = ["XDG_RUNTIME_DIR": try temporaryFolder(), "XDG_STATE_HOME": try temporaryFolder()]
        let tail = try Peer(
            [
                try pathOfWeir(), "tail", url, "--token", "env:T", "--join", "/first", "--name", "t1", "--format",
                "json",
            ],
            environment: runtime.merging(["T": token]) { a, _ in a })
        defer { tail.stop() }
        while let line = tail.readLine(), !line.contains("realtime:join:success") {}
        let listed = try weir(["rooms", "ls", "--on", "t1"], environment: runtime)
        #expect(listed.status == 0)
        #expect(listed.output.contains("/first"))
        #expect(try weir(["rooms", "join", "/second", "--on", "t1"], environment: runtime).status == 0)
        while let line = tail.readLine(), !(line.contains("realtime:join:success") && line.contains("/second")) {}
        #expect(try weir(["rooms", "leave", "/first"], environment: runtime).status == 0)
        let after = try weir(["rooms", "ls"], environment: runtime).output
        #expect(after.contains("/second") && !after.contains("/first"))
        #expect(try weir(["rooms", "ls", "--on", "nobody"], environment: runtime).status == 5)
    }

    @Test func `the demo shows events and ends with a summary of the model`() throws {
        let demo = try weir("demo", "--duration", "4s", "--no-ctl")
        #expect(demo.status == 0)
        #expect(demo.output.contains("+ channel"))
        #expect(demo.errors.contains("summary: ") && demo.errors.contains("channels"))
    }
}
