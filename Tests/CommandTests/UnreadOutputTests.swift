import Glibc
import Testing
import TestSupport
import WeirThreads

@Suite("Output whose reader leaves or does not read")
struct UnreadOutputTests {
    /// A `weir` process whose standard output is a full pipe.
    private struct Run {
        var process: pid_t
        var readEnd: Int32
        var errors: Int32

        init(_ arguments: [String], hasRoom: Bool = false) throws {
            var ends: [Int32] = [0, 0]
            let made = pipe(&ends)
            try #require(made == 0)
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            if !hasRoom {
                _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
                while write(ends[1], [0], 1) == 1 {}
                _ = fcntl(ends[1], F_SETFL, 0)
            }
            errors = try temporaryFile()
            process = try start(
                [try pathOfWeir()] + arguments, environment: [:], descriptors: [1: ends[1], 2: errors])
            close(ends[1])
            readEnd = ends[0]
        }

        /// Waits until the process reports on standard error that it begins. Next it writes to standard output.
        func waitUntilItBegins() throws {
            for _ in 0..<1000 {
                if try contents(of: errors).contains("connecting") { return }
                poll(nil, 0, 20)
            }
            Issue.record("it never began: \(try contents(of: errors))")
        }

        func end() throws -> (status: Int32, errors: String) {
            let status = try waitForExit(of: process)
            defer { close(errors) }
            return (status, try contents(of: errors))
        }
    }

    private func expectWhole(_ recording: String) throws {
        let doctor = try weir("file", "doctor", recording)
        #expect(doctor.status == 0, "\(doctor.output)\(doctor.errors)")
        let last = String(decoding: try readFile(recording), as: UTF8.self).split(separator: "\n").last ?? ""
        #expect(last.hasPrefix(#"{"k":"end","#), "\(last)")
    }

    @Test("A recording ends cleanly when the reader of the output leaves")
    func readerGone() throws {
        let recording = try temporaryFolder() + "/a.weir.jsonl"
        let run = try Run(
            ["demo", "--no-ctl", "--format", "json", "--record", recording, "--duration", "1m"], hasRoom: true)
        var byte: UInt8 = 0
        #expect(read(run.readEnd, &byte, 1) == 1)
        close(run.readEnd)
        #expect(try run.end().status == 0)
        try expectWhole(recording)
    }

    @Test("A tail with unread output ends at SIGTERM, reports unwritten output, and its recording is complete")
    func unreadTail() throws {
        let recording = try temporaryFolder() + "/a.weir.jsonl"
        let run = try Run(["demo", "--no-ctl", "--format", "json", "--record", recording, "--duration", "1m"])
        defer { close(run.readEnd) }
        try run.waitUntilItBegins()
        kill(run.process, SIGTERM)
        let (status, errors) = try run.end()
        #expect(status == 7)
        #expect(errors.contains("weir: standard output was not read for 5 s after the end: the rest was discarded\n"))
        try expectWhole(recording)
    }

    @Test(
        "With closed standard descriptors no output goes into a socket or a file",
        arguments: ["", " 2>&-"])
    func closedDescriptors(more: String) throws {
        let recording = try temporaryFolder() + "/a.weir.jsonl"
        let errors = try temporaryFile()
        defer { close(errors) }
        let run = "exec \"$0\" demo --no-ctl --format json --count 5 --record \"$1\" <&- >&-\(more)"
        let process = try start(
            ["/bin/sh", "-c", run, try pathOfWeir(), recording], environment: [:], descriptors: [2: errors])
        #expect(try waitForExit(of: process) == 7)
        let told = try contents(of: errors)
        #expect(told.contains("weir: cannot write standard output: Bad file descriptor\n") || !more.isEmpty, "\(told)")
        try expectWhole(recording)
    }

