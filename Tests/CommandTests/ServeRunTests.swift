import Glibc
import Testing
import TestSupport

@Suite("An embedded server for trying things out", .timeLimit(.minutes(1))) struct ServeRunTests {
    @Test("A token kept in a file is valid for every server with that file")
    func tokenFile() throws {
        let folder = try temporaryFolder()
        let file = folder + "/token"
        var tokens: [String] = []
        for _ in 0..<2 {
            let server = try Peer([
                try pathOfWeir(), "serve", "--quiet", "--listen", "127.0.0.1:0", "--token-file", file,
            ])
            defer { server.stop() }
            let url = String(try server.readLine(startingWith: "url ").dropFirst(4))
            #expect(try server.readLine(startingWith: "token ") == "token file:\(file)")
            tokens.append(String(decoding: try readFile(file), as: UTF8.self))
            let who = try weir("whoami", url, "--token", "file:\(file)")
            #expect(who.status == 0, "\(who.errors)")
        }
        #expect(tokens[0] == tokens[1] && tokens[0].hasPrefix("weir."))
    }

    @Test("A server starts in the background, and the shell's variables contain what the next command needs")
    func environment() throws {
        let folder = try temporaryFolder()
        try writeFile(
            folder + "/try",
            """
            eval "$(\(try pathOfWeir()) serve --env)"
            \(try pathOfWeir()) whoami "$URL"; code=$?
            kill "$SERVER"
            exit $code
            """)
        let output = try temporaryFile()
        defer { close(output) }
        let process = try start(
            ["/bin/sh", folder + "/try"], environment: ["HOME": folder], descriptors: [1: output, 2: output])
        #expect(try waitForExit(of: process) == 0)
        #expect(try contents(of: output).hasSuffix("  Ana Lima  (era b)\n"))
    }

    @Test("A server with a higher rate sends more")
    func rate() throws {
        let server = try Peer([
            try pathOfWeir(), "serve", "--quiet", "--listen", "127.0.0.1:0", "--rate", "500",
        ])
        defer { server.stop() }
        let url = String(try server.readLine(startingWith: "url ").dropFirst(4))
        let token = String(try server.readLine(startingWith: "token ").dropFirst(6))
        let tail = try weir(
            "tail", url, "--token", "env:T", "--no-ctl", "--store", "none", "--count", "300", "--duration", "20s",
            "--format", "jsonl", environment: ["T": token])
        #expect(tail.status == 0, "\(tail.errors)")
        for bad in ["0.5", "2000", "x"] { #expect(try weir("serve", "--rate", bad).status == 2) }
        #expect(try weir("serve", "--scenario", "echo", "--rate", "5").status == 2)
    }
}
