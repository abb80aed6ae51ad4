import Glibc
import Testing
import TestSupport
import WeirThreads

/// Checks each exit code, on which scripts rely, with a command that ends with it.
@Suite("Check 13: exit codes", .timeLimit(.minutes(2)))
struct ExitCodeTests {
    private let samples = packageFolder + "/samples/recordings/"

    @Test("Check 13: code 0: done")
    func done() throws {
        #expect(try weir("demo", "--count", "1", "--no-ctl", "--quiet").status == 0)
        #expect(try weir("demo", "--until-match", "kind = message", "--no-ctl", "--quiet").status == 0)
        #expect(try weir("--version").status == 0)
    }

    @Test("Check 13: code 1: runtime error")
    func runtimeError() throws {
        #expect(try weir("replay", "/nowhere.weir.jsonl").status == 1)
        #expect(try weir("file", "grep", "nothing-is-like-this", samples + "hello.weir.jsonl").status == 1)
    }

    @Test("Check 13: code 2: wrong usage, before any connection")
    func usage() throws {
        #expect(try weir("tail", "http://127.0.0.1:9", "--fromat", "json").status == 2)
        #expect(try weir("demo", environment: ["WEIR_FORMAT": "jsno"]).status == 2)
    }

    @Test("Check 13: code 3: finished, but something was lost")
    func loss() throws {
        #expect(try weir("file", "info", samples + "damaged.weir.jsonl").status == 3)
        #expect(try weir("replay", samples + "damaged.weir.jsonl", "--speed", "max", "--quiet").status == 3)
    }

