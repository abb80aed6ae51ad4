import Glibc
import Testing
import TestSupport
import WeirThreads

/// Tests recordings that cannot grow. A limit of the process simulates a full disk.
@Suite(.serialized) struct FullDiskTests {
    private func serve() throws -> (peer: Peer, url: String, token: String) {
        let peer = try Peer([try pathOfWeir(), "serve", "--seed", "4", "--quiet"])
        let url = try peer.readLine(startingWith: "url ").dropFirst(4)
        let token = try peer.readLine(startingWith: "token ").dropFirst(6)
        return (peer, String(url), String(token))
    }

    /// Returns a shell command that runs `weir tail` with a file size limit of 16 KiB.
    private func limited(_ url: String, _ path: String, _ more: String) throws -> [String] {
        let weir = try pathOfWeir()
        return [
            "/bin/sh", "-c",
            "ulimit -S -f 32; exec '\(weir)' tail '\(url)' --token env:T --store none --no-ctl "
                + "--record '\(path)' \(more)",
        ]
    }

    @Test func `a recording that cannot be written ends the tail with code 7 and stays readable`() throws {
        let (peer, url, token) = try serve()
        defer { peer.stop() }
        let path = try temporaryFolder() + "/x.weir.jsonl"
        let tail = try Peer(
            try limited(url, path, "--duration 30s --format json"), environment: ["T": token], errorsToo: true)
        var last = ""
        while let line = tail.readLine() { last = line.contains("x.weir.jsonl") ? line : last }
        #expect(tail.wait() == 7)
        #expect(last.contains("cannot write") || last.contains("cannot sync"), "\(last)")
        #expect(try readFile(path).count <= 16 << 10)
        // One line may be torn, and the recording has no end.
        let replayed = try weir("replay", path, "--speed", "max", "--quiet")
        #expect(replayed.status == 3 || replayed.status == 0)
        #expect(!replayed.output.isEmpty)
    }

    @Test(arguments: [
        ["convert", "SAMPLE", "--to", "har", "-o", "OUT"], ["convert", "SAMPLE", "--to", "lines", "-o", "OUT"],
        ["convert", "SAMPLE", "--to", "cloudevents", "-o", "OUT"],
        ["convert", "SAMPLE", "--to", "asciicast", "-o", "OUT"],
        ["filter", "SAMPLE", "--kind", "f", "-o", "OUT"], ["cut", "SAMPLE", "--start", "+1s", "-o", "OUT"],
        ["merge", "SAMPLE", "OTHER", "-o", "OUT"], ["redact", "SAMPLE", "--rule", "secrets", "-o", "OUT"],
        ["repair", "SAMPLE", "-o", "OUT"], ["index", "SAMPLE", "-o", "OUT"], ["compress", "SAMPLE", "-o", "OUT"],
        ["compress", "-d", "COMPRESSED", "-o", "OUT"], ["split", "SAMPLE", "--records", "100000", "-o", "OUT"],
        ["mark", "SAMPLE", "--set", "m", "--at", "+1s", "-o", "OUT"],
    ])
    func `a tool that cannot write its file ends with code 7 and leaves no part of it`(arguments: [String]) throws {
        let sample = packageFolder + "/samples/recordings/twake-day.weir.jsonl"
        let other = packageFolder + "/samples/recordings/reconnect.weir.jsonl"
        let compressed = try temporaryFolder() + "/day.zst"
        #expect(try weir("file", "compress", sample, "-o", compressed).status == 0)
        func run(_ out: String, _ limit: String) throws -> (status: Int32, errors: String) {
            let places = ["SAMPLE": sample, "OTHER": other, "COMPRESSED": compressed, "OUT": out]
            let words = arguments.map { places[$0] ?? $0 }
            let errors = try temporaryFile()
            defer { close(errors) }
            let process = try start(
                ["/bin/sh", "-c", "ulimit -S -f \(limit); exec \"$0\" file \"$@\"", try pathOfWeir()] + words,
                environment: [:], descriptors: [2: errors])
            return (try waitForExit(of: process), try contents(of: errors))
        }
        let folder = try temporaryFolder()
        // A disk that is full after 1 KiB, and a folder that does not exist.
        for (out, limit) in [(folder + "/out", "2"), ("/dev/null/out", "unlimited")] {
            let result = try run(out, limit)
            #expect(result.status == 7, "\(result)")
            #expect(result.errors.contains("cannot "), "\(result)")
            #expect(names(in: folder) == [])
        }
        let taken = folder + "/taken"
        try writeFile(arguments[0] == "split" ? taken + ".0001.weir.jsonl" : taken, "mine")
        #expect(try run(taken, "unlimited").status == 7)
        #expect(names(in: folder).count == 1)
    }

