import Glibc
import Testing
import TestSupport
import WeirNetwork
import WeirThreads

/// Checks that an active server is not reported as silent when its messages are read late. `WEIR_LONG=1` takes a minute
/// for each case.
@Suite("False silence", .timeLimit(.minutes(10))) struct SilenceTests {
    private static let isLong = getenv("WEIR_LONG") != nil

    /// A `weir tail` of a counting server with a pipe as its output, or a `weir record` into the pipe.
    private final class Run {
        let server: Peer
        let tail: pid_t
        let output: Int32
        let errors: Int32
        private var rest: [UInt8] = []
        private(set) var lines = 0
        /// The bytes read of a recording.
        private(set) var recording: [UInt8] = []
        private let isRecording: Bool

        init(_ server: [String], _ options: [String] = [], isRecording: Bool = false) throws {
            self.isRecording = isRecording
            self.server = try Peer(["python3", peersFolder + "/patient_server.py"] + server)
            let port = try self.server.listeningPort()
            var ends: [Int32] = [0, 0]
            try #require(pipe(&ends) == 0)
            errors = try temporaryFile()
            let url = "http://127.0.0.1:\(port)"
            let verb =
                isRecording
                ? ["record", url, "-"] : ["tail", url, "--format", "jsonl", "--until-match", "event = last"]
            tail = try start(
                [try pathOfWeir()] + verb + [
                    "--backend", "socketio", "--transport", "websocket", "--eio", "4", "--no-ctl", "--store", "none",
                ] + options, environment: [:], descriptors: [1: ends[1], 2: errors])
            close(ends[1])
            output = ends[0]
            _ = fcntl(output, F_SETFD, FD_CLOEXEC)
        }

        /// Reads until `count` lines were read, or to the end.
        func read(_ count: Int = .max) {
            var piece = [UInt8](repeating: 0, count: 1 << 16)
            while lines < count {
                let got = Glibc.read(output, &piece, piece.count)
                if got <= 0 { return }
                lines += piece[..<got].count { $0 == 10 }
                if isRecording { recording += piece[..<got] }
            }
        }

        /// Waits until the server has run for this many seconds.
        func wait(seconds: Int) throws { try server.readLine(startingWith: "second \(seconds).") }

        /// The processor time that the tail has used so far.
        var processorTime: Duration {
            get throws {
                let stat = String(decoding: try readFile("/proc/\(tail)/stat"), as: UTF8.self)
                let fields = stat[(stat.lastIndex(of: ")") ?? stat.startIndex)...].split(separator: " ")
                let ticks = (Int(fields[12]) ?? 0) + (Int(fields[13]) ?? 0)
                return .milliseconds(ticks * 1000 / sysconf(Int32(_SC_CLK_TCK)))
            }
        }

        /// Reads the rest of the output, and returns the messages on standard error.
        func end() throws -> String {
            server.drain()
            read()
            _ = try waitForExit(of: tail)
            close(output)
            defer { close(errors) }
            return try contents(of: errors)
        }
    }

    @Test func `a process stopped for four seconds reads pending data before it reports the server as silent`() throws {
        let run = try Run([Self.isLong ? "600" : "70", "100", "60000"])
        run.read(5)
        // A minute contains eight stops of four seconds.
        for stop in 0..<(Self.isLong ? 8 : 1) {
            try run.wait(seconds: 7 * stop + 1)
            kill(run.tail, SIGSTOP)
            try run.wait(seconds: 7 * stop + 5)
            kill(run.tail, SIGCONT)
        }
        let told = try run.end()
        #expect(run.lines == (Self.isLong ? 601 : 71), "\(told)")
        #expect(!told.contains("disconnected"), "\(told)")
    }

    @Test func `while the output is unread, the server gets its pongs and nothing is lost`() throws {
        let total = Self.isLong ? 100_000 : 12_000
        // Reading the long form's 90 MB takes longer than 4 s, so the server has Socket.IO's usual ping timeout.
        let run = try Run(["\(total)", "0", Self.isLong ? "20000" : "4000", "900"])
        try run.wait(seconds: 4)
        let before = try run.processorTime
        try run.wait(seconds: Self.isLong ? 60 : 10)
        let used = try run.processorTime - before
        #expect(used < .seconds(2), "it has nothing to do, and used \(used)")
        let told = try run.end()
        #expect(run.lines == total + 1, "\(told)")
        #expect(!told.contains("disconnected"), "\(told)")
        #expect(told.contains("the output is too slow"))
    }

    @Test
    func `while the recording is unread, the server waits and gets its pongs, and the recording is complete`()
        throws
    {
        // More data than all queues and sockets in between can hold.
        let run = try Run(["4000", "0", "4000", "9000"], ["--count", "4001"], isRecording: true)
        var line = ""
        while !line.hasPrefix("second 6.") {
            line = try #require(run.server.readLine())
            #expect(line != "all sent" && line != "cut")
        }
        let told = try run.end()
        #expect(told.contains("the recording is too slow"), "\(told)")
        #expect(!told.contains("disconnected"), "\(told)")
        let recording = try temporaryFolder() + "/a.weir.jsonl"
        try writeFile(recording, run.recording)
        #expect(try weir("file", "grep", "-cF", #"["tick","#, recording).output == "4000\n")
        let replay = try weir(
            "replay", recording, "--speed", "max", "--verify", "--no-ctl", "--quiet", "--format", "jsonl")
        #expect(replay.status == 0, "\(replay.errors.suffix(500))")
    }

    @Test func `a recording continues while the output is unread, and the output is complete in the end`() throws {
        let total = Self.isLong ? 100_000 : 12_000
        let recording = try temporaryFolder() + "/a.weir.jsonl"
        let run = try Run(["\(total)", "0", "20000", "900"], ["--record", recording])
        // Far more than fits in memory: the server can send everything only if nothing blocks the socket.
        try run.server.readLine(startingWith: "all sent")
        if Self.isLong { try run.wait(seconds: 60) }
        let told = try run.end()
        #expect(run.lines == total + 1, "\(told)")
        // A disk that pauses may block the socket, but the output may not.
        #expect(!told.contains("the output is too slow") && !told.contains("disconnected"), "\(told)")
        #expect(try weir("file", "grep", "-cF", #"["tick","#, recording).output == "\(total)\n")
        let replay = try weir(
            "replay", recording, "--speed", "max", "--verify", "--no-ctl", "--quiet", "--format", "jsonl")
        #expect(replay.status == 0, "\(replay.errors.suffix(500))")
    }

    @Test
    func `the tail leaves a server that violates the protocol at once, and the gap starts at its last message`()
        throws
    {
        let recording = try temporaryFolder() + "/a.weir.jsonl"
        let server = try Peer(["python3", peersFolder + "/patient_server.py", "3", "0", "60000", "0", "illegal"])
        defer { server.stop() }
        let port = try server.listeningPort()
        let tail = try weir(
            "tail", "http://127.0.0.1:\(port)", "--backend", "socketio", "--transport", "websocket", "--eio", "4",
            "--no-ctl", "--store", "none", "--record", recording, "--duration", "3s", "--format", "jsonl")
        #expect(tail.status == 3, "\(tail.errors)")
        #expect(
            tail.output.split(separator: "\n").count == 7 && tail.output.hasSuffix("[\"last\",{}]\n"), "\(tail.output)")
        #expect(tail.errors.contains("disconnected  closed with code 1007: text is not UTF-8"), "\(tail.errors)")
        #expect(tail.errors.contains("! gap  "), "\(tail.errors)")
        let recorded = String(decoding: try readFile(recording), as: UTF8.self)
        let gap = try #require(recorded.firstMatch(of: /"why":"reconnect","from":(\d+),"to":(\d+)/), "\(recorded)")
        // The server was silent for half a second before it violated the protocol.
        #expect(try #require(Int(gap.2)) - #require(Int(gap.1)) > 250_000, "\(gap.0)")
    }

    @Test func `text that a server escapes is shown, filtered, highlighted and searched unescaped`() throws {
        let recording = try temporaryFolder() + "/a.weir.jsonl"
        let server = try Peer(["python3", peersFolder + "/patient_server.py", "3", "0", "60000", "0", "escaped"])
        defer { server.stop() }
        let port = try server.listeningPort()
        let tail = try weir(
            "tail", "http://127.0.0.1:\(port)", "--backend", "socketio", "--transport", "websocket", "--no-ctl",
            "--store",
            "none", "--record", recording, "--until-match", "event = last", "--grep", "émoji 😀", "--format", "compact")
        #expect(
            tail.output.split(separator: "\n").count { $0.contains("émoji 😀 https://example.org") } == 3,
            "\(tail.output)")
        let replay = try weir(
            "replay", recording, "--speed", "max", "--no-ctl", "--filter", "text ~ 'émoji'", "--format", "compact")
        #expect(replay.output.contains("émoji"), "\(replay.output)\(replay.errors)")
        #expect(try weir("file", "grep", "-cF", "émoji 😀", recording).output == "3\n")
        #expect(try weir("file", "grep", "-cF", "https://example.org", recording).output == "3\n")
        let plain = try weir(
            "replay", recording, "--speed", "max", "--no-ctl", "--format", "compact", "--color", "always")
        let marked = try weir(
            "replay", recording, "--speed", "max", "--no-ctl", "--format", "compact", "--color", "always",
            "--highlight",
            "/émoji 😀 https:..example/")
        let changed = zip(plain.output.split(separator: "\n"), marked.output.split(separator: "\n")).filter { $0 != $1 }
        #expect(changed.count == 3 && changed.allSatisfy { $1.contains("émoji") }, "\(marked.output)\(marked.errors)")
        #expect(try weir("file", "grep", "-F", "émoji", recording).output.contains("émoji 😀"))
        #expect(try weir("file", "grep", "-cF", #"\u00e9moji"#, recording).output == "0\n")
        #expect(try weir("file", "grep", "-cF", "--raw", #"\u00e9moji"#, recording).output == "3\n")
        let raw = try weir("replay", recording, "--speed", "max", "--no-ctl", "--view", "raw")
        #expect(raw.output.contains(#"u00e9moji"#), "\(raw.output)")
    }
}
