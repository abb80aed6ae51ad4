import Glibc
import TestSupport
import Testing

/// What scripts rely on: each code, by something that ends with it.
@Suite("Exit codes", .timeLimit(.minutes(2)))
struct ExitCodeTests {
    private let samples = packageFolder + "/samples/recordings/"

    @Test("0: done")
    func done() throws {
        #expect(try weir("demo", "--count", "1", "--no-ctl", "--quiet").status == 0)
        #expect(try weir("--version").status == 0)
    }

    @Test("1: runtime error")
    func runtimeError() throws {
        #expect(try weir("replay", "/nowhere.weir.jsonl").status == 1)
        #expect(try weir("file", "grep", "nothing-is-like-this", samples + "hello.weir.jsonl").status == 1)
    }

    @Test("2: wrong usage, before anything is connected to")
    func usage() throws {
        #expect(try weir("tail", "http://127.0.0.1:9", "--fromat", "json").status == 2)
        #expect(try weir("demo", environment: ["WEIR_FORMAT": "jsno"]).status == 2)
    }

    @Test("3: finished, but something was lost")
    func loss() throws {
        #expect(try weir("file", "info", samples + "damaged.weir.jsonl").status == 3)
        #expect(try weir("replay", samples + "damaged.weir.jsonl", "--speed", "max", "--quiet").status == 3)
    }

    @Test("4: refused")
    func refused() throws {
        let server = try Peer([try pathOfWeir(), "serve", "--seed", "3", "--quiet"])
        defer { server.stop() }
        let url = String(try server.readLine(startingWith: "url ").dropFirst(4))
        let environment = ["TOKEN": "n0t-the-t0ken"]
        #expect(try weir("tail", url, "--token", "env:TOKEN", "--no-ctl", environment: environment).status == 4)
        #expect(try weir("whoami", url, "--token", "env:TOKEN", environment: environment).status == 4)
    }

    @Test("5: cannot connect")
    func noConnection() throws {
        let url = "http://127.0.0.1:\(try freePort())"
        #expect(try weir("tail", url, "--max-attempts", "1", "--no-ctl").status == 5)
        #expect(try weir("whoami", url).status == 5)
    }

    @Test("6: the replay does not match")
    func mismatch() throws {
        let (a, b) = (samples + "hello.weir.jsonl", samples + "twake-day.weir.jsonl")
        #expect(try weir("file", "diff", a, b).status == 6)
    }

    @Test("7: cannot write")
    func cannotWrite() throws {
        #expect(try weir("demo", "--diff-log", "/nowhere/log", "--count", "1", "--no-ctl").status == 7)
        #expect(try weir("man", "--all", "/dev/null/pages").status == 7)
    }

    @Test("8: the time passed before what was expected came")
    func timeout() throws {
        #expect(try weir("demo", "--count", "1000000", "--duration", "300ms", "--no-ctl").status == 8)
    }

    @Test("130 and 143: interrupted and terminated", arguments: [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)])
    func signals(signal: Int32, code: Int32) throws {
        let demo = try Peer([try pathOfWeir(), "demo", "--no-ctl", "--duration", "1m", "--quiet", "--color", "never"])
        try #require(demo.readLine() != nil)
        kill(demo.pid, signal)
        #expect(demo.wait() == code)
    }

    @Test("Help and manual name each of them")
    func documented() throws {
        for code in [0, 1, 2, 3, 4, 5, 6, 7, 8, 130, 143] {
            #expect(HelpSnapshots.overview.contains("\n  \(code) "))
            #expect(try weir("man").output.contains("\n.TP\n\(code)\n"))
        }
    }

    @Test("doctor --secrets finds none in a recorded login")
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
        // The check can fail: the same recording with the token in it is found out.
        let planted = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"
        try writeFile(folder + "/b.weir.jsonl", text.replacing("authenticate", with: planted, maxReplacements: 1))
        let found = try weir("file", "doctor", "--secrets", folder + "/b.weir.jsonl")
        #expect(found.status == 3)
        #expect((found.output + found.errors).contains("jwt"), "\(found.output)")
    }
}
