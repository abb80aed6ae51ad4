import Glibc
import Synchronization
import Testing
import TestSupport
import WeirNetwork
import WeirThreads
import WeirWire

/// One excess of a server, and the expected reaction of a tail.
struct HostileCase: Sendable {
    /// The name of the case in `Tests/Peers/hostile_server.py`.
    var name: String
    /// The amount for that script, in the short form with limits of 2 MiB, and in the long form with the usual limits
    /// of 16 MiB.
    var amounts: (short: Int, long: Int)
    /// Text expected on standard error. PORT is replaced by the server's port, LIMIT by the limit in bytes that the options set.
    var notice: String?
    /// How often the server says that it is done.
    var rounds = 1
    /// Additional options of the tail.
    var options: [String] = []
    /// Whether the output stays unread.
    var isUnread = false
    /// Whether the tail records. Without a recording, unread output is not spooled: it waits in memory, and then in the
    /// server.
    var isRecorded = true
    /// The model's memory in bytes per unit of the amount, for servers that legitimately send that much.
    var model = 0

    /// The memory in MiB that a tail may use in addition to a quiet tail's and the model's, in the short form and in
    /// the long one.
    static let bounds = (short: 72, long: 100)
    /// The total memory in MiB of a tail with unread output and without a recording.
    static let unrecordedBound = 100

    private static let body = "127.0.0.1:PORT: the body of the answer has "
    private static let head = "127.0.0.1:PORT: the head of the answer is larger than 262144 bytes"
    private static let message = "closed with code 1009: message of "
    private static let packet = "a packet of the polling answer has "
    private static let attachments = "bytes or more; the limit is LIMIT"
    private static let unread = "cannot read response"
    private static let polls = ["--transport", "polling", "--backend", "socketio"]
    private static let bayeux = ["--transport", "polling", "--backend", "groupme"]
    private static let socket = ["--transport", "websocket"]

