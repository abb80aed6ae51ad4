import Glibc
import Testing
import TestSupport
import WeirNetwork

/// Checks that bad input of every kind gives a message with the problem and its place, the right exit code, and never a
/// trap.
@Suite(.serialized) struct BadInputTests {
    private let event =
        #"42["realtime:event",{"name":"/r","data":{"type":"writing","event":{"thread_id":"","channel_id":"C","user_id":"U","name":"A B","is_writing":true}}}]"#

    private func tail(_ server: ScriptedServer, _ more: String...) throws -> CommandResult {
        try weir(
            [
                "tail", "http://127.0.0.1:\(server.port)", "--token", "env:T", "--join", "/r", "--no-ctl", "--duration",
                "20s",
            ] + more,
            environment: ["T": "a-secret"])
    }

    @Test(arguments: ["nonsense", "ftp://example.org", "http://user:pw@example.org", "http://", "http://h:99999"])
    func `a wrong URL is wrong usage`(url: String) throws {
        let result = try weir("tail", url)
        #expect(result.status == 2)
        #expect(result.errors.hasPrefix("weir: "))
        #expect(result.output.isEmpty)
    }

    @Test func `the error for a closed port contains the address`() throws {
        let port = try freePort()
        let result = try weir("tail", "http://127.0.0.1:\(port)", "--no-ctl")
        #expect(result.status == 5)
        #expect(result.errors.contains("127.0.0.1:\(port)"))
    }

    @Test func `the error for a host that does not resolve contains its name`() throws {
        let result = try weir("tail", "http://no-such-host.invalid:1", "--no-ctl")
        #expect(result.status == 5)
        #expect(result.errors.contains("no-such-host.invalid"))
    }

