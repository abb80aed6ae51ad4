import Glibc
import Testing
import TestSupport
import WeirThreads

@Suite("Runs of the program", .timeLimit(.minutes(2)))
struct RunTests {
    @Test("A missing token variable ends with code 2 before any connection")
    func missingToken() throws {
        let result = try weir("tail", "http://127.0.0.1:1/", "--token", "env:NOT_SET_ANYWHERE")
        #expect(result.status == 2)
        #expect(result.errors == "weir: the environment variable NOT_SET_ANYWHERE is not set\n")
    }

    @Test("A Retry-After date is followed up to the limit, and the message says until when")
    func retryAfterDate() throws {
        let refusal =
            "HTTP/1.1 503 Unavailable\r\nRetry-After: Fri, 31 Dec 9999 23:59:59 GMT\r\nContent-Length: 0\r\n\r\n"
        let hex = refusal.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let server = try Peer(["python3", peersFolder + "/frames_peer.py", "", "deaf", hex, "1"])
        defer { server.stop() }
        let port = try server.listeningPort()
        func clock() -> Int { time(nil) % 86_400 }
        let before = clock()
        let result = try weir(
            "tail", "http://127.0.0.1:\(port)", "--backend", "socketio", "--transport", "websocket", "--eio", "4",
            "--no-ctl", "--store", "none", "--max-attempts", "3", "--max-retry-after", "7s", "--duration", "1s")
        #expect(result.status == 5, "\(result.errors)")
        let words =
            #/the connection waits 7 s: .* of which 7 s are heeded \(--max-retry-after\), until (\d\d):(\d\d):(\d\d) UTC\n/#
        let told = try #require(result.errors.firstMatch(of: words), "\(result.errors)")
        let parts = try [told.1, told.2, told.3].map { try #require(Int($0)) }
        let until = parts[0] * 3600 + parts[1] * 60 + parts[2]
        #expect((until - before - 7 + 86_400) % 86_400 <= (clock() - before + 86_400) % 86_400, "\(told.0)")
    }

    @Test("A file that is not a recording and a missing file are reported differently")
    func badRecordings() throws {
        let folder = try temporaryFolder()
        let missing = try weir("replay", folder + "/none.weir")
        #expect(missing.status == 1)
        #expect(missing.errors == "weir: cannot open \(folder)/none.weir: No such file or directory\n")
        try writeFile(folder + "/text", "hello\n")
        let text = try weir("replay", folder + "/text")
        #expect(text.status == 1)
        #expect(text.errors.hasPrefix("weir: \(folder)/text is not a recording: "))
    }

    @Test(
        "--verify prints one line with what is equal or the first difference, and nothing else with --quiet")
    func verdict() throws {
        let folder = try temporaryFolder()
        let sample =
            #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 }
            + "/samples/recordings/twake-day.weir.jsonl"
        func check(_ file: String) throws -> CommandResult {
            try weir("replay", file, "--speed", "max", "--verify", "--quiet", "--no-ctl")
        }
        let whole = try check(sample)
        #expect(whole.status == 0 && whole.output == "")
        let words =
            /weir: verified, all equal: [1-9]\d* records, [1-9]\d* checksums, [1-9]\d* states?, [1-9]\d* requests\n/
        #expect(whole.errors.wholeMatch(of: words) != nil, "\(whole.errors)")
        let text = String(decoding: try readFile(sample), as: UTF8.self)
        let state = try #require(text.firstRange(of: /"k":"st"[^\n]*"h":"[0-9a-f]/))
        var changed = text
        let digit = text.index(before: state.upperBound)
        changed.replaceSubrange(digit..<state.upperBound, with: text[digit] == "0" ? "1" : "0")
        try writeFile(folder + "/changed", changed)
        let other = try check(folder + "/changed")
        #expect(other.status == 6 && other.output == "")
        let lines = other.errors.split(separator: "\n")
        #expect(lines.count == 1 && lines[0].hasPrefix("weir: mismatch: after record "), "\(other.errors)")
    }

    @Test("A replay prints every format correctly, and in compact the same as the live run")
    func formats() throws {
        let file = try temporaryFolder() + "/a.weir"
        let live = try weir("demo", "--duration", "1500ms", "--no-ctl", "--record", file)
        #expect(live.status == 0)
        #expect(!live.output.contains("connected") && live.errors.contains("connected  Engine.IO 4"))
        func replay(_ format: String) throws -> String {
            let result = try weir("replay", file, "--speed", "max", "--quiet", "--format", format)
            #expect(result.status == 0)
            #expect(result.errors == "")
            return result.output
        }
        #expect(try replay("compact") == live.output)
        let lines = try ["json", "raw", "pretty"].map { try replay($0).split(separator: "\n") }
        #expect(lines[0].allSatisfy { $0.hasPrefix(#"{"v":1,"type":""#) && $0.hasSuffix("}") })
        #expect(lines[1].allSatisfy { $0.hasPrefix("[\"") && $0.hasSuffix("]") })
        #expect(lines[2].contains { $0 == "    payload   [" })
    }

    @Test(
        "SIGINT ends a tail cleanly with code 130, SIGTERM with code 143",
        arguments: [(SIGINT, Int32(130)), (SIGTERM, Int32(143))]
    )
    func signals(signal: Int32, code: Int32) throws {
        let file = try temporaryFolder() + "/a.weir"
        let demo = try Peer(
            [try pathOfWeir(), "demo", "--duration", "1m", "--no-ctl", "--record", file], errorsToo: true)
        // The summary has a line about the model once it has rows.
        while let line = demo.readLine(), !line.contains("+ channel ") {}
        kill(demo.pid, signal)
        var last: String?
        while let line = demo.readLine() { last = line }
        #expect(demo.wait() == code)
        #expect(last?.hasPrefix("  model  ") == true)
        #expect(String(decoding: try readFile(file), as: UTF8.self).contains(#""k":"end""#))
    }

    @Test("A full disk ends a tail with code 7")
    func fullDisk() throws {
        let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
        try #require(full >= 0)
        defer { close(full) }
        let errors = try temporaryFile()
        defer { close(errors) }
        let process = try start(
            [try pathOfWeir(), "demo", "--duration", "1m", "--no-ctl"], environment: [:],
            descriptors: [1: full, 2: errors])
        #expect(try waitForExit(of: process) == 7)
        #expect(try contents(of: errors).contains("weir: cannot write standard output: No space left on device\n"))
    }

    @Test("An echo server accepts its path and ping interval, and a tail receives its own message")
    func serveEcho() throws {
        let server = try Peer([
            try pathOfWeir(), "serve", "--scenario", "echo", "--path", "/e", "--ping-interval", "250", "--ping-timeout",
            "60s", "--connect-timeout", "1m", "--max-payload", "1000", "--quiet",
        ])
        let url = String(try server.readLine(startingWith: "url ").dropFirst(4))
        let result = try weir(
            "tail", url, "--backend", "socketio", "--path", "/e/", "--emit", #"message {"a":[1]}"#, "--count", "2",
            "--format", "raw", "--no-ctl", "--duration", "60s")
        #expect(result.output == "[\"auth\",{}]\n[\"message-back\",{\"a\":[1]}]\n")
        #expect(result.status == 0)
        kill(server.pid, SIGTERM)
        #expect(server.wait() == 143)
    }

    @Test(
        "Lone surrogates and numbers of any size keep their spelling from sending to serving"
    )
    func valuesOfAnySize() throws {
        let values =
            #"{"lone":"\ud800 x \udfff","\ud83d":18446744073709552000},-9223372036854775809,1e400,"#
            + String(repeating: "7", count: 400)
        let folder = try temporaryFolder()
        let server = try Peer([try pathOfWeir(), "serve", "--scenario", "echo", "--quiet"])
        let url = String(try server.readLine(startingWith: "url ").dropFirst(4))
        let object = "{\"all\":[\(values)]}"
        let expected = "[\"message-back\",\(object)]\n"
        let tailed = try weir(
            "tail", url, "--backend", "socketio", "--emit", "message \(object)", "--count", "1", "--format", "raw",
            "--filter", #"event = "message-back" and payload[1].all[0].lone ~ "ud800 x""#, "--record", folder + "/r",
            "--no-ctl",
            "--duration", "60s")
        server.stop()
        #expect(tailed.output == expected, "\(tailed.errors)")
        #expect(tailed.status == 0)
        let replayed = try weir(
            "replay", folder + "/r", "--format", "raw", "--speed", "max", "--filter",
            #"event = "message-back""#)
        #expect(replayed.output == expected, "\(replayed.errors)")
        #expect(replayed.status == 0)
        let shown = try weir(
            "replay", folder + "/r", "--speed", "max", "--filter",
            #"event = "message-back""#, "--format", "json")
        #expect(shown.output.contains(values))
        let again = try Peer([try pathOfWeir(), "replay", folder + "/r", "--serve", "127.0.0.1:0", "--quiet"])
        defer { again.stop() }
        let address = String(try again.readLine(startingWith: "url ").dropFirst(4))
        let served = try weir(
            "tail", address, "--backend", "socketio", "--emit", "message \(object)", "--format", "raw", "--count", "2",
            "--no-ctl",
            "--store", "none", "--duration", "60s")
        #expect(served.output.hasSuffix(expected), "\(served.errors)")
    }

    @Test("Two hundred clients of an echo server receive every event they send")
    func crowd() throws {
        let bench = try Peer(
            [String(try pathOfWeir() + "-bench"), "serve", "--clients", "200", "--rate", "2", "--duration", "3"],
            errorsToo: true)
        var lines: [String] = []
        while let line = bench.readLine() { lines.append(line) }
        #expect(bench.wait() == 0, "\(lines)")
        #expect(lines.first == "200 clients, 2 a second each: 1200 events sent, 1200 came back in order, 0 lost")
    }

    @Test("A served backend is tailed and recorded with its printed token, which appears nowhere later")
    func serveAndTail() throws {
        let folder = try temporaryFolder()
        let server = try Peer([try pathOfWeir(), "serve", "--seed", "3", "--quiet"])
        let url = String(try server.readLine(startingWith: "url ").dropFirst(4))
        let token = String(try server.readLine(startingWith: "token ").dropFirst(6))
        try writeFile(folder + "/token", token + "\n")
        let common = [url, "--token", "file:\(folder)/token", "--no-ctl"]
        let tail = try weir(["tail"] + common + ["--count", "5", "--format", "raw"])
        #expect(tail.status == 0)
        #expect(tail.output.split(separator: "\n").count >= 5)
        let record = try weir(["record"] + common + [folder + "/a.weir", "--count", "5"])
        #expect(record.status == 0)
        #expect(record.output == "")
        let recorded = String(decoding: try readFile(folder + "/a.weir"), as: UTF8.self)
        for text in [tail.output, tail.errors, record.errors, recorded] { #expect(!text.contains(token)) }
        kill(server.pid, SIGTERM)
        #expect(server.wait() == 143)
    }

    @Test("With several running tails one must be chosen, and leaving a room that was never joined succeeds")
    func rooms() throws {
        let environment = ["XDG_RUNTIME_DIR": try temporaryFolder()]
        let none = try weir("rooms", "ls", environment: environment)
        #expect(none.status == 5)
        #expect(none.errors == "weir: no tail is running\n")
        let demos = try ["one", "two"].map { name in
            try Peer([try pathOfWeir(), "demo", "--duration", "1m", "--name", name], environment: environment)
        }
        for demo in demos { while let line = demo.readLine(), !line.contains("  join  ") {} }
        let both = try weir("rooms", "ls", environment: environment)
        #expect(both.status == 2)
        #expect(both.errors == "weir: 2 tails are running; choose one with --on: one, two\n")
        let left = try weir("rooms", "leave", "/never/there", "--on", "two", environment: environment)
        #expect(left.status == 0)
        for demo in demos { demo.stop() }
    }
}

@Suite("On a terminal", .timeLimit(.minutes(1)))
struct TerminalTests {
    @Test(
        "Colours are used only on terminals that support and want them",
        arguments: [(["TERM": "xterm"], true), (["TERM": "xterm", "NO_COLOR": "1"], false), (["TERM": "dumb"], false)])
    func colour(environment: [String: String], isColoured: Bool) throws {
        let shown = try onTerminal(["demo", "--count", "10", "--no-ctl"], environment: environment)
        // A redraw is not a colour. A dumb terminal supports neither.
        #expect(shown.contains(/\u{1B}\[[0-9;]*m/) == isColoured)
        if environment["TERM"] == "dumb" { #expect(!shown.contains("\u{1B}")) }
        #expect(shown.contains("General"))
    }

    @Test("Compact lines fit the terminal")
    func width() throws {
        let shown = try onTerminal(["demo", "--count", "10", "--no-ctl", "--quiet"], environment: ["TERM": "dumb"])
        let lines = shown.split(whereSeparator: \.isNewline)
        #expect(lines.count > 10)
        #expect(lines.allSatisfy { $0.count <= 60 })
    }

    /// Returns the output to a terminal of 60 columns.
    private func onTerminal(_ arguments: [String], environment: [String: String]) throws -> String {
        // Does the work of posix_openpt, unlockpt and ptsname, which are not imported here.
        let (unlock, getNumber) = (UInt(0x4004_5431), UInt(0x8004_5430))
        var (number, locked): (Int32, Int32) = (-1, 0)
        let master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard master >= 0, ioctl(master, unlock, &locked) == 0, ioctl(master, getNumber, &number) == 0 else {
            throw CannotRun(operation: "open /dev/ptmx", code: errno)
        }
        let slave = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var size = winsize(ws_row: 24, ws_col: 60, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(slave, UInt(TIOCSWINSZ), &size)
        let process = try start(
            [try pathOfWeir()] + arguments, environment: environment, descriptors: [1: slave, 2: slave])
        close(slave)
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        // The read fails with EIO once the last writer has closed the terminal.
        while case let count = read(master, &buffer, buffer.count), count > 0 { bytes += buffer[..<count] }
        close(master)
        #expect(try waitForExit(of: process) == 0)
        return String(decoding: bytes, as: UTF8.self)
    }
}
