import Glibc
import Testing
import TestSupport
import WeirNetwork
import WeirThreads
import WeirWire

/// Tests a tail that misses more messages than it catches up with, from the lost connection to the history that fills
/// the hole.
@Suite(.serialized, .timeLimit(.minutes(3))) struct CatchUpRunTests {
    /// A backend on which only the test acts, a tail of it through a relay, and the means to control both.
    private final class Stage {
        let folder: String
        let environment: [String: String]
        /// The lines that the tail has printed.
        private(set) var lines: [String] = []
        private let backend: Peer
        private let relay: Peer
        private let tail: Peer
        private let url: String
        private let control: String
        private let token: Secret
        private let loop: EventLoop
        private let http: HTTPClient

        init(_ kind: String) throws {
            folder = try temporaryFolder()
            let world = [
                #"{"do":"team","company":"Tidewater","workspace":"Harbour"}"#,
                #"{"do":"user","as":"ana","username":"ana","first":"Ana","last":"Lima","me":true}"#,
                #"{"do":"create_channel","as":"team","by":"ana","name":"Team","default":true}"#,
                #"{"do":"post","by":"ana","in":"team","text":"before"}"#,
            ]
            try writeFile(folder + "/world.jsonl", world.joined(separator: "\n") + "\n")
            let scenario = kind == "groupme" ? kind : folder + "/world.jsonl"
            backend = try Peer([try pathOfWeir(), "serve", "--scenario", scenario, "--seed", "4", "--quiet"])
            url = String(try backend.readLine(startingWith: "url ").dropFirst(4))
            token = Secret(String(try backend.readLine(startingWith: "token ").dropFirst(6)))
            relay = try Peer(["python3", "\(peersFolder)/tcp_relay.py", "\(try URLParts(parsing: url).port)"])
            control = String(try relay.readLine(startingWith: "control ").dropFirst(8))
            environment = ["T": token.reveal(), "XDG_RUNTIME_DIR": folder, "XDG_STATE_HOME": folder]
            tail = try Peer(
                [
                    try pathOfWeir(), "tail", "http://127.0.0.1:\(try relay.listeningPort())", "--backend", kind,
                    "--token", "env:T", "--name", "t", "--store", "none", "--catch-up", "1", "--format", "json",
                    "--quiet", "--record", folder + "/tail.weir.jsonl",
                ], environment: environment)
            loop = try EventLoop(name: "weir-catch-up")
            http = try HTTPClient(answeringOn: loop)
        }

        deinit {
            tail.stop()
            relay.stop()
            backend.stop()
            http.shutDown()
            loop.shutDown()
        }

        /// Reads the tail's output up to a line with all these words, and returns that line.
        @discardableResult
        func line(with words: String...) throws -> String {
            while let line = tail.readLine() {
                lines.append(line)
                if words.allSatisfy({ line.contains($0) }) { return line }
            }
            return try #require(nil as String?, "the tail ended before it printed \(words)")
        }

        /// Ends the tail cleanly and returns its exit code.
        func end() -> Int32 {
            kill(tail.pid, SIGTERM)
            while let line = tail.readLine() { lines.append(line) }
            return tail.wait()
        }

        /// Sends a command to the relay: `refuse` or `accept`.
        func network(_ command: String) async throws {
            try await ask(HTTPRequest(url: try URLParts(parsing: "http://127.0.0.1:\(control)/\(command)")))
        }

        /// Posts a request to the backend, bypassing the relay.
        func post(_ path: String, _ body: String) async throws {
            let headers = [("Content-Type", "application/json"), ("X-Access-Token", token.reveal())]
            try await ask(
                HTTPRequest(
                    method: "POST", url: try URLParts(parsing: url + path), headers: headers, bearer: token,
                    body: Array(body.utf8)))
        }

        private func ask(_ request: HTTPRequest) async throws {
            let answer = await withCheckedContinuation { continuation in
                _ = http.send(request) { continuation.resume(returning: $0) }
            }
            try #require(200..<300 ~= (try answer.get()).status)
        }
    }

    /// The tail reads two pages of Twake's messages, or one of GroupMe's, with 39 and 100 messages.
    @Test(arguments: [("twake", 60, nil), ("groupme", 130, 30)] as [(String, Int, Int?)])
    func `missed messages are shown, recorded and replayed as a hole until the room's history is fetched`(
        backend: String, missed: Int, leftOut: Int?
    ) async throws {
        let stage = try Stage(backend)
        let joined = try stage.line(
            with: #""change":"joined""#, backend == "twake" ? #"/feed""# : #""/group/10000001""#)
        let room = String(try #require(joined.firstMatch(of: /"room":"([^"]+)"/)).1)
        let names = room.split(separator: "/").map(String.init)
        let place = backend == "twake" ? names[5] : names[1]
        try stage.line(with: #""op":"insert","section":"messages","parent":"\#(place)""#)

        try await stage.network("refuse")
        for number in 1...missed {
            if backend == "twake" {
                let channel =
                    #"{"type":"channel","id":"\#(place)","company_id":"\#(names[1])","workspace_id":"\#(names[3])"}"#
                try await stage.post(
                    "/internal/services/messages/v1/companies/\(names[1])/threads",
                    #"{"resource":{"participants":[\#(channel)]},"options":{"message":{"text":"missed \#(number)"}}}"#)
            } else {
                try await stage.post(
                    "/v3/groups/\(place)/messages",
                    #"{"message":{"source_guid":"g\#(number)","text":"missed \#(number)"}}"#)
            }
        }
        try await stage.network("accept")

        let gap = try stage.line(with: #""type":"gap""#, #""cause":"catch_up""#)
        let hole = try #require(
            gap.firstMatch(of: /"hole":(\{.*"from":([0-9]+),"to":([0-9]+)(?:,"count":([0-9]+))?\})/), "\(gap)")
        #expect(hole.1.hasPrefix(#"{"section":["messages","\#(place)"],"#))
        #expect(try #require(Int(hole.2)) < #require(Int(hole.3)))
        let count = hole.4.flatMap { Int($0) }
        // GroupMe's simulated users also post.
        if let leftOut { #expect(count ?? 0 >= leftOut, "\(gap)") } else { #expect(count == nil, "\(gap)") }
        let row = #""section":"holes","parent":null,"kind":"hole","id":"\#(place)""#
        #expect(try stage.line(with: #""op":"insert",\#(row)"#).contains(#""fields":\#(hole.1)"#))

        let history = try weir("rooms", "history", room, "--on", "t", "--json", environment: stage.environment)
        #expect(history.status == 0, "\(history.errors)")
        #expect(history.output.split(separator: "\n").count { $0.contains(#""text":"missed "#) } == missed)
        try stage.line(with: #""op":"delete",\#(row)"#)
        #expect(stage.end() == 143)

        let file = stage.folder + "/tail.weir.jsonl"
        let recorded = String(decoding: try readFile(file), as: UTF8.self)
        let record = try #require(recorded.split(separator: "\n").first { $0.contains(#""why":"catch_up""#) })
        #expect(record.contains(#""did":["missing: messages of \#(place) from "#), "\(record)")

        let replay = ["replay", file, "--speed", "max", "--no-ctl"]
        // A lost message is a loss (code 3), even if it is fetched later.
        let again = try weir(replay + ["--format", "json", "--quiet"])
        #expect(again.status == 3)
        #expect(again.output == stage.lines.joined(separator: "\n") + "\n")
        let plain = try weir(replay)
        #expect(plain.status == 3)
        let lost = count.map { "\($0) lost" } ?? "loss cannot be counted"
        let channel = place.count == 36 ? "#Team" : "#Family"
        #expect(plain.output.contains(" than is fetched, \(lost); missing: \(channel) from "))
        #expect(plain.output.contains(" (weir rooms history fetches them)\n"))
        for sign in ["+", "-"] { #expect(plain.output.contains("  \(sign) hole  \(channel)")) }
        #expect(plain.errors.contains("  gaps         2, \(count.map { "at least \($0) lost" } ?? "loss unknown"), "))
    }
}
