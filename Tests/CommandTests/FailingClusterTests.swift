import Glibc
import Testing
import TestSupport
import WeirNetwork
import WeirThreads
import WeirWire

/// A tail of a server that sends as fast as it can, recorded on three nodes of which some are killed and stopped, and two readers in
/// processes of their own. With `WEIR_LONG`, it receives a million events and the stops last ten seconds; otherwise both are smaller.
@Suite(
    "A tail into a failing cluster", .serialized, .enabled(if: isLong && hasNATSServer && nodePackages != nil),
    .timeLimit(.minutes(30)))
struct FailingClusterTests {
    private let count = isLong ? 1_000_000 : 20_000
    private let stop: Duration = isLong ? .seconds(10) : .seconds(3)

    @Test("Both readers write the tail's diff log, byte for byte")
    func readers() throws {
        let server = try NATSServer(nodes: 3)
        let folder = try temporaryFolder()
        let url = server.url + "/s"
        let deadline = MachineClock.monotonic + .seconds(60)
        while try weir("stream", "create", url).status != 0 { try #require(MachineClock.monotonic < deadline) }
        let source = try Peer(
            ["node", peersFolder + "/blast_node.js", "--port", "0", "--count", "\(count)", "--on-join"],
            environment: ["NODE_PATH": try #require(nodePackages)])
        let port = try #require(
            try source.readLine(startingWith: "listening on ").split(separator: ":").dropFirst().first?.prefix {
                $0.isNumber
            })
        let list = "/companies/a0000000-0000-4000-8000-000000000001/workspaces/b0000000-0000-4000-8000-000000000002"
        let tail = try Peer(
            [
                try pathOfWeir(), "tail", "http://127.0.0.1:\(port)", "--path", "/socket", "--backend", "twake",
                "--token", "env:T", "--company", "a0000000-0000-4000-8000-000000000001", "--workspace",
                "b0000000-0000-4000-8000-000000000002", "--join", list + "/channels?type=public", "--no-ctl",
                "--store", "none", "--diff-log", folder + "/live", "--record", url, "--count", "\(count)", "--format",
                "chat",
            ], environment: ["T": "x"])
        tail.drain()
        while try !weir("stream", "info", url).output.contains("recording ") {
            try #require(MachineClock.monotonic < deadline)
        }
        let readers = try (1...2).map { number in
            let reader = try Peer([
                "sh", "-c", "exec \"$@\" 2>\(folder)/errors\(number)", "sh", try pathOfWeir(), "replay", "--follow",
                url, "--speed", "max", "--diff-log", "\(folder)/\(number)",
                "--no-ctl", "--format", "chat", "--quiet",
            ])
            reader.drain()
            return reader
        }
        for _ in 1...5 {
            let leader = try leader(of: url, at: server)
            server.signal(leader, SIGKILL)
            try server.start(leader)
        }
        for nodes in [[2], [1, 2]] {
            _ = try leader(of: url, at: server)
            for node in nodes { server.signal(node, SIGSTOP) }
            let end = MachineClock.monotonic + stop
            let never = Monitor(false)
            _ = never.wait(until: end) { $0 ? () : nil }
            for node in nodes { server.signal(node, SIGCONT) }
        }
        #expect(tail.wait() == 0)
        for (number, reader) in zip(1...2, readers) {
            let status = reader.wait()
            let errors = String(decoding: try readFile("\(folder)/errors\(number)"), as: UTF8.self)
            #expect(status == 0, "\(errors)")
        }
        let live = try readFile(folder + "/live")
        #expect(live.count { $0 == 10 } > count / 2)
        for number in 1...2 { #expect(try readFile("\(folder)/\(number)") == live, "reader \(number)") }
        // The text of the stream, as a file.
        #expect(try weir("file", "compress", url, "--output", folder + "/file.zst").status == 0)
        let file = try weir(
            "replay", folder + "/file.zst", "--speed", "max", "--diff-log", folder + "/file", "--no-ctl", "--format",
            "chat", "--quiet")
        #expect(file.status == 0, "\(file.errors)")
        #expect(try readFile(folder + "/file") == live)
        let facts = try weir("stream", "info", url).output
        #expect(facts.contains("on 3 nodes") && !facts.contains("are gone"), "\(facts)")
    }

    /// Returns the node that leads the stream, after both others have caught up, so that one may fail.
    private func leader(of url: String, at server: NATSServer) throws -> Int {
        let deadline = MachineClock.monotonic + .seconds(120)
        var node: Int?
        while node == nil, MachineClock.monotonic < deadline {
            let facts = try weir("stream", "info", url).output.split(separator: "\n")
            let current = facts.count { $0.hasPrefix("follower") && $0.hasSuffix(", current") }
            let leader = facts.first { $0.hasPrefix("leader") }?.split(separator: " ").last
            node = current == 2 ? (0..<3).first { leader == NATSServer.name(of: $0)[...] } : nil
        }
        return try #require(node)
    }
}

/// Whether the long runs were requested: `.ci/nightly` sets the variable.
private let isLong = getenv("WEIR_LONG") != nil