    static let all: [HostileCase] = [
        // Answers to requests. The first takes as long as the timeout allows.
        HostileCase(name: "drip", amounts: (1, 1), notice: "of the answer's 100000 bytes came within 30 s"),
        HostileCase(name: "endless-chunks", amounts: (8, 1000), notice: body, rounds: 2),
        HostileCase(name: "endless-space", amounts: (8, 1000), notice: body, rounds: 2),
        HostileCase(name: "announced", amounts: (8, 1000), notice: body, rounds: 2),
        HostileCase(name: "gzip-bomb", amounts: (8, 1000), notice: body, rounds: 2),
        HostileCase(name: "deflate-bomb", amounts: (8, 1000), notice: body, rounds: 2),
        HostileCase(name: "endless-headers", amounts: (8, 100), notice: head, rounds: 2),
        HostileCase(
            name: "endless-header-line", amounts: (8, 100),
            notice: "127.0.0.1:PORT: a header of the answer is larger than 100 KiB", rounds: 2),
        HostileCase(name: "interim-flood", amounts: (8, 100), notice: head, rounds: 2),
        HostileCase(name: "trailers", amounts: (8, 100), notice: head, rounds: 2),
        HostileCase(name: "chunk-extensions", amounts: (8, 100), rounds: 2),
        HostileCase(name: "cookies", amounts: (20, 100), rounds: 2),
        HostileCase(name: "redirects", amounts: (1, 1), rounds: 2),
        HostileCase(name: "pages", amounts: (1, 1), rounds: 2),
        HostileCase(name: "short-length", amounts: (1, 1), rounds: 2),
        HostileCase(name: "array", amounts: (1, 15), notice: unread, rounds: 2),
        HostileCase(name: "array", amounts: (8, 100), notice: body, rounds: 2),
        HostileCase(name: "objects", amounts: (1, 15), notice: unread, rounds: 2),
        HostileCase(name: "nested", amounts: (1, 15), notice: unread, rounds: 2),
        HostileCase(name: "nested", amounts: (8, 100), notice: body, rounds: 2),
        HostileCase(name: "one-string", amounts: (1, 15), notice: unread, rounds: 2),
        HostileCase(name: "one-string", amounts: (8, 100), notice: body, rounds: 2),
        HostileCase(name: "many-keys", amounts: (1, 14), rounds: 2),
        HostileCase(name: "many-keys", amounts: (8, 100), notice: body, rounds: 2),
        HostileCase(name: "many-secrets", amounts: (1, 15), rounds: 2),
        HostileCase(name: "same-keys", amounts: (1, 14), rounds: 2),
        HostileCase(name: "padded", amounts: (1, 15), rounds: 2),
        HostileCase(name: "rows", amounts: (1, 13), notice: unread, rounds: 2, model: 3 << 20),
        HostileCase(name: "all-padded", amounts: (1, 15), rounds: 8),
        // WebSocket messages.
        HostileCase(name: "announced-frame", amounts: (8, 100), notice: message),
        HostileCase(name: "large-message", amounts: (8, 100), notice: message),
        HostileCase(name: "large-message", amounts: (1, 15)),
        HostileCase(name: "fragments", amounts: (8, 100), notice: message),
        HostileCase(name: "empty-fragments", amounts: (1, 20)),
        HostileCase(name: "empty-messages", amounts: (1, 10)),
        HostileCase(name: "tiny-events", amounts: (1, 10)),
        HostileCase(name: "pings", amounts: (8, 100)),
        HostileCase(name: "placeholders", amounts: (2, 100), notice: "attachments; the limit is 10"),
        HostileCase(name: "attachments", amounts: (20, 200)),
        HostileCase(name: "attachments-unasked", amounts: (8, 100), notice: "a binary frame that belongs to no packet"),
        HostileCase(name: "attachment-missing", amounts: (9, 100), notice: attachments),
        HostileCase(name: "namespace", amounts: (1, 15), notice: "cannot read frame"),
        HostileCase(name: "event-name", amounts: (1, 15)),
        HostileCase(name: "acknowledgement", amounts: (1, 15)),
        HostileCase(name: "nested-event", amounts: (1, 15), notice: "cannot read frame"),
        HostileCase(name: "unknown-events", amounts: (2, 50)),
        HostileCase(name: "rooms", amounts: (2, 50)),
        HostileCase(name: "denials", amounts: (2, 50)),
        HostileCase(name: "typing", amounts: (2, 50)),
        HostileCase(name: "presences", amounts: (2, 50)),
        HostileCase(name: "messages", amounts: (2, 50), model: 3 << 20),
        HostileCase(name: "large-messages", amounts: (32, 500)),
        HostileCase(name: "large-events", amounts: (32, 500)),
        HostileCase(
            name: "large-events", amounts: (64, 500), rounds: 0, options: ["--format", "json"], isUnread: true),
        // Queues are limited in bytes: events of 900 kB that wait for the output, for a slow program, or for a receiver
        // that never answers.
        HostileCase(
            name: "huge-events", amounts: (100, 500), rounds: 0, options: ["--format", "json"], isUnread: true),
        HostileCase(
            name: "huge-events", amounts: (100, 500), rounds: 0, options: ["--format", "json"], isUnread: true,
            isRecorded: false),
        HostileCase(
            name: "huge-events", amounts: (100, 500), rounds: 0, options: ["--view", "raw"], isUnread: true,
            isRecorded: false),
        HostileCase(
            name: "huge-events", amounts: (100, 500), options: ["--hook", "type = event=sleep 60", "--format", "json"]),
        HostileCase(name: "huge-events", amounts: (100, 500), options: ["--forward", "http://127.0.0.1:PORT/mute"]),
        HostileCase(name: "long-names", amounts: (32, 500)),
        // The handshake.
        HostileCase(name: "upgrade-headers", amounts: (8, 100), notice: head, options: socket),
        HostileCase(name: "upgrade-line", amounts: (8, 100), notice: head, options: socket),
        HostileCase(name: "upgrade-garbage", amounts: (8, 100), notice: "reserved bits", options: socket),
        HostileCase(name: "upgrade-body", amounts: (8, 100), notice: "HTTP status 503", options: socket),
        // Polling.
        HostileCase(name: "poll-endless", amounts: (8, 1000), notice: packet, options: polls),
        HostileCase(name: "poll-packets", amounts: (2, 100), options: polls),
        HostileCase(name: "poll-empty-packets", amounts: (8, 100), notice: "emptyPacket", options: polls),
        HostileCase(name: "poll-bomb", amounts: (8, 1000), notice: packet, options: polls),
        HostileCase(
            name: "poll-drip", amounts: (1, 1), notice: "ping timeout: the server was silent for too long",
            options: polls),
        HostileCase(
            name: "bayeux-drip", amounts: (1, 1), notice: "the server was silent for too long", options: bayeux),
        HostileCase(name: "bayeux-array", amounts: (8, 100), notice: body, options: bayeux),
        HostileCase(name: "bayeux-large", amounts: (8, 1000), notice: body, options: bayeux),
        HostileCase(name: "bayeux-large", amounts: (1, 15), options: bayeux),
        HostileCase(name: "bayeux-advice", amounts: (8, 100), options: bayeux),
        HostileCase(name: "bayeux-channel", amounts: (1, 15), options: bayeux),
        HostileCase(name: "bayeux-channels", amounts: (2, 30), options: bayeux),
    ]
}