    @Test func `a refused token gives the server's words, escaped, and never the token`() throws {
        let server = try ScriptedServer(answer: #"42["unauthorized",{"err":"jwt \u001b[31mmalformed"}]"#)
        defer { server.close() }
        let result = try tail(server)
        #expect(result.status == 4)
        #expect(result.errors.contains("malformed"))
        #expect(!result.errors.contains("\u{1B}"))
        #expect(!result.errors.contains("a-secret"))
    }

    @Test func `the error for a missing token contains its source`() throws {
        let server = try ScriptedServer()
        defer { server.close() }
        let result = try weir("tail", "http://127.0.0.1:\(server.port)", "--token", "env:NOT_SET_ANYWHERE", "--no-ctl")
        #expect(result.status != 0)
        #expect(result.errors.contains("NOT_SET_ANYWHERE"))
    }

    @Test func `a server that is not Socket.IO is reported as such`() throws {
        let server = try ScriptedServer(greeting: "hello")
        defer { server.close() }
        let result = try tail(server)
        #expect(result.status == 5)
        #expect(result.errors.contains("not a Socket.IO server"))
    }

    @Test func `an unknown path is reported with status 404`() throws {
        let server = try ScriptedServer()
        defer { server.close() }
        let result = try tail(server, "--path", "/elsewhere/")
        #expect(result.status == 5)
        #expect(result.errors.contains("404"))
    }

    @Test func `an invalid certificate is refused with its reason, and accepted with its authority`() throws {
        let folder = try temporaryFolder()
        let (key, certificate) = (folder + "/key.pem", folder + "/cert.pem")
        try run([
            "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=127.0.0.1", "-addext",
            "subjectAltName=IP:127.0.0.1", "-days", "2", "-keyout", key, "-out", certificate,
        ])
        let server = try ScriptedServer(frames: [event], identity: TLSIdentity(certificate: certificate, key: key))
        defer { server.close() }
        let url = "https://127.0.0.1:\(server.port)"
        let refused = try weir("tail", url, "--no-ctl")
        #expect(refused.status == 5)
        #expect(refused.errors.contains("self-signed") || refused.errors.contains("self signed"))
        let believed = try weir(
            [
                "tail", url, "--no-ctl", "--ca", certificate, "--join", "/r", "--token", "env:T", "--count", "3",
                "--duration", "20s",
            ],
            environment: ["T": "x"])
        #expect(believed.status == 0)
    }

    @Test func `an undecodable message is shown, counted and kept in the recording, and the tail continues`() throws {
        let folder = try temporaryFolder()
        let path = folder + "/bad.weir.jsonl"
        let frames = ["42[\"oops\",nope]", #"42["realtime:resource",{"action":"saved","room":7}]"#, event]
        let server = try ScriptedServer(frames: frames)
        defer { server.close() }
        let result = try tail(server, "--count", "3", "--record", path)
        #expect(result.status == 3)
        #expect(result.errors.contains("realtime:resource"))
        let recording = String(decoding: try readFile(path), as: UTF8.self)
        #expect(recording.contains(#"42[\"oops\",nope]"#))
        #expect(!recording.contains("a-secret"))
        let replayed = try weir("replay", path)
        #expect(replayed.status == 3)
        #expect(replayed.output == result.output)
    }

    @Test func `a frame of five megabytes is an ordinary event`() throws {
        let folder = try temporaryFolder()
        let path = folder + "/big.weir.jsonl"
        let text = String(repeating: "é😀 0123456789", count: 5_000_000 / 17)
        let server = try ScriptedServer(frames: [#"42["big",{"text":"\#(text)"}]"#, event])
        defer { server.close() }
        let result = try tail(server, "--count", "4", "--format", "json", "--record", path)
        #expect(result.status == 0)
        #expect(result.output.contains(text))
        let replayed = try weir("replay", path, "--format", "json")
        #expect(replayed.output == result.output)
    }

    @Test func `a recording with a torn last line is played as far as it goes`() throws {
        let folder = try temporaryFolder()
        let path = folder + "/whole.weir.jsonl"
        let server = try ScriptedServer(frames: [event, event, event])
        defer { server.close() }
        let result = try tail(server, "--count", "5", "--record", path)
        #expect(result.status == 0)
        let lines = String(decoding: try readFile(path), as: UTF8.self).split(separator: "\n")
        let last = try #require(lines.lastIndex { $0.contains("writing") })
        try writeFile(
            folder + "/torn.weir.jsonl", lines[..<last].joined(separator: "\n") + "\n" + lines[last].prefix(40))
        let torn = try weir("replay", folder + "/torn.weir.jsonl")
        #expect(torn.status == 3)
        #expect(torn.errors.contains("cut off"))
        #expect(torn.output.split(separator: "\n").filter { $0.contains("typing") }.count == 2)
    }

    @Test func `a recording without an end is played normally, with one warning on standard error`() throws {
        let folder = try temporaryFolder()
        let path = folder + "/open.weir.jsonl"
        let sample = packageFolder + "/samples/recordings/reconnect.weir.jsonl"
        let lines = String(decoding: try readFile(sample), as: UTF8.self).split(separator: "\n")
        let open = lines.prefix { !$0.hasPrefix(#"{"k":"idx""#) }
        try writeFile(path, open.joined(separator: "\n") + "\n")
        let words = "it was not closed, or is still being written"
        for command in [["replay"], ["replay", "--format", "json"], ["replay", "--verify"]] {
            let whole = try weir(command + [sample, "--speed", "max"])
            let played = try weir(command + [path, "--speed", "max"])
            #expect(played.status == whole.status)
            #expect(!whole.errors.contains(words))
            let said = played.errors.split(separator: "\n").filter { $0.contains(words) }
            #expect(said.count == 1)
            #expect(said.allSatisfy { $0.contains("warning: the recording has no end after record") })
            #expect(whole.output.hasPrefix(played.output))
            // The index and the end only say how the recording ended.
            if command.count > 1 { #expect(played.output == whole.output) }
        }
        #expect(try weir("file", "doctor", path).output.contains("it has no end: \(words)"))
        #expect(try weir("file", "info", path).output.contains("none: not closed, or still being written"))
    }

    @Test func `a file that exists is never overwritten`() throws {
        let folder = try temporaryFolder()
        let path = folder + "/precious"
        try writeFile(path, "do not lose me")
        let server = try ScriptedServer(frames: [event])
        defer { server.close() }
        #expect(try tail(server, "--record", path).status == 7)
        #expect(try tail(server, "--diff-log", path).status == 7)
        #expect(String(decoding: try readFile(path), as: UTF8.self) == "do not lose me")
    }

    @Test func `missing events are a timeout with --count, and silence without a goal is not`() throws {
        let server = try ScriptedServer()
        defer { server.close() }
        let arguments = [
            "tail", "http://127.0.0.1:\(server.port)", "--token", "env:T", "--join", "/r", "--no-ctl", "--idle-timeout",
            "500ms",
        ]
        #expect(try weir(arguments + ["--count", "50"], environment: ["T": "x"]).status == 8)
        #expect(try weir(arguments, environment: ["T": "x"]).status == 0)
    }

    @Test func `a reader that closes the pipe ends the tail quietly`() throws {
        let server = try ScriptedServer(frames: Array(repeating: event, count: 5000))
        defer { server.close() }
        let options = "--token env:T --join /r --no-ctl --store none --quiet"
        let tail = "\(try pathOfWeir()) tail http://127.0.0.1:\(server.port) \(options)"
        let said = try run([
            "bash", "-c", "export T=x; { \(tail) 2>&1 1>&3; echo status $?; } 3> >(head -n 1 >/dev/null)",
        ])
        #expect(said == "status 0")
    }
}
