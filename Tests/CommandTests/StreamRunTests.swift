import Glibc
import Testing
import TestSupport
import WeirNetwork
import WeirThreads
import WeirWire

/// The path of `samples/recordings`, with a slash at its end.
private let samples = #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 } + "/samples/recordings/"

@Suite("Recordings in a stream", .enabled(if: hasNATSServer), .timeLimit(.minutes(3)))
struct StreamRunTests {
    private let sample = samples + "twake-day.weir.jsonl"

    /// Starts a node with the stream `s`, and publishes the sample as `day`.
    private func server() throws -> NATSServer {
        let server = try NATSServer()
        let made = try weir("stream", "create", server.url + "/s")
        #expect(made.status == 0, "\(made.errors)")
        let published = try weir("file", "publish", sample, server.url + "/s/day")
        #expect(published.status == 0 && published.errors.contains("bytes published"), "\(published.errors)")
        return server
    }

    @Test("A replay of the stream prints the same as one of the file, and writes the same diff log")
    func replay() throws {
        let server = try server()
        let folder = try temporaryFolder()
        let (url, log) = (server.url + "/s/day", folder + "/log")
        let file = try weir("replay", sample, "--diff-log", log + ".file", "--format", "json")
        let stream = try weir("replay", url, "--diff-log", log + ".stream", "--format", "json")
        #expect(stream.status == file.status && stream.errors == file.errors)
        #expect(stream.output == file.output && !file.output.isEmpty)
        let lines = try readFile(log + ".file")
        #expect(try readFile(log + ".stream") == lines && !lines.isEmpty)
    }

    @Test("The file tools read a stream")
    func tools() throws {
        let server = try server()
        let url = server.url + "/s/day"
        let folder = try temporaryFolder()
        for arguments in [
            ["file", "doctor"], ["file", "grep", "-c", "message"], ["file", "info"], ["file", "mark"], ["file", "cat"],
        ] {
            let file = try weir(arguments + [sample])
            let stream = try weir(arguments + [url])
            #expect(stream.status == file.status, "\(arguments): \(stream.errors)")
            #expect(stream.output.replacing(url, with: sample) == file.output)
        }
        let cut = ["file", "cut", "--start", "+5s", "--output"]
        #expect(try weir(cut + [folder + "/a", sample]).status == 0)
        #expect(try weir(cut + [folder + "/b", url]).status == 0)
        #expect(try readFile(folder + "/a") == readFile(folder + "/b"))
        let same = try weir("file", "diff", sample, url)
        #expect(same.status == 0, "\(same.errors)")
    }

    @Test("A growing recording in the stream is followed")
    func follow() throws {
        let server = try server()
        let whole = try readFile(sample)
        let folder = try temporaryFolder()
        let half = try #require(whole[(whole.count / 2)...].firstIndex(of: 10)) + 1
        try writeFile(folder + "/half", Array(whole[..<half]))
        #expect(try weir("file", "publish", folder + "/half", server.url + "/s/grows").status == 0)
        let expected = try weir("replay", sample, "--format", "json").output
        let replay = try Peer([
            try pathOfWeir(), "replay", "--follow", server.url + "/s/grows", "--speed", "max", "--format", "json",
            "--quiet", "--no-ctl",
        ])
        // The replay has read everything available once it prints the first line.
        var lines = [replay.readLine() ?? ""]
        #expect(try weir("file", "publish", sample, server.url + "/s/grows").status == 0)
        while let line = replay.readLine() { lines.append(line) }
        let isSame = lines == expected.split(separator: "\n").map(String.init)
        #expect(isSame, "\(lines.count) lines; the first: \(lines[0].prefix(300))")
    }