/// Tests the program against malicious servers, each in a process of its own. `WEIR_LONG=1` runs the long form.
@Suite("Hostile servers", .timeLimit(.minutes(30))) struct HostileServerTests {
    private static let isLong = getenv("WEIR_LONG") != nil
    /// The time limit of a case, in seconds.
    private static let patience = isLong ? 120.0 : 60.0
    /// How long its memory must have been stable, in seconds.
    private static let settling = isLong ? 2.0 : 0.5

    @Test func `whatever a server does, a tail stays within its memory limit and reports what it refused`() throws {
        let quiet = try Self.run(HostileCase(name: "quiet", amounts: (1, 1))).kibibytes
        let next = Mutex(0)
        let finished = Mailbox<(index: Int, result: Result<Outcome, any Error>)>()
        for _ in 0..<4 {
            runOnThread(named: "hostile") {
                while true {
                    let index = next.withLock { next in
                        next += 1
                        return next - 1
                    }
                    guard index < HostileCase.all.count else { return }
                    finished.put((index, Result { try Self.run(HostileCase.all[index]) }))
                }
            }
        }
        let count = HostileCase.all.count
        let results = finished.wait(seconds: Int(Self.patience) * count) { $0.count == count }
        print("A quiet tail takes \(quiet >> 10) MiB. Beyond it and the model:")
        for (index, result) in results.sorted(by: { $0.index < $1.index }) {
            let hostile = HostileCase.all[index]
            let label =
                "\(hostile.name) \(Self.amount(hostile))" + (hostile.isUnread ? ", unread" : "")
                + (hostile.isRecorded ? "" : ", not recorded")
            let outcome = try result.get()
            let model = hostile.model * Self.amount(hostile) >> 20
            let taken = (outcome.kibibytes - quiet) >> 10
            #expect(outcome.problem == nil, "\(label)")
            #expect(taken - model <= Self.bound, "\(label)")
            #expect(hostile.isRecorded || outcome.kibibytes >> 10 < HostileCase.unrecordedBound, "\(label)")
            print("| \(label) | \(taken) MiB | \(Self.bound + model) MiB | \(hostile.notice ?? "") |")
        }
    }

    @Test func `a replay of events of 900 kB with unread output uses no more memory than a queue's limit`() throws {
        let server = try Run(
            ["/usr/bin/env", "python3", Self.hostileServer, "huge-events", "160"], watchedFor: "done\n")
        defer { server.kill() }
        let folder = try temporaryFolder()
        let recording = "\(folder)/a.weir.jsonl"
        let tail = try weir(
            [
                "tail", "http://127.0.0.1:\(try Self.port(of: server))", "--token", "env:TOKEN", "--store", "none",
                "--no-ctl",
                "--record", recording, "--count", "160", "--quiet", "--format", "json",
            ], environment: ["TOKEN": "token-of-ann", "XDG_STATE_HOME": folder])
        #expect(tail.status == 0, "\(tail.errors.suffix(500))")
        let replay = try Run(
            [try pathOfWeir(), "replay", recording, "--speed", "max", "--format", "json", "--no-ctl"], watchedFor: "\0",
            isUnread: true)
        defer { replay.kill() }
        let deadline = monotonicSeconds() + Self.patience
        var (peak, grown) = (0, monotonicSeconds())
        while monotonicSeconds() < deadline, monotonicSeconds() - grown < 2 {
            replay.look()
            let now = try #require(replay.peak, "it ended: \(replay.errors.end)")
            if now > peak { (peak, grown) = (now, monotonicSeconds()) }
        }
        #expect(peak >> 10 < 100)
    }

    @Test func `an answer of 15 MB is recorded completely, and its replay matches the session`() throws {
        let server = try Run(["/usr/bin/env", "python3", Self.hostileServer, "rows", "13"], watchedFor: "done\n")
        defer { server.kill() }
        let port = try Self.port(of: server)
        let folder = try temporaryFolder()
        let recording = "\(folder)/a.weir.jsonl"
        let tail = try weir(
            [
                "tail", "http://127.0.0.1:\(port)", "--token", "env:TOKEN", "--store", "none", "--no-ctl", "--record",
                recording, "--until-match", "diff.kind = message", "--duration", "60s",
            ], environment: ["TOKEN": "token-of-ann", "XDG_STATE_HOME": folder])
        #expect(tail.errors.contains("13312 messages"), "\(tail.errors.suffix(500))")
        let replay = try weir("replay", recording, "--speed", "max", "--verify", "--no-ctl")
        #expect(replay.errors.contains("13312 messages"), "\(replay.errors.suffix(500))")
        #expect(!replay.errors.contains("cut"))
        let doctor = try weir("file", "doctor", recording)
        #expect(doctor.status == 0, "\(doctor.output)")
    }

    @Test(arguments: ["--max-message", "--max-body", "--max-binary"])
    func `a limit that a recording cannot hold is refused`(option: String) throws {
        for size in ["33M", "2K", "0", "lots"] {
            let result = try weir("tail", "http://127.0.0.1:1", option, size)
            #expect(result.status == 2)
            #expect(result.errors.contains("\(option): invalid size '\(size)'; write one from 4K to 32M"))
        }
    }

    private struct Outcome: Sendable {
        /// The peak memory of the tail.
        var kibibytes: Int
        /// The first expectation that is not met.
        var problem: String?
    }

    private static let bound = isLong ? HostileCase.bounds.long : HostileCase.bounds.short

    private static func amount(_ hostile: HostileCase) -> Int { isLong ? hostile.amounts.long : hostile.amounts.short }

    private static func run(_ hostile: HostileCase) throws -> Outcome {
        let backend = hostile.options.contains("groupme") ? "groupme" : "twake"
        let server = try Run(
            ["/usr/bin/env", "python3", hostileServer, hostile.name, "\(amount(hostile))", backend],
            watchedFor: "done\n")
        defer { server.kill() }
        let deadline = monotonicSeconds() + patience
        let port = try port(of: server)
        let limits = isLong ? [] : ["--max-message", "2M", "--max-body", "2M", "--max-binary", "2M"]
        let place = { (text: String) in
            text.split(separator: "PORT", omittingEmptySubsequences: false).joined(separator: String(port))
                .split(separator: "LIMIT", omittingEmptySubsequences: false)
                .joined(separator: String(isLong ? Limits.standard : 2 << 20))
        }
        let folder = try temporaryFolder()
        let tail = try Run(
            [
                try pathOfWeir(), "tail", "http://127.0.0.1:\(port)", "--token", "env:TOKEN", "--store", "none",
                "--max-attempts", "1000",
            ] + (hostile.isRecorded ? ["--record", "\(folder)/a.weir.jsonl"] : [])
                + hostile.options.map(place) + limits,
            environment: ["TOKEN": "token-of-ann", "XDG_STATE_HOME": folder],
            watchedFor: hostile.notice.map(place) ?? "\0", isUnread: hostile.isUnread)
        defer {
            tail.kill()
            unlink("\(folder)/a.weir.jsonl")
        }
        var outcome = Outcome(kibibytes: 0, problem: nil)
        var grown = monotonicSeconds()
        // If no message of the server says that it is under way, it gets more time.
        let settling = hostile.rounds == 0 ? 2 : Self.settling
        while monotonicSeconds() < deadline {
            tail.look()
            server.look()
            guard let peak = tail.peak else {
                outcome.problem = "it ended: \(tail.errors.end)"
                return outcome
            }
            let now = monotonicSeconds()
            // A page now and then is not growth.
            if peak > outcome.kibibytes + 64 { (outcome.kibibytes, grown) = (peak, now) }
            let isTold = hostile.notice == nil || tail.errors.count > 0
            // The data was processed when no more memory is needed.
            if server.output.count >= hostile.rounds, isTold, now - grown > settling {
                outcome.problem = nil
                return outcome
            }
        }
        outcome.problem = "after \(server.output.count) rounds: \(tail.errors.end)"
        return outcome
    }

    /// Returns the port of a server.
    private static func port(of server: Run) throws -> Substring {
        let deadline = monotonicSeconds() + patience
        while !server.output.beginning.contains("\n"), monotonicSeconds() < deadline { server.look() }
        return try #require(server.output.beginning.split { $0 == "\n" || $0 == " " }.dropFirst().first)
    }

    private static let hostileServer =
        "/" + #filePath.split(separator: "/").dropLast(2).joined(separator: "/") + "/Peers/hostile_server.py"
}

