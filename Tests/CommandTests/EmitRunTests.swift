import Glibc
import Testing
import TestSupport

/// Tests sending events to a Socket.IO server on the command line, and its answers.
@Suite(.timeLimit(.minutes(3))) struct EmitRunTests {
    private static let tail = ["--backend", "socketio", "--no-ctl", "--duration", "60s", "--time", "none"]

    private func echo() throws -> (peer: Peer, url: String) {
        let server = try Peer([try pathOfWeir(), "serve", "--scenario", "echo", "--quiet"])
        return (server, String(try server.readLine(startingWith: "url ").dropFirst(4)))
    }

    private func python(_ peer: String) throws -> (peer: Peer, url: String)? {
        guard let folder = environment(peer) else { return nil }
        let port = try freePort()
        let server = try Peer([
            folder + "/bin/python", peersFolder + "/sio_python.py", "--port", "\(port)", "--path", "socket.io",
        ])
        try server.readLine(startingWith: "listening ")
        return (server, "http://127.0.0.1:\(port)")
    }

    @Test func `weir emit sends one event with any arguments and prints its acknowledgement`() throws {
        let (server, url) = try echo()
        defer { server.stop() }
        let run = try weir("emit", url, "message-with-ack", "1.50", #""a b""#, #"{"x":["\ud800"]}"#)
        #expect(run.output == #"[1.50,"a b",{"x":["\ud800"]}]"# + "\n", "\(run.errors)")
        #expect(run.status == 0 && run.errors.isEmpty)
        let below = try weir("emit", url, "message-with-ack", "-5", "--timeout", "10s", "-0.5")
        #expect(below.output == "[-5,-0.5]\n", "\(below.errors)")
        let file = try temporaryFolder() + "/a file"
        try writeFile(file, [1, 2, 255])
        let binary = try weir("emit", url, "message-with-ack", "@\(file)", "--json", "--namespace", "custom")
        #expect(
            binary.output.hasPrefix(
                #"{"state":"answered","ack":0,"answer":[{"base64":"AQL/","bytes":3}],"took_us":"#),
            "\(binary.output)\(binary.errors)")
        let silent = try weir("emit", url, "nobody", "--timeout", "100ms")
        #expect(silent.status == 8 && silent.output.isEmpty)
        #expect(silent.errors.contains("nobody #0 was not acknowledged within 1"), "\(silent.errors)")
        let unasked = try weir("emit", url, "nobody", "--no-ack")
        #expect(unasked.status == 0 && unasked.output.isEmpty && unasked.errors.isEmpty, "\(unasked.errors)")
        let reserved = try weir("emit", url, "connect")
        #expect(
            reserved.status == 4 && reserved.errors.contains("the name is reserved by Socket.IO"), "\(reserved.errors)")
        let nobody = try weir("emit", "http://127.0.0.1:\(try freePort())", "x")
        #expect(nobody.status == 5 && nobody.errors.contains("'x' was not sent: cannot connect"), "\(nobody.errors)")
    }

    @Test(
        "An invalid event is refused before anything is sent",
        arguments: [
            (["emit", "http://h", "x", "hello"], "the text after the name is not JSON: 'hello'"),
            (["emit", "http://h", "x", "@/nonexistent"], "/nonexistent: cannot be read"),
            (["emit", "http://h"], "EVENT is missing"),
            (["emit", "http://h", "x", "-y"], "unknown option '-y'"),
            (
                ["emit", "--on", "x", "y", "--namespace", "a", "--namespace", "b"],
                "--namespace: give only one namespace"
            ),
            (["tail", "http://h", "--emit", "x {"], "--emit 'x {': the text after the name is not JSON: '{'"),
            (["tail", "http://h", "--emit", #""x y 1"#], "the quoted name has no closing quote"),
            (["tail", "http://h", "--ack", "=1"], "the name of the event is missing"),
            (["tail", "http://h", "--on", "event = a"], "--on must be followed by --emit or --ack"),
            (["tail", "http://h", "--on", "event ="], "--on: "),
            (["watch", "http://h", "--backend", "socketio", "--emit", "-"], "standard input provides keys"),
        ])
    func refused(arguments: [String], message: String) throws {
        let run = try weir(arguments)
        #expect(run.status == 2 && run.errors.contains(message), "\(run.errors)")
    }

    @Test func `the answer to --emit is a line with its latency, and a replay prints the same`() throws {
        let (server, url) = try echo()
        defer { server.stop() }
        let file = try temporaryFolder() + "/a.weir"
        let live = try weir(
            ["tail", url, "--emit", #"message-with-ack "pass-word" 2"#, "--emit", #""two words" 1"#, "--emit-ack"]
                + ["--timeout", "300ms", "--until-match", "type = emit and payload[2] = 2", "--record", file]
                + Self.tail)
        #expect(live.status == 0, "\(live.errors)")
        #expect(live.output.contains("ack") && live.output.contains("message-with-ack #0 after "), "\(live.output)")
        #expect(live.output.contains(#"["pass-word",2]"#), "\(live.output)")
        let replayed = try weir("replay", file, "--speed", "max", "--time", "none")
        #expect(replayed.output == live.output, "\(replayed.errors)")
        let json = try weir("replay", file, "--speed", "max", "--format", "json", "--filter", "type = emit")
        #expect(
            json.output.contains(#""type":"emit""#) && json.output.contains(#""state":"answered""#), "\(json.output)")
        #expect(json.output.contains(#""event":"two words""#))
    }

    @Test func `an acknowledgement timeout is reported, and a secret in the event is not recorded`() throws {
        let (server, url) = try echo()
        defer { server.stop() }
        let file = try temporaryFolder() + "/a.weir"
        let run = try weir(
            ["tail", url, "--emit", #"login {"password":"hunter2-secret"}"#, "--emit-ack", "--timeout", "100ms"]
                + ["--record", file, "--format", "json", "--until-match", #"type = emit and text ~ "acknowledged""#]
                + Self.tail)
        #expect(run.status == 0 && run.errors.contains("! emit  login #0 was not acknowledged"), "\(run.errors)")
        #expect(run.output.contains(#""state":"timed_out""#), "\(run.output)")
        let recorded = String(decoding: try readFile(file), as: UTF8.self)
        #expect(recorded.contains(#""act":"emit""#) && !recorded.contains("hunter2"))
    }

    @Test func `each line of standard input is emitted after the connection, with any line ending or byte order mark`()
        throws
    {
        let (server, url) = try echo()
        defer { server.stop() }
        let script =
            #"printf '\357\273\277message 1 "two"\r\n\nmessage {\rmessage 3\n' | '\#(try pathOfWeir())' tail '\#(url)' --emit - --count 3 "#
            + "--format raw --filter 'event != x' " + Self.tail.joined(separator: " ")
        let output = try temporaryFile(), errors = try temporaryFile()
        let process = try start(["/bin/sh", "-c", script], environment: [:], descriptors: [1: output, 2: errors])
        #expect(try waitForExit(of: process) == 0)
        #expect(
            try contents(of: output) == "[\"auth\",{}]\n[\"message-back\",1,\"two\"]\n[\"message-back\",3]\n")
        #expect(try contents(of: errors).contains("line not sent: the text after the name is not JSON"))
    }

    @Test(
        "An event that requests an acknowledgement is marked, and answered by name or by a filter",
        arguments: ["socketio5", "socketio4"],
        [["--ack", #"test:question="yes" 2"#], ["--on", "payload = 5", "--ack", #""yes" 2"#]])
    func answers(peer: String, rule: [String]) throws {
        guard let (server, url) = try python(peer) else { return }
        defer { server.stop() }
        let file = try temporaryFolder() + "/a.weir"
        let rule =
            rule[0] == "--ack" ? rule : ["--on", #"event = "test:question" and payload[1] = 5"#] + rule.suffix(2)
        let live = try weir(
            ["tail", url, "--emit", "test:ask 5", "--emit-ack", "--record", file]
                + ["--until-match", #"type = emit and event = "test:ask" and payload[1] exists"#] + rule + Self.tail)
        #expect(live.status == 0, "\(live.errors)")
        #expect(live.output.contains("#1? ") || live.output.contains("#0? "), "\(live.output)")
        #expect(live.output.contains("✓") && live.output.contains(" answered"), "\(live.output)")
        #expect(live.output.contains(#"["yes",2]"#), "\(live.output)")
        let replayed = try weir("replay", file, "--speed", "max", "--time", "none")
        #expect(replayed.output == live.output, "\(replayed.errors)")
    }

    @Test func `an event triggers another, and the rate of a rule is limited`() throws {
        let (server, url) = try echo()
        defer { server.stop() }
        let once = try weir(
            ["tail", url, "--on", "event = auth", "--emit", "message 7", "--format", "raw", "--count", "2"] + Self.tail)
        #expect(once.output == "[\"auth\",{}]\n[\"message-back\",7]\n", "\(once.errors)")
        let loop = try weir(
            ["tail", url, "--emit", "message 0", "--on", #"event = "message-back""#, "--emit", "message 1"]
                + ["--count", "22"] + Self.tail)
        #expect(loop.status == 0, "\(loop.errors)")
        #expect(loop.errors.contains("'message' is due more than 20 times per second"), "\(loop.errors)")
    }

    @Test func `a running tail sends and answers for other processes`() throws {
        guard let (server, url) = try python("socketio5") else { return }
        defer { server.stop() }
        let environment = ["XDG_RUNTIME_DIR": try temporaryFolder(), "HOME": "/nonexistent"]
        let tail = try Peer(
            [
                try pathOfWeir(), "tail", url, "--backend", "socketio", "--name", "x", "--allow-emit", "--duration",
                "60s",
            ],
            environment: environment, errorsToo: true)
        defer { tail.stop() }
        while let line = tail.readLine(), !line.contains("connected") {}
        let run = try weir("emit", "--on", "x", "test:echo", "1", #"{"a":null}"#, environment: environment)
        #expect(run.status == 0 && run.output == #"[1,{"a":null}]"# + "\n", "\(run.errors)")
        let asking = try weir("ctl", "x", "emit", "event=test:ask", "arguments=5", environment: environment)
        #expect(asking.output == #"{"state":"sent"}"# + "\n", "\(asking.errors)")
        var mark = ""
        while let line = tail.readLine() {
            guard line.contains("test:question"), let id = line.firstMatch(of: /#(\d+)\?/)?.1 else { continue }
            mark = String(id)
            break
        }
        let answer = try weir("ctl", "x", "ack", "id=\(mark)", "arguments=[9]", environment: environment)
        #expect(answer.output == "{\"state\":\"sent\",\"ack\":\(mark)}\n", "\(answer.errors)")
        let again = try weir("ctl", "x", "ack", "id=\(mark)", environment: environment)
        #expect(again.output.contains(#""state":"refused""#), "\(again.output)\(again.errors)")
        let late = try weir("emit", "--on", "x", "nobody", "--timeout", "100ms", environment: environment)
        #expect(late.status == 8, "\(late.errors)")
    }

    @Test func `a running tail receives namespaces, binary data and values in their spelling`() throws {
        let (server, url) = try echo()
        defer { server.stop() }
        let folder = try temporaryFolder()
        let environment = ["XDG_RUNTIME_DIR": folder, "HOME": "/nonexistent"]
        let tail = try Peer(
            [
                try pathOfWeir(), "tail", url, "--backend", "socketio", "--name", "x", "--allow-emit", "--duration",
                "60s", "--namespace", "/", "--namespace", "custom",
            ],
            environment: environment)
        defer { tail.stop() }
        while let line = tail.readLine(), !line.contains("/custom") {}
        try writeFile(folder + "/a", [1, 2, 255])
        let run = try weir(
            "emit", "--on", "x", "--namespace", "custom", "message-with-ack", "@\(folder)/a", environment: environment)
        #expect(run.status == 0 && run.output == #"[{"base64":"AQL/","bytes":3}]"# + "\n", "\(run.errors)")
        try writeFile(folder + "/large", [UInt8](repeating: 7, count: 300_000))
        let large = try weir(
            "emit", "--on", "x", "message-with-ack", "@\(folder)/large", "--timeout", "30s", environment: environment)
        #expect(large.status == 0 && large.output.hasSuffix(#"","bytes":300000}]"# + "\n"), "\(large.errors)")
        try writeFile(folder + "/largest", [UInt8](repeating: 7, count: 12 << 20))
        let tooMuch = try weir(
            ["emit", "--on", "x", "message"] + Array(repeating: "@\(folder)/largest", count: 3),
            environment: environment)
        #expect(tooMuch.status == 2, "\(tooMuch.errors)")
        #expect(tooMuch.errors.contains(" bytes; the maximum is 45787820"), "\(tooMuch.errors)")
        let sent = try weir(
            "emit", "--on", "x", "--namespace", "/custom", "--no-ack", "message", "7", environment: environment)
        #expect(sent.status == 0, "\(sent.errors)")
        var back: String?
        while back == nil, let line = tail.readLine() { back = line.contains("message-back") ? line : nil }
        #expect(back?.contains("/custom") == true)
        let values = ["1.50", "12345678901234567890.5", #"{"\ud800":["\udfff",-0]}"#]
        let spelled = try weir(["emit", "--on", "x", "message-with-ack"] + values, environment: environment)
        #expect(spelled.output == "[" + values.joined(separator: ",") + "]\n", "\(spelled.errors)")
        let typed = try weir(
            "ctl", "x", "emit", "event=message-with-ack", "arguments=[1.50]", "wait=10s", environment: environment)
        #expect(typed.output.contains(#""answer":[1.50]"#), "\(typed.output)\(typed.errors)")
        let nowhere = try weir("emit", "--on", "x", "--namespace", "nowhere", "message", environment: environment)
        #expect(nowhere.status == 4 && nowhere.errors.contains("/nowhere is not joined"), "\(nowhere.errors)")
    }
}
