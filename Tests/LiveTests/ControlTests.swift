import Glibc
import Testing
import TestSupport
import WeirJSON
import WeirNetwork
import WeirPipeline
import WeirThreads
import WeirWire

@testable import WeirLive
@testable import WeirViews

@Suite(.serialized) struct ControlTests {
    private func ask(_ path: String, _ request: String) throws -> JSONValue {
        let answer = try LocalSocketClient.ask(path: path, line: Array(request.utf8))
        return try JSONValue(parsing: answer[...])
    }

    private func number(_ value: JSONValue?) -> Int64 { if case .integer(let number)? = value { number } else { -1 } }

    private func states(_ answer: JSONValue) -> [String: String] {
        guard case .array(let rooms) = answer["result"] else { return [:] }
        var states: [String: String] = [:]
        for room in rooms {
            if case .string(let name) = room["room"], case .string(let state) = room["state"] { states[name] = state }
        }
        return states
    }

    @Test(.enabled(if: environment("socketio5") != nil, "python-socketio is not installed: run Tests/run"))
    func `rooms of a running tail are listed, joined and left through its socket`() async throws {
        let server = try PythonServer(try #require(environment("socketio5")))
        defer { server.stop() }
        let watcher = Watcher()
        let path = try temporaryFolder() + "/t.sock"
        let tail = try tail(port: server.port, rooms: ["/a"], watcher: watcher) { $0.controlPath = path }
        async let summary = tail.run()
        await watcher.reports.wait { $0.rooms(.joined) == ["/a"] }
        #expect(states(try ask(path, #"{"jsonrpc":"2.0","id":1,"method":"rooms.list"}"#)) == ["/a": "joined"])
        _ = try ask(path, #"{"jsonrpc":"2.0","id":2,"method":"rooms.join","params":{"rooms":["/b"]}}"#)
        await watcher.reports.wait { $0.rooms(.joined) == ["/a", "/b"] }
        let left = try ask(path, #"{"jsonrpc":"2.0","id":3,"method":"rooms.leave","params":{"rooms":["/a"]}}"#)
        #expect(states(left) == ["/a": "leaving"], "what became of the rooms that were asked about")
        #expect(left["id"] == .integer(3))
        await watcher.reports.wait { $0.rooms(.left) == ["/a"] }
        #expect(states(try ask(path, #"{"jsonrpc":"2.0","id":4,"method":"rooms.list"}"#)) == ["/b": "joined"])
        let unknown = try ask(path, #"{"jsonrpc":"2.0","id":"x","method":"run","params":{"command":"id"}}"#)
        #expect(unknown["error"]?["code"] == .integer(-32601))
        let nonsense = try ask(path, "hello")
        #expect(nonsense["error"]?["code"] == .integer(-32700))
        tail.stop()
        #expect(try await summary.outcome == .interrupted(signal: 0))
    }

    @Test func `Check 8: a room is joined from another shell in less than a second, as confirmed by the server`()
        async throws
    {
        _ = try await ControlledTail.run { path, _, watcher in try await joinAgain(path, watcher) }
    }

    private func joinAgain(_ path: String, _ watcher: Watcher) async throws {
        let reports = await watcher.reports.wait { $0.rooms(.joined).contains { $0.hasSuffix("/feed") } }
        let room = try #require(reports.rooms(.joined).first { $0.hasSuffix("/feed") })
        _ = try call(path, "rooms.leave", #"{"rooms":["\#(room)"]}"#)
        await watcher.reports.wait { $0.rooms(.left).contains(room) }
        let joined = watcher.reports.all.rooms(.joined).filter { $0 == room }.count
        let began = ContinuousClock.now
        _ = try call(path, "rooms.join", #"{"rooms":["\#(room)"]}"#)
        await watcher.reports.wait { reports in reports.rooms(.joined).filter { $0 == room }.count > joined }
        #expect(ContinuousClock.now - began < .seconds(1))
        #expect(states(try answer(path, #"{"method":"rooms.list"}"#))[room] == "joined")
    }

    @Test func `the filter of a running tail is read, set, narrowed and restored, and an invalid one changes nothing`()
        async throws
    {
        let filter = ViewFilter()
        _ = try await ControlledTail.run {
            $0.filter = filter
        } _: { path, _, _ in
            _ = try call(path, "filter.set", #"{"filter":"kind = message"}"#)
            #expect(filter.text == "kind = message")
            let narrowed = try call(path, "filter.push", #"{"filter":"size > 1K"}"#)
            #expect(narrowed["pushed"] == .integer(1))
            #expect(filter.text.contains("kind = message") && filter.text.contains("size"))
            let wrong = try answer(path, #"{"method":"filter.set","params":{"filter":"kinf = message"}}"#)
            #expect(wrong["error"]?["code"] == .integer(-32602))
            #expect(filter.text.contains("size"), "as it was")
            let earlier = try call(path, "filter.pop")
            #expect(earlier["filter"] == .string("kind = message") && earlier["pushed"] == .integer(0))
            #expect(try answer(path, #"{"method":"filter.pop"}"#)["error"]?["code"] == .integer(-32002))
            _ = try call(path, "filter.set")
            #expect(try call(path, "filter.get")["filter"] == .string(""))
        }
    }

    @Test func `the socket reports the tail's identity, status and statistics`() async throws {
        _ = try await ControlledTail.run { path, _, watcher in
            await watcher.reports.wait { $0.events.count > 3 }
            let hello = try call(path, "hello")
            #expect(hello["tool"] == .string("weir-test") && hello["protocol"] == .integer(1))
            #expect(hello["kind"] == .string("tail") && hello["name"] == .string("t"))
            let methods = ControlMethod.of(.tail).map { JSONValue.string($0.rawValue) }
            #expect(hello["methods"] == .array(methods))
            let status = try call(path, "status")
            #expect(status["state"] == .string("ready") && status["pid"] == .integer(Int64(getpid())))
            #expect(number(status["rooms"]?["joined"]) > 3)
            let stats = try call(path, "stats")
            #expect(number(stats["events"]) > 3 && number(stats["records"]) > number(stats["events"]))
            #expect(stats["connections"] == .integer(1))
            #expect(stats["clients"] == .integer(1))
        }
    }

    @Test func `a failed request is counted once`() {
        var counts = TailEngine.Counts()
        for (id, why) in [(1, nil), (2, "timeout"), (3, "HTTP 503")] {
            counts.requests.asked(id, at: .zero)
            counts.requests.answered(id, failure: why, at: .zero + .milliseconds(id))
        }
        counts.requests.asked(4, at: .zero)
        counts.requests.asked(5, at: .zero)
        counts.requests.cancelled(5)
        #expect(counts.statistics.first { $0.name == "requests" }?.count == 3)
        let told = Summary().lines(requests: counts.requests).last
        #expect(
            told
                == "  requests     3 answered, p50 2ms, p99 3ms, 2 of them failed (1 timeout, 1 HTTP 503), 1 without an answer yet"
        )
    }

    @Test func `a client makes the tail reconnect, and the gap is reported`() async throws {
        let (watcher, summary) = try await ControlledTail.run { path, _, watcher in
            let done = try call(path, "reconnect")
            #expect(done == .bool(true))
            await watcher.reports.wait { $0.gaps.count == 1 && $0.count { $0.isReady } == 2 }
        }
        #expect(watcher.reports.all.gaps.map(\.cause) == [.reconnect])
        #expect(summary.gaps == 1)
    }

    @Test
    func
        `the data waiting for a client that does not read is limited, and it learns how much it lost once it reads`()
        throws
    {
        let loop = try EventLoop(name: "weir-control")
        defer { loop.shutDown() }
        let clients = Mailbox<UInt>()
        let path = try temporaryFolder() + "/t.sock"
        let identity = ControlService.Identity(server: .tail, tool: "weir-test", name: "t")
        let service = try ControlService(on: loop, path: path, identity) { call in
            clients.put(call.client)
            return .done
        }
        defer { service.close() }
        let slow = try LocalSocketStream(path: path)
        func read() throws -> JSONValue {
            try JSONValue(parsing: #require(try slow.readLine(timeout: .seconds(20)))[...])
        }
        try slow.send(Array(#"{"method":"status"}"#.utf8))
        #expect(try read()["result"] == .bool(true))
        let client = try clients.first()
        let told = Mailbox<(isTaken: Bool, waiting: Int)>()
        let text = String(repeating: "x", count: 1 << 16)
        @Sendable func tell() {
            let isTaken = service.notify(client, "news") { writer in
                writer.key("text")
                writer.string(text)
            }
            told.put((isTaken, service.peer(client)?.pendingBytes ?? 0))
        }
        // Within one turn of the loop nothing is written.
        loop.run { for _ in 0..<40 { tell() } }
        let all = told.wait { $0.count == 40 }
        #expect(all.map(\.isTaken) == Array(repeating: true, count: 16) + Array(repeating: false, count: 24))
        let most = ControlService.mostWaiting + (all.first?.waiting ?? 0)
        #expect(all.allSatisfy { $0.waiting <= most }, "the limit, and one thing")
        for _ in 0..<16 { #expect(try read()["method"] == .string("news")) }
        let lost = try read()
        #expect(lost["method"] == .string("lost") && lost["params"]?["count"] == .integer(24))
        loop.run { tell() }
        #expect(try read()["method"] == .string("news"), "and it goes on")
    }

    @Test func `a client sets a mark in the recording and ends the tail cleanly`() async throws {
        let file = try temporaryFolder() + "/a.weir.jsonl"
        let (_, summary) = try await ControlledTail.run {
            $0.recordPath = file
        } _: { path, _, watcher in
            let marked = try call(path, "mark", #"{"label":"deploy \u001b[31m"}"#)
            let quit = try call(path, "quit")
            #expect(marked == .bool(true) && quit == .bool(true))
        }
        #expect(summary.outcome == .limitReached)
        let text = String(decoding: try readFile(file), as: UTF8.self)
        #expect(text.contains(#""k":"mark""#) && text.contains(#"deploy \u001b[31m"#) && text.contains(#""k":"end""#))
    }
}

extension StampedReport {
    fileprivate var isReady: Bool { if case .connection(.ready) = report { true } else { false } }
}

/// Tests refetches that a client requests.
@Suite(.serialized, .timeLimit(.minutes(3))) struct RefetchByControlTests {
    private func resources(_ value: JSONValue) -> [String] {
        guard case .array(let names)? = value["resources"] else { return [] }
        return names.compactMap { if case .string(let name) = $0 { name } else { nil } }
    }

    @Test func `a client refetches a room, a resource or everything, and a replay makes the same requests`()
        async throws
    {
        let file = try temporaryFolder() + "/a.weir.jsonl"
        _ = try await ControlledTail.run {
            $0.recordPath = file
        } _: { path, _, watcher in
            let joined = await watcher.reports.wait { $0.rooms(.joined).contains { $0.hasSuffix("/feed") } }
            let room = try #require(joined.rooms(.joined).first { $0.hasSuffix("/feed") })
            let all = resources(try call(path, "refetch"))
            let named = resources(try call(path, "refetch", #"{"rooms":["\#(room)"]}"#))
            #expect(named.contains { $0.hasPrefix("messages of ") } && named.allSatisfy(all.contains))
            let one = try #require(named.first)
            #expect(resources(try call(path, "refetch", #"{"resources":["\#(one)"]}"#)) == [one])
            let near = try refusal(path, "refetch", #"{"resources":["\#(one)x"]}"#)
            #expect(near.code == -32002 && near.message.contains("did you mean '\(one)'"))
            #expect(try refusal(path, "refetch", #"{"rooms":["/nowhere"]}"#).code == -32002)
            #expect(try refusal(path, "refetch", #"{"rooms":["/[/"]}"#).code == -32602)
        }
        let text = String(decoding: try readFile(file), as: UTF8.self)
        #expect(text.contains(#""act":"refetch""#))
        var configuration = ReplayConfiguration([file])
        configuration.verifies = true
        #expect(try Replay(configuration, outlets: []).play().outcome == .limitReached)
    }
}
