import Glibc
import Testing
import TestSupport
import WeirNetwork

@Suite("Secrets of the access", .timeLimit(.minutes(2)))
struct SecrecyTests {
    /// The secrets in the tests. Each may be visible only to its intended receiver.
    private static let token = "tok-5f1c", header = "hdr-77ab", cookie = "ck=9d02", password = "pw-c0de"

    @Test("Secrets reach their receivers and are in no output, file or process list")
    func nowhere() throws {
        let folder = try temporaryFolder()
        try writeFile(folder + "/header", Self.header + "\n")
        try writeFile(folder + "/proxy", "ann:\(Self.password)\n")
        let proxy = try Peer(["python3", peersFolder + "/connect_proxy.py", "--auth", "ann:\(Self.password)"])
        defer { proxy.stop() }
        let proxyPort = try proxy.listeningPort()
        // The server sends all of them back, in an event and in an invalid frame.
        let said = "\(Self.token) \(Self.header) \(Self.cookie) \(Self.password)"
        let server = try ScriptedServer(frames: [#"42["realtime:event",{"name":"/r","data":"\#(said)"}]"#])
        defer { server.close() }
        let output = (try temporaryFile(), try temporaryFile())
        defer {
            close(output.0)
            close(output.1)
        }
        let process = try start(
            [
                try pathOfWeir(), "tail", "http://127.0.0.1:\(server.port)", "--token", "env:TOKEN",
                "--header", "Authorization: Bearer file:\(folder)/header", "--header", "Cookie: env:COOKIE",
                "--header", "X-Plain: in the open", "--proxy", "http://127.0.0.1:\(proxyPort)",
                "--proxy-auth", "cmd:cat \(folder)/proxy", "--join", "/r", "--no-ctl", "--duration", "1m",
                "--record", folder + "/a.weir", "--diff-log", folder + "/a.diff",
            ], environment: ["TOKEN": Self.token, "COOKIE": Self.cookie], descriptors: [1: output.0, 2: output.1])
        let head = try server.upgrades.first()
        #expect(head.contains("authorization: Bearer \(Self.header)"))
        #expect(head.contains("cookie: \(Self.cookie)"))
        #expect(head.contains("x-plain: in the open"))
        #expect(!head.contains { $0.hasPrefix("proxy-") })
        #expect(try proxy.readLine(startingWith: "asked ").contains(" ann:\(Self.password) "))
        let commandLine = String(decoding: try readFile("/proc/\(process)/cmdline"), as: UTF8.self)
        kill(process, SIGINT)
        #expect(try waitForExit(of: process) == 130)
        let recording = String(decoding: try readFile(folder + "/a.weir"), as: UTF8.self)
        #expect(recording.contains(#""k":"end""#))
        let errors = try contents(of: output.1)
        #expect(errors.contains("through the proxy 127.0.0.1:\(proxyPort)"))
        expectNoSecret(in: [
            "command line": commandLine, "recording": recording, "standard error": errors,
            "diff log": String(decoding: try readFile(folder + "/a.diff"), as: UTF8.self),
        ])
    }

    @Test("Secrets are in no error message")
    func failures() throws {
        let proxy = try Peer(["python3", peersFolder + "/connect_proxy.py", "--auth", "ann:another"])
        defer { proxy.stop() }
        let secrets = ["TOKEN": Self.token, "HEADER": Self.header, "LOGIN": "ann:\(Self.password)"]
        let common = [
            "--token", "env:TOKEN", "--header", "Authorization: env:HEADER", "--max-attempts", "1", "--no-ctl",
        ]
        let refused = try weir(
            ["tail", "http://127.0.0.1:9"] + common
                + ["--proxy", "http://127.0.0.1:\(try proxy.listeningPort())", "--proxy-auth", "env:LOGIN"],
            environment: secrets)
        #expect(refused.status == 5)
        #expect(
            refused.errors.contains("cannot connect (proxy): 127.0.0.1:9: the proxy 127.0.0.1:"), "\(refused.errors)")
        #expect(refused.errors.contains("refuses the credentials (HTTP status 407)"))
        let server = try ScriptedServer()
        defer { server.close() }
        let noTLS = try weir(["tail", "https://127.0.0.1:\(server.port)"] + common, environment: secrets)
        #expect(noTLS.status == 5)
        let bad = try weir(
            ["tail", "http://127.0.0.1:\(server.port)"] + common,
            environment: ["TOKEN": Self.token, "HEADER": Self.header + "\u{1}"])
        #expect(bad.status == 4)
        #expect(
            bad.errors.contains("the Authorization header contains characters that are not allowed in a header"),
            "\(bad.errors)")
        let missing = try weir(["tail", "http://127.0.0.1:9"] + common, environment: ["TOKEN": Self.token])
        #expect(missing.status == 2)
        #expect(missing.errors == "weir: the environment variable HEADER is not set\n")
        expectNoSecret(in: [
            "refused": refused.errors + refused.output, "no TLS": noTLS.errors + noTLS.output,
            "bad": bad.errors + bad.output,
        ])
    }

    private func expectNoSecret(in texts: [String: String]) {
        for (name, text) in texts {
            for secret in [Self.token, Self.header, Self.cookie, Self.password] {
                #expect(!text.contains(secret), "\(secret) is in the \(name): \(text)")
            }
        }
    }
}
