import Testing
import TestSupport
import WeirJSON

@testable import WeirSocketIO

/// A client against the house's own server.
@Suite(.timeLimit(.minutes(2))) struct SocketIOClientTests {
    struct Point: Codable, Equatable {
        var x: Int
        var y: Double?
        var tags: [String] = []
    }

    @Test func `emits, requests and reads typed values`() async throws {
        try await withServer { server in
            let client = SocketIOClient(server.url, auth: ["token": "t"])
            let welcomes = client.events(named: "welcome")
            let said = client.events(named: "said")
            let points = client.events(named: "said", as: Point.self)
            try await client.connect()
            for await welcome in welcomes {
                #expect(welcome[0] == ["token": "t"])
                break
            }
            try await client.emit("say", Point(x: 1, y: 2.5), "two", 3)
            for await event in said {
                let (point, text, number) = try event.decode(Point.self, String.self, Int.self)
                #expect(point == Point(x: 1, y: 2.5))
                #expect((text, number) == ("two", 3))
                #expect("\(event)" == #""said"({"x":1,"y":2.5,"tags":[]}, "two", 3)"#)
                break
            }
            for try await point in points {
                #expect(point.x == 1)
                break
            }
            let answer: Point = try await client.request("echo", Point(x: 7, tags: ["a"]))
            #expect(answer == Point(x: 7, tags: ["a"]))
            let all = try await client.request("echo", ["room": "a", "limit": 5, "deep": [nil, true, 1.5]])
            #expect(all.values == [["room": "a", "limit": 5, "deep": [nil, true, 1.5]]])
            let nothing: Int? = try await client.request("echo")
            #expect(nothing == nil)
            await client.disconnect()
        }
    }

    @Test func `each sequence gets the events it names, until the connection ends`() async throws {
        try await withServer { server in
            let client = SocketIOClient(server.url)
            let all = client.events()
            let ticks = client.events(named: "tick", bound: 1)
            let same = client.events(named: "tick", bound: 1)
            try await client.connect()
            let _: Int = try await client.request("flood", 3)
            let _: String = try await client.request("say", "end")
            await client.disconnect()
            var names: [String] = []
            for await event in all { names.append(event.name) }
            #expect(names == ["welcome", "tick", "tick", "tick", "said"])
            for sequence in [ticks, same] {
                var numbers: [Int] = []
                for await tick in sequence { numbers.append(try tick.decode(Int.self)) }
                #expect(numbers == [0, 1, 2])
            }
            for await event in client.events() { Issue.record("\(event) after the end") }
        }
    }

    @Test func `binary values travel in both directions, at any depth`() async throws {
        struct File: Codable, Equatable {
            var name: String
            var parts: [SocketIOBinary]
        }
        try await withServer { server in
            let client = SocketIOClient(server.url)
            let said = client.events(named: "said")
            try await client.connect()
            let file = File(name: "a", parts: [SocketIOBinary([1, 2]), SocketIOBinary([])])
            let answer = try await client.request("say", SocketIOBinary([9]), file)
            let (first, second) = try answer.decode(SocketIOBinary.self, File.self)
            #expect(first.bytes == [9])
            #expect(second == file)
            for await event in said {
                let binary = try event.decode(SocketIOBinary.self)
                #expect(binary.bytes == [9])
                break
            }
            #expect(throws: DecodingError.self) { try SocketIOArguments("text").decode(SocketIOBinary.self) }
            await client.disconnect()
        }
    }

    @Test func `a client answers the server's question once its connection allows`() async throws {
        try await withServer { server in
            let client = SocketIOClient(server.url)
            let questions = client.events(named: "question")
            let answered = client.events(named: "answered", as: [JSONValue].self)
            try await client.connect()
            try await client.emit("ask")
            var kept: SocketIOEvent?
            for await question in questions {
                #expect(question.wantsAcknowledgement)
                try await question.acknowledge("because", 1)
                kept = question
                break
            }
            for try await answer in answered {
                #expect(answer == ["because", 1])
                break
            }
            await client.disconnect()
            try await client.connect()
            await #expect(throws: SocketIOError.disconnected) { try await kept?.acknowledge() }
            await client.disconnect()
        }
    }

    @Test func `namespaces have their own credentials and events, and can be refused`() async throws {
        try await withServer { server in
            let client = SocketIOClient(server.url)
            try await client.connect()
            let refusal = SocketIOError.refused(namespace: "/admin", message: "not an admin", data: nil)
            await #expect(throws: refusal) { _ = try await client.join("/admin") }
            await #expect(throws: SocketIOError.notConnected) { try await client.namespace("admin").emit("x") }
            let here = client.events(named: "said")
            let there = client.namespace("admin").events(named: "said")
            let admin = try await client.join("/admin", auth: ["token": "secret"])
            let _: String = try await admin.request("say", "there")
            let _: String = try await client.request("say", "here")
            for (sequence, text) in [(here, "here"), (there, "there")] {
                for await event in sequence {
                    #expect(event[0]?.string == text)
                    break
                }
            }
            await admin.leave()
            await #expect(throws: SocketIOError.notConnected) { try await admin.emit("x") }
            let still: Int = try await client.request("echo", 1)
            #expect(still == 1)
            await client.disconnect()
        }
    }

    @Test func `states show how a lost connection comes back, and an event waits for it`() async throws {
        try await withServer { server in
            var options = SocketIOOptions()
            options.reconnectDelay = .milliseconds(10)
            let client = SocketIOClient(server.url, options: options)
            let states = client.states
            try await client.connect()
            var seen: [String] = []
            for await state in states {
                switch state {
                case .connecting: seen.append("connecting")
                case .joined:
                    seen.append("joined")
                    if seen.count == 2 { server.cut() }
                case .waiting(_, .lost):
                    seen.append("waiting")
                    try await client.emit("late")
                case .refused, .removed, .malformed, .waiting: Issue.record("\(state)")
                case .ended(let error): #expect(error == nil)
                }
                if seen.filter({ $0 == "joined" }).count == 2 { break }
            }
            #expect(seen == ["connecting", "joined", "waiting", "connecting", "joined"])
            await server.log.wait { $0.contains("late") }
            await client.disconnect()
            for await state in states { #expect(state == .ended(nil)) }
        }
    }

    @Test func `a client that was removed returns, unless its options forbid that`() async throws {
        try await withServer { server in
            var options = SocketIOOptions()
            options.reconnectDelay = .milliseconds(10)
            let returning = SocketIOClient(server.url, options: options)
            try await returning.connect()
            let removals = returning.states
            try await returning.emit("kick")
            for await state in removals { if case .removed = state { break } }
            let answer: Int = try await returning.request("echo", 1)
            #expect(answer == 1)
            await returning.disconnect()

            options.returnsAfterRemoval = false
            let leaving = SocketIOClient(server.url, options: options)
            let states = leaving.states
            try await leaving.connect()
            try await leaving.emit("kick")
            var last: SocketIOState?
            for await state in states { last = state }
            #expect(last == .ended(.removed))
            await #expect(throws: SocketIOError.notConnected) { try await leaving.emit("x") }
        }
    }

    @Test func `credentials are made for each attempt`() async throws {
        try await withServer { server in
            let client = SocketIOClient(server.url) { ["token": "fresh"] }
            let welcomes = client.events(named: "welcome")
            try await client.connect()
            for await welcome in welcomes {
                #expect(welcome[0]?["token"] == "fresh")
                break
            }
            await client.disconnect()
            let failing = SocketIOClient(server.url) { throw SocketIOError.timeout }
            await #expect(throws: SocketIOError.cannotConnect("no credentials: no answer in time", status: nil)) {
                try await failing.connect()
            }
        }
    }
}