    @Test func `a repair without room for the damaged lines ends with code 7 and leaves no part of its files`() throws {
        let folder = try temporaryFolder()
        let broken = try temporaryFolder() + "/broken.weir.jsonl"
        let sample = String(
            decoding: try readFile(packageFolder + "/samples/recordings/hello.weir.jsonl"), as: UTF8.self)
        let large = String(repeating: "x", count: 40_000)
        let end = try #require(sample.firstIndex(of: "\n"))
        let (head, rest) = (String(sample[...end]), String(sample[sample.index(after: end)...]))
        // An invalid line in the middle, a torn end, and both. The second of the two files may be the one without room.
        for text in ["\(head)\(large)\n\(rest)", sample + large, "\(head)xxx\n\(rest)\(large)"] {
            try writeFile(broken, text)
            let words = [try pathOfWeir(), "file", "repair", broken, "-o", folder + "/out"]
            let process = try start(
                ["/bin/sh", "-c", "ulimit -S -f 32; exec \"$0\" \"$@\""] + words, environment: [:], descriptors: [:])
            #expect(try waitForExit(of: process) == 7)
            #expect(names(in: folder) == [])
        }
    }

    @Test func `a mark without room leaves no partial line, which would corrupt the next mark`() throws {
        let path = try temporaryFolder() + "/x.weir.jsonl"
        try writeFile(path, try readFile(packageFolder + "/samples/recordings/hello.weir.jsonl"))
        func mark(_ label: String, blocks: String) throws -> Int32 {
            let words = [try pathOfWeir(), "file", "mark", path, "--set", label, "--at", "n:3"]
            let process = try start(
                ["/bin/sh", "-c", "ulimit -S -f \(blocks); exec \"$0\" \"$@\""] + words, environment: [:],
                descriptors: [:])
            return try waitForExit(of: process)
        }
        var kept = 0
        while kept < 20, try mark("m\(kept)", blocks: "1") == 0 { kept += 1 }
        #expect((1..<20).contains(kept))
        #expect(try mark("full", blocks: "1") == 7)
        #expect(try mark("last", blocks: "unlimited") == 0)
        let marks = try weir("file", "mark", path).output.split(separator: "\n")
        #expect(marks.count { $0.hasSuffix("  last") } == 1 && marks.count { $0.contains("  m") } == kept, "\(marks)")
    }

    @Test
    func `with --on-write-error continue a tail reports the error, resumes with free space, and records the loss`()
        throws
    {
        let (peer, url, token) = try serve()
        defer { peer.stop() }
        let path = try temporaryFolder() + "/x.weir.jsonl"
        let tail = try Peer(
            try limited(url, path, "--on-write-error continue --format json"), environment: ["T": token],
            errorsToo: true)
        while let line = tail.readLine(), !line.contains("recording failed") {}
        // These events are lost.
        for _ in 0..<40 { _ = tail.readLine() }
        #expect(system("prlimit --pid \(tail.pid) --fsize=unlimited") == 0)
        while let line = tail.readLine(), !line.contains("recording resumed") {}
        #expect(kill(tail.pid, SIGINT) == 0)
        while tail.readLine() != nil {}
        #expect(tail.wait() == 130)
        let text = String(decoding: try readFile(path), as: UTF8.self)
        #expect(text.contains(#""k":"gap""#) && text.contains(#""why":"unwritten""#))
        #expect(text.contains(#""k":"note""#) && text.contains("recording resumed"))
        #expect(text.split(separator: "\n").last?.hasPrefix(#"{"k":"end""#) == true)
        // Each line is complete: a line cut by the full disk was completed first.
        #expect(text.split(separator: "\n").allSatisfy { $0.hasPrefix("{\"k\":\"") && $0.hasSuffix("}") })
        #expect(try weir("replay", path, "--speed", "max", "--quiet").status == 3)
    }
}