    @Test("A recording to standard output is complete, ends cleanly when its reader leaves, and is not mixed")
    func recordingStream() throws {
        let server = try Peer([try pathOfWeir(), "serve", "--seed", "3", "--quiet"])
        defer { server.stop() }
        let url = String(try server.readLine(startingWith: "url ").dropFirst(4))
        let token = String(try server.readLine(startingWith: "token ").dropFirst(6))
        let folder = try temporaryFolder()
        let secret = folder + "/token"
        try writeFile(secret, token)
        let arguments = ["record", url, "-", "--token", "file:" + secret, "--no-ctl"]

        let recorded = try weir(arguments + ["--count", "5"])
        #expect(recorded.status == 0 && recorded.errors.contains("recording to standard output\n"))
        try writeFile(folder + "/a.weir.jsonl", recorded.output)
        try expectWhole(folder + "/a.weir.jsonl")

        let run = try Run(arguments + ["--duration", "1m"], hasRoom: true)
        var byte: UInt8 = 0
        #expect(read(run.readEnd, &byte, 1) == 1)
        close(run.readEnd)
        let (status, errors) = try run.end()
        #expect(status == 0, "\(errors)")

        #expect(try weir("tail", url, "--record", "-").status == 2)
        #expect(try weir(arguments + ["--rotate", "hup"]).status == 2)
        #expect(try weir(arguments + ["--compress", "closed"]).status == 2)
    }

    @Test(
        "A closed terminal ends a tail cleanly, even with rotation by SIGHUP, and its recording is complete",
        arguments: [[], ["--rotate", "hup"]])
    func terminalGone(more: [String]) throws {
        let server = try Peer([try pathOfWeir(), "serve", "--seed", "3", "--quiet"])
        defer { server.stop() }
        let url = String(try server.readLine(startingWith: "url ").dropFirst(4))
        let token = String(try server.readLine(startingWith: "token ").dropFirst(6))
        let folder = try temporaryFolder()
        // Python opens the terminal for the tail, and closes it once the recording exists.
        let script = """
            import os, pty, sys, time
            process, terminal = pty.fork()
            if process == 0:
                os.execv(sys.argv[1], sys.argv[1:])
            while b'"k":"f"' not in b"".join(open(os.path.join(sys.argv[-1], n), "rb").read() for n in os.listdir(sys.argv[-1]) if n.startswith("a.")):
                os.set_blocking(terminal, False)
                try: os.read(terminal, 65536)
                except BlockingIOError: time.sleep(0.02)
            os.close(terminal)
            print(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]))
            """
        let run = try Peer(
            [
                "/usr/bin/env", "python3", "-c", script, try pathOfWeir(), "tail", url, "--token", "env:T", "--store",
                "none",
                "--no-ctl", "--record", folder + "/a.weir.jsonl", "--config", "none",
            ] + more + ["--record-dir", folder], environment: ["T": token])
        // Either the signal arrives first, or a failed write to the terminal.
        #expect(["129", "7"].contains(run.readLine()))
        _ = run.wait()
        try expectWhole(folder + (more.isEmpty ? "/a.weir.jsonl" : "/a.0001.weir.jsonl"))
    }

    @Test("The diff log on standard output is complete and not mixed with other output")
    func diffLogOnStandardOutput() throws {
        let day = packageFolder + "/samples/recordings/twake-day.weir.jsonl"
        let file = try temporaryFolder() + "/day.diff"
        let written = try weir("replay", day, "--speed", "max", "--diff-log", file, "--quiet")
        let printed = try weir("replay", day, "--speed", "max", "--diff-log", "-", "--quiet")
        #expect(written.status == 0 && printed.status == 0, "\(printed.errors)")
        #expect(try printed.output == String(decoding: readFile(file), as: UTF8.self) && !printed.output.isEmpty)
        for other in [["--format", "json"], ["--view", "raw"], ["--template", "{kind}"]] {
            let refused = try weir(["replay", day, "--diff-log", "-"] + other)
            #expect(refused.status == 2 && refused.errors.contains("--diff-log - uses standard output"), "\(refused)")
        }
    }

    @Test("A replay with unread output ends at SIGTERM")
    func unreadReplay() throws {
        let run = try Run([
            "replay", packageFolder + "/samples/recordings/twake-day.weir.jsonl", "--speed", "max", "--loop", "forever",
            "--format", "json",
        ])
        defer { close(run.readEnd) }
        try run.waitUntilItBegins()
        kill(run.process, SIGTERM)
        let (status, errors) = try run.end()
        #expect(status == 7)
        #expect(errors.contains("weir: standard output was not read for 5 s after the end: the rest was discarded\n"))
    }
}
