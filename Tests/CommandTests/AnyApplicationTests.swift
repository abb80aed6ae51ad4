import Glibc
import Testing
import TestSupport

/// Follows the page "Look into any Socket.IO application" literally.
@Suite struct AnyApplicationTests {
    /// Returns the steps of the page's Chainlit part, or of the rest.
    private static func steps(ofChainlit: Bool) throws -> DocumentedSteps {
        let page = String(
            decoding: try readFile(packageFolder + "/Sources/WeirLive/WeirLive.docc/AnySocketIOApplication.md"),
            as: UTF8.self)
        let end = try #require(page.firstRange(of: "### Another application: Chainlit"))
        let part = ofChainlit ? page[end.lowerBound...] : page[..<end.lowerBound]
        return DocumentedSteps(of: part)
    }

    @Test(.enabled(if: environment("nicegui") != nil, "NiceGUI is not installed: run Tests/run"))
    func `each step of the page works with NiceGUI as described`() throws {
        let port = try freePort()
        let python = try #require(environment("nicegui")) + "/bin/python"
        let peer = try Peer([python, peersFolder + "/nicegui_app.py", "not-guessed", "\(port)"], errorsToo: true)
        defer { peer.stop() }
        try peer.readLine(startingWith: "listening")
        peer.drain()
        let steps = try Self.steps(ofChainlit: false)
        #expect(steps.list.count == 6)
        try steps.follow(port: port)
    }

    private static func hasChainlit() -> Bool { environment("chainlit") != nil || getenv("WEIR_LONG") != nil }

    /// Starts the application in `chainlit_app.py`.
    private func chainlit(port: UInt16) throws -> Peer {
        let program = try #require(environment("chainlit")) + "/bin/chainlit"
        let folder = try temporaryFolder()
        let peer = try Peer(
            ["env", "-C", folder, program, "run", peersFolder + "/chainlit_app.py", "--headless", "--port", "\(port)"],
            environment: ["HOME": folder], errorsToo: true)
        while let line = peer.readLine(), !line.contains("Your app is available") {}
        peer.drain()
        return peer
    }

    // The long run requires Chainlit: there the test fails and is not skipped.
    @Test(.enabled(if: hasChainlit(), "Chainlit is not installed: run WEIR_LONG=1 Tests/run"))
    func `each step of the page's Chainlit part works as described`() throws {
        let port = try freePort()
        let peer = try chainlit(port: port)
        defer { peer.stop() }
        let steps = try Self.steps(ofChainlit: true)
        #expect(steps.list.count == 1)
        try steps.follow(port: port)
    }

    @Test(.enabled(if: hasChainlit(), "Chainlit is not installed: run WEIR_LONG=1 Tests/run"))
    func `a profile is inferred from Chainlit's traffic, and its edited form gives events kinds and the model rows`()
        throws
    {
        let port = try freePort()
        let peer = try chainlit(port: port)
        defer { peer.stop() }
        let folder = try temporaryFolder()
        func words(_ text: String, _ id: Int) -> String {
            #"{"id":"8e83ee1a-97d2-4695-a7be-7ff5bbf6ac0\#(id)","threadId":"","name":"User","createdAt":"2026-01-02T03:04:05Z","type":"user_message","output":"\#(text)"}"#
        }
        func tail(_ server: [String], greeted: String, told: String) throws -> CommandResult {
            try weir(
                ["tail", "http://127.0.0.1:\(port)", "--store", "none", "--no-ctl", "--duration", "60s"] + server + [
                    "--ack", "ask=" + words("Ana", 1), "--on", greeted, "--emit",
                    #"client_message {"message": \#(words("good morning", 2)), "fileReferences": []}"#,
                    "--until-match", told,
                ])
        }
        let raw = try tail(
            [
                "--backend", "socketio", "--path", "/ws/socket.io", "--auth",
                #"{"clientType": "webapp", "sessionId": "s1", "userEnv": "{}"}"#, "--record", folder + "/a.weir.jsonl",
                "--emit", "connection_successful",
            ], greeted: "event = new_message and payload.output ~ /^Hello/", told: "payload.output ~ /^You said/")
        #expect(raw.status == 0, "\(raw.errors)")
        let inferred = try weir("profile", "infer", folder + "/a.weir.jsonl")
        #expect(inferred.output.contains("  path: /ws/socket.io/"), "\(inferred.output)\(inferred.errors)")
        try writeFile(folder + "/inferred.yaml", inferred.output)
        let check = try weir("profile", "check", folder + "/inferred.yaml", "--against", folder + "/a.weir.jsonl")
        #expect(check.status == 0 && check.output.contains("new_message"), "\(check.output)\(check.errors)")

        let sample = packageFolder + "/samples/profiles/chainlit.yaml"
        let typed = try tail(
            ["--profile", sample, "--record", folder + "/b.weir.jsonl"],
            greeted: "kind = message and payload.output ~ /^Hello/",
            told: "kind = message and payload.output ~ /^You said/")
        #expect(typed.status == 0, "\(typed.errors)")
        for line in [
            "+ message", "  What is your name?", "  Hello Ana", "  You said: good morning", "+ step", "  on_message",
            "question",
        ] {
            #expect(typed.output.contains(line), "\(line) is not in \(typed.output)")
        }
        let kinds = try weir("profile", "check", sample, "--against", folder + "/b.weir.jsonl")
        #expect(!kinds.output.contains("no rule") && !kinds.output.contains("unreadable"), "\(kinds.output)")
    }
}