    @Test("Check 13: code 3: a condition of --fail-on occurred in an otherwise successful run")
    func failOn() throws {
        // Simulates a future server's day. Records that describe the file itself are removed, since they would no
        // longer match.
        let day = String(decoding: try readFile(samples + "twake-day.weir.jsonl"), as: UTF8.self)
            .replacing("channel_activity", with: "channel_tomorrow").split(separator: "\n")
            .filter { line in !["sync", "idx", "st"].contains { line.hasPrefix(#"{"k":"\#($0)""#) } }
        let file = try temporaryFolder() + "/tomorrow.weir.jsonl"
        try writeFile(file, day.map { $0 + "\n" }.joined())
        func replay(_ causes: String...) throws -> (status: Int32, errors: String) {
            let options = causes.flatMap { ["--fail-on", $0] }
            let result = try weir(["replay", file, "--speed", "max", "--refetch", "off", "--quiet"] + options)
            return (result.status, result.errors)
        }
        #expect(try replay().status == 0)
        #expect(try replay("gap", "denied").status == 0)
        let failed = try replay("gap,unknown")
        #expect(failed.status == 3)
        #expect(failed.errors == "weir: failed because of --fail-on: 10 unknown events\n")
        // The demo's simulated gaps count only under `--fail-on`.
        let demo = ["demo", "--no-ctl", "--quiet", "--until-match", "type = gap"]
        let shown = try Peer([try pathOfWeir()] + demo)
        shown.drain()
        #expect(try weir(demo + ["--fail-on", "gap"]).status == 3)
        #expect(shown.wait() == 0)
        let wrong = try weir(demo + ["--fail-on", "gap,unknwon"])
        #expect(wrong.status == 2)
        #expect(
            wrong.errors.hasPrefix(
                "weir: --fail-on: 'unknwon' is not one of gap, unknown, denied; did you mean 'unknown'?"))
    }

    @Test("Check 13: code 3: a room was refused under --fail-on denied")
    func failOnDenied() throws {
        let arguments = [
            "replay", samples + "hello.weir.jsonl", "--speed", "max", "--quiet", "--start",
            "2026-01-02T03:04:05.650Z", "--until-match", "type = room and /refused/",
        ]
        #expect(try weir(arguments).status == 0)
        let failed = try weir(arguments + ["--fail-on", "denied"])
        #expect(failed.status == 3)
        #expect(failed.errors.contains("weir: failed because of --fail-on: 1 room denied\n"))
    }

    @Test("Check 13: code 4: refused")
    func refused() throws {
        let server = try Peer([try pathOfWeir(), "serve", "--seed", "3", "--quiet"])
        defer { server.stop() }
        let url = String(try server.readLine(startingWith: "url ").dropFirst(4))
        let environment = ["TOKEN": "n0t-the-t0ken"]
        #expect(try weir("tail", url, "--token", "env:TOKEN", "--no-ctl", environment: environment).status == 4)
        #expect(try weir("whoami", url, "--token", "env:TOKEN", environment: environment).status == 4)
    }

    @Test("Check 13: code 5: cannot connect")
    func noConnection() throws {
        let url = "http://127.0.0.1:\(try freePort())"
        #expect(try weir("tail", url, "--max-attempts", "1", "--no-ctl").status == 5)
        #expect(try weir("whoami", url).status == 5)
        let recording = try temporaryFolder() + "/a.weir.jsonl"
        let recorded = try weir("tail", url, "--record", recording, "--max-attempts", "1", "--no-ctl")
        #expect(recorded.status == 5, "\(recorded.errors)")
        #expect(!recorded.errors.contains("cannot write"))
        #expect(try weir("file", "doctor", recording).status == 0)
    }

    @Test("Check 13: code 5: the time limit passed without a session, whatever attempts were left")
    func noSession() throws {
        let script = """
            import socket, time
            server = socket.create_server(("127.0.0.1", 0))
            print("port", server.getsockname()[1], flush=True)
            time.sleep(120)
            """
        let silent = try Peer(["python3", "-c", script])
        defer { silent.stop() }
        let silentPort = String(try silent.readLine(startingWith: "port ").dropFirst(5))
        for port in [silentPort, "\(try freePort())"] {
            let run = try weir(
                "tail", "http://127.0.0.1:\(port)", "--backend", "socketio", "--max-attempts", "1000", "--duration",
                "500ms", "--no-ctl")
            #expect(run.status == 5, "\(run.errors)")
        }
    }

    @Test("Check 13: code 6: the replay does not match")
    func mismatch() throws {
        let (a, b) = (samples + "hello.weir.jsonl", samples + "twake-day.weir.jsonl")
        #expect(try weir("file", "diff", a, b).status == 6)
    }

    @Test("Check 13: code 7: cannot write")
    func cannotWrite() throws {
        #expect(try weir("demo", "--diff-log", "/nowhere/log", "--count", "1", "--no-ctl").status == 7)
        #expect(try weir("man", "--all", "/dev/null/pages").status == 7)
    }

    @Test("Check 13: code 8: the time limit passed before the expected events")
    func timeout() throws {
        #expect(try weir("demo", "--count", "1000000", "--duration", "300ms", "--no-ctl").status == 8)
        let unmatched = try weir("demo", "--until-match", "/nothing like it/", "--duration", "300ms", "--no-ctl")
        #expect(unmatched.status == 8)
        #expect(unmatched.errors.contains("weir: timed out before the expected events arrived\n"))
        let hello = samples + "hello.weir.jsonl"
        #expect(try weir("replay", hello, "--speed", "max", "--until-match", "event = nothing").status == 8)
    }

    @Test(
        "Check 13: codes 130 and 143: interrupted and terminated",
        arguments: [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)])
    func signals(signal: Int32, code: Int32) throws {
        let demo = try Peer([try pathOfWeir(), "demo", "--no-ctl", "--duration", "1m", "--quiet", "--color", "never"])
        try #require(demo.readLine() != nil)
        kill(demo.pid, signal)
        #expect(demo.wait() == code)
    }

    @Test("Check 13: help and manual list each code")
    func documented() throws {
        for code in [0, 1, 2, 3, 4, 5, 6, 7, 8, 130, 143] {
            #expect(HelpSnapshots.overview.contains("\n  \(code) "))
            #expect(try weir("man").output.contains("\n.TP\n\(code)\n"))
        }
    }

    @Test("Check 14: doctor --secrets finds no secret in a recorded login")
    func recordedLogin() throws {
        let folder = try temporaryFolder()
        let server = try Peer([try pathOfWeir(), "serve", "--seed", "3", "--quiet"])
        defer { server.stop() }
        let url = String(try server.readLine(startingWith: "url ").dropFirst(4))
        let token = String(try server.readLine(startingWith: "token ").dropFirst(6))
        let environment = ["TOKEN": token, "KEY": "gateway-s3cr3t-0123456789", "HOME": folder]
        let recorded = try weir(
            "record", url, folder + "/a.weir.jsonl", "--token", "env:TOKEN", "--header", "X-Key: env:KEY", "--no-ctl",
            "--duration", "2s", environment: environment)
        #expect(recorded.status == 0 || recorded.status == 3, "\(recorded.errors)")
        let text = String(decoding: try readFile(folder + "/a.weir.jsonl"), as: UTF8.self)
        #expect(text.contains("authenticate"))
        #expect(!text.contains(token))
        #expect(!text.contains("gateway-s3cr3t"))
        let doctor = try weir("file", "doctor", "--secrets", folder + "/a.weir.jsonl")
        #expect(doctor.status == 0, "\(doctor.output)")
        // Checks the check itself: the token is found in the same recording with the token added.
        let planted = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"
        try writeFile(folder + "/b.weir.jsonl", text.replacing("authenticate", with: planted, maxReplacements: 1))
        let found = try weir("file", "doctor", "--secrets", folder + "/b.weir.jsonl")
        #expect(found.status == 3)
        #expect((found.output + found.errors).contains("jwt"), "\(found.output)")
    }
}