    @Test("A tail records the same into a stream as into a file")
    func tail() throws {
        let server = try server()
        let folder = try temporaryFolder()
        let demo = try weir(
            "demo", "--count", "20", "--record", server.url + "/s/demo", "--no-ctl")
        #expect(demo.status == 0, "\(demo.errors)")
        let doctor = try weir("file", "doctor", server.url + "/s/demo")
        #expect(doctor.status == 0, "\(doctor.output)\(doctor.errors)")
        #expect(try weir("file", "compress", server.url + "/s/demo", "-o", folder + "/x.zst").status == 0)
        let again = try weir("tail", "http://127.0.0.1:9", "--record", server.url + "/s/demo", "--no-ctl")
        #expect(again.errors.contains("has a recording demo already"), "\(again.errors)")
    }

    @Test("A tail records in segments: --keep removes old ones, and --start reads from the one that holds it")
    func segments() throws {
        let server = try server()
        let world = try Peer([try pathOfWeir(), "serve", "--seed", "3", "--quiet", "--rate", "200"])
        defer { world.stop() }
        let web = String(try world.readLine(startingWith: "url ").dropFirst(4))
        let token = String(try world.readLine(startingWith: "token ").dropFirst(6))
        let url = server.url + "/s/mon"
        func tail(_ name: String, _ more: [String]) throws -> CommandResult {
            try weir(
                ["tail", web, "--token", "env:T", "--record", server.url + "/s/" + name, "--no-ctl", "--store", "none"]
                    + more, environment: ["T": token])
        }
        let whole = try tail("mon", ["--duration", "6s", "--rotate", "2s"])
        #expect(whole.status == 0, "\(whole.errors)")
        let facts = try weir("stream", "info", server.url + "/s").output
        #expect(facts.contains("mon/0001: ") && facts.contains("mon/0003: "), "\(facts)")
        let doctor = try weir("file", "doctor", url)
        #expect(doctor.status == 0, "\(doctor.output)\(doctor.errors)")
        // Each segment is a recording, and all of them form one.
        let log = try temporaryFolder() + "/log"
        let all = try weir("replay", url, "--diff-log", log, "--format", "json", "--quiet")
        #expect(all.status == 0 && !all.output.isEmpty, "\(all.errors)")
        let last = try weir("replay", url + "/0003", "--format", "json", "--quiet")
        #expect(last.status == 0 && !last.output.isEmpty && last.output.count < all.output.count)
        // A replay that begins in the third segment reads no earlier data, which would be reported as damaged.
        #expect(try weir("stream", "rm", url + "/0002", "--force").status == 0)
        let late = try weir("replay", url, "--start", "+5s", "--format", "json", "--quiet")
        #expect(late.status == 0 && !late.output.isEmpty, "\(late.errors)")
        #expect(try weir("replay", url, "--format", "json", "--quiet").status == 3)

        let kept = try tail("tue", ["--duration", "6s", "--rotate", "1s", "--keep", "2"])
        #expect(kept.status == 0, "\(kept.errors)")
        let names = try weir("stream", "info", server.url + "/s").output.split(separator: "\n")
            .count { $0.contains("tue/") }
        #expect(names == 2)
    }

    @Test("ps lists the tails that publish to a cluster until they end")
    func processes() throws {
        let server = try server()
        let demo = try Peer([
            try pathOfWeir(), "demo", "--record", server.url + "/s/demo", "--no-ctl", "--format", "json", "--quiet",
        ])
        _ = demo.readLine()
        demo.drain()
        var listed = try weir("ps", "--nats", server.url)
        while listed.status == 0, !listed.output.contains("/s/demo ") { listed = try weir("ps", "--nats", server.url) }
        #expect(listed.output.split(separator: "\n").count == 2, "\(listed.output)\(listed.errors)")
        #expect(listed.output.contains(" \(demo.pid) "), "\(listed.output)")
        let json = try weir("ps", "--nats", server.url, "--json").output
        #expect(json.hasPrefix(#"{"recording":""#) && json.contains(#""pid":\#(demo.pid),"#), "\(json)")
        kill(demo.pid, SIGTERM)
        demo.wait()
        while listed.status == 0, !listed.output.isEmpty { listed = try weir("ps", "--nats", server.url) }
        #expect(listed.status == 0, "\(listed.errors)")
    }