/// A process and its output.
private final class Run {
    private let process: pid_t
    private(set) var output: Watched
    private(set) var errors: Watched
    /// The read end of a pipe that is never read.
    private let unread: Int32?

    /// Starts a process and watches its output for a text.
    init(
        _ arguments: [String], environment: [String: String] = [:], watchedFor text: String, isUnread: Bool = false
    ) throws {
        output = try Watched(for: text)
        errors = try Watched(for: text)
        var ends: [Int32] = [-1, -1]
        if isUnread { try #require(pipe(&ends) == 0) }
        process = try start(
            arguments, environment: environment,
            descriptors: [1: isUnread ? ends[1] : output.descriptor, 2: errors.descriptor])
        if isUnread { close(ends[1]) }
        unread = isUnread ? ends[0] : nil
    }

    deinit {
        if let unread { close(unread) }
        close(output.descriptor)
        close(errors.descriptor)
    }

    /// Waits a little and reads the new output.
    func look() {
        usleep(5_000)
        output.read()
        errors.read()
    }

    /// The peak memory of the process in KiB, or `nil` after its end.
    var peak: Int? {
        guard let file = fopen("/proc/\(process)/status", "r") else { return nil }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, 256, file) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            if text.hasPrefix("VmHWM:") { return text.split { !$0.isNumber }.first.flatMap { Int($0) } }
        }
        return nil
    }

    /// Kills the process, and waits for its end.
    func kill() {
        Glibc.kill(process, SIGKILL)
        _ = try? waitForExit(of: process)
    }
}