    @Test("A follower continues with the next segment, in a file and in a stream", arguments: [false, true])
    func followSegments(isStream: Bool) throws {
        let server = try server()
        let folder = try temporaryFolder()
        let path = isStream ? server.url + "/s/mon" : folder + "/mon.weir.jsonl"
        let first = isStream ? path : folder + "/mon.0001.weir.jsonl"
        let world = try Peer([try pathOfWeir(), "serve", "--seed", "3", "--quiet", "--rate", "100"])
        defer { world.stop() }
        let web = String(try world.readLine(startingWith: "url ").dropFirst(4))
        let token = String(try world.readLine(startingWith: "token ").dropFirst(6))
        let tail = try Peer(
            [
                try pathOfWeir(), "tail", web, "--token", "env:T", "--record", path, "--rotate", "1s", "--no-ctl",
                "--store", "none", "--format", "json", "--duration", "5s", "--quiet",
            ], environment: ["T": token])
        _ = try tail.readLine(startingWith: #"{"v":1,"type":"event""#)
        let follower = try Peer([
            try pathOfWeir(), "replay", "--follow", first, "--speed", "max", "--format", "json", "--quiet", "--no-ctl",
        ])
        var (told, seen) = (0, 0)
        while let line = tail.readLine() { told += line.contains(#""type":"event""#) ? 1 : 0 }
        while let line = follower.readLine() { seen += line.contains(#""type":"event""#) ? 1 : 0 }
        #expect(told > 100 && seen == told + 1)
    }

    @Test("Errors of a URL or a cluster are reported without any secret")
    func errors() throws {
        let port = try freePort()
        let nobody = try weir("replay", "nats://127.0.0.1:\(port)/s")
        #expect(nobody.status != 0 && nobody.errors.contains("cannot connect to 127.0.0.1:\(port)"), "\(nobody.errors)")
        let secret = try weir("replay", "nats://ann:hunter2@127.0.0.1/s")
        #expect(secret.status != 0 && !secret.errors.contains("hunter2"), "\(secret.errors)")
        let server = try NATSServer()
        let missing = try weir("file", "info", server.url + "/none")
        #expect(missing.errors.contains("the stream none does not exist"), "\(missing.errors)")
        #expect(try weir("stream", "create", server.url + "/s", "--max-age", "1d").status == 0)
        let empty = try weir("file", "info", server.url + "/s/day")
        #expect(empty.errors.contains("has no recording day"), "\(empty.errors)")
        let kept = try weir("stream", "rm", server.url + "/s")
        #expect(kept.status == 2 && kept.errors.contains("--force"), "\(kept.errors)")
        #expect(try weir("stream", "ls", server.url).output.contains("s  0 messages"))
        #expect(try weir("stream", "rm", server.url + "/s", "--force").status == 0)
        #expect(try weir("stream", "ls", server.url).output == "")
    }

    @Test("User and password are references, and appear nowhere else")
    func credentials() throws {
        let server = try NATSServer(settings: "authorization { user: ann, password: hunter2 }")
        let refused = try weir("stream", "ls", server.url)
        #expect(refused.status != 0 && refused.errors.contains("Authorization"), "\(refused.errors)")
        let typed = try weir("stream", "ls", server.url, "--nats-user", "ann", "--nats-password", "hunter2")
        #expect(typed.status == 2 && !typed.errors.contains("hunter2"), "\(typed.errors)")
        let environment = [
            "PASS": "hunter2", "WEIR_NATS_USER": "ann", "WEIR_NATS_PASSWORD": "env:PASS",
        ]
        let made = try weir("stream", "create", server.url + "/s", environment: environment)
        #expect(made.status == 0, "\(made.errors)")
        #expect(try weir("file", "publish", sample, server.url + "/s", environment: environment).status == 0)
        let replay = try weir("replay", server.url + "/s", environment: environment)
        #expect(replay.status == 0 && !replay.output.isEmpty, "\(replay.errors)")
    }

    @Test("An nkey is a reference")
    func key() throws {
        // From the documentation of nkeys.
        let seed = "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY"
        let name = "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4"
        let server = try NATSServer(settings: "authorization { users: [ { nkey: \(name) } ] }")
        let environment = ["SEED": seed, "WEIR_NATS_NKEY": "env:SEED"]
        let made = try weir("stream", "create", server.url + "/s", environment: environment)
        #expect(made.status == 0, "\(made.errors)")
        #expect(try weir("stream", "ls", server.url).status != 0)
    }

    @Test("TLS works with an authority and a client certificate")
    func certificates() throws {
        let certificates = try Certificates.shared.get()
        let (own, client) = (certificates.good, certificates.client)
        let server = try NATSServer(
            settings: """
                tls { cert_file: "\(own.certificate)", key_file: "\(own.key)", ca_file: "\(certificates.authority)"
                      verify: true }
                """)
        let plain = try weir("stream", "ls", server.url)
        #expect(plain.status != 0, "\(plain.output)")
        let strange = try weir("stream", "ls", server.url, "--nats-ca", certificates.stranger)
        #expect(strange.status != 0, "\(strange.output)")
        let environment = [
            "WEIR_NATS_CA": certificates.authority, "WEIR_NATS_CERT": client.certificate, "WEIR_NATS_KEY": client.key,
        ]
        let made = try weir("stream", "create", server.url + "/s", environment: environment)
        #expect(made.status == 0, "\(made.errors)")
        #expect(try weir("file", "publish", sample, server.url + "/s", environment: environment).status == 0)
        #expect(try weir("file", "doctor", server.url + "/s", environment: environment).status == 0)
    }

    @Test("A replay with a durable name begins after the events of earlier ones")
    func durable() throws {
        let server = try server()
        let expected = try weir("replay", sample, "--format", "json", "--quiet").output
        let first = try weir(
            "replay", server.url + "/s/day", "--durable", "ann", "--count", "5", "--format", "json", "--quiet")
        let second = try weir("replay", server.url + "/s/day", "--durable", "ann", "--format", "json", "--quiet")
        let third = try weir("replay", server.url + "/s/day", "--durable", "ann", "--format", "json", "--quiet")
        let lines = { (text: String) in text.split(separator: "\n").count }
        #expect(lines(first.output) > 0 && lines(second.output) > 0)
        #expect(lines(first.output) + lines(second.output) == lines(expected), "\(second.errors)")
        #expect(third.output == "" && third.status == 0, "\(third.errors)")
    }

    @Test("A third-party client finds the text and every event", .enabled(if: environment("nats-py") != nil))
    func witness() throws {
        let server = try server()
        let folder = try temporaryFolder()
        let demo = try weir(
            "demo", "--count", "20", "--record", server.url + "/s/demo", "--events", "--no-ctl", "--format", "json")
        #expect(demo.status == 0, "\(demo.errors)")
        let copy = folder + "/copy.weir.jsonl"
        #expect(try weir("file", "compress", server.url + "/s/demo", "--output", copy + ".zst").status == 0)
        #expect(try weir("file", "compress", "-d", copy + ".zst", "--output", copy).status == 0)
        let python = try #require(environment("nats-py")) + "/bin/python"
        let found = try run([python, peersFolder + "/nats_reader.py", server.url, "s", "demo"]).split(separator: "\n")
        let digest = try run(["sha256sum", copy]).prefix(64)
        #expect(found.first == "text \(digest)")
        func count(_ type: String) -> Int {
            demo.output.split(separator: "\n").count { $0.contains("\"type\":\"\(type)\"") }
        }
        let other = ["text", "lines", "diff", "gap", "connection", "room"]
        let events = found.filter { line in !other.contains { line.hasPrefix($0 + " ") } }
        #expect(events.reduce(0) { $0 + (Int($1.split(separator: " ")[1]) ?? 0) } == count("event"))
        #expect(found.contains("diff \(count("diff"))"))
    }
}