/// An unnamed file that a process writes, watched for a text.
private struct Watched {
    let descriptor: Int32
    private let text: [UInt8]
    private var place: off_t = 0
    private var bytes: [UInt8] = []
    /// How often the text occurred.
    private(set) var count = 0
    /// The first bytes of the output.
    private(set) var beginning = ""

    init(for text: String) throws {
        descriptor = try temporaryFile()
        self.text = Array(text.utf8)
    }

    /// The last bytes of the output.
    var end: String { String(decoding: bytes.suffix(500), as: UTF8.self) }

    mutating func read() {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while case let length = pread(descriptor, &buffer, buffer.count, place), length > 0 {
            if place < 100 { beginning += String(decoding: buffer[..<min(length, 100)], as: UTF8.self) }
            place += off_t(length)
            let kept = bytes.suffix(text.count - 1)
            bytes = Array(kept + buffer[..<length])
            var start = 0
            while let found = find(from: start) {
                count += 1
                start = found + text.count
            }
        }
    }

    private func find(from start: Int) -> Int? {
        bytes.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, let first = text.first else { return nil }
            var place = start
            while place + text.count <= bytes.count,
                let found = memchr(base + place, Int32(first), bytes.count - place - text.count + 1)
            {
                if memcmp(found, text, text.count) == 0 { return UnsafeRawPointer(found) - base }
                place = UnsafeRawPointer(found) - base + 1
            }
            return nil
        }
    }
}

private func monotonicSeconds() -> Double {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
}
