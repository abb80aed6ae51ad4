import Testing
import TestSupport
import WeirJSON
import WeirNetwork
import WeirWire

/// A row of the table: a name, a condition on the lane, and the steps.
struct Scenario: Sendable {
    var name: String
    var isFor: @Sendable (Lane) -> Bool
    var run: @Sendable (Stage) async throws -> Void

    init(
        _ name: String, isFor: @escaping @Sendable (Lane) -> Bool = { _ in true },
        run: @escaping @Sendable (Stage) async throws -> Void
    ) {
        self.name = name
        self.isFor = isFor
        self.run = run
    }

    static let table: [Scenario] =
        basics + binary + namespaces + deliveries + reconnects + [
            Scenario(
                "a session that polls first is on its WebSocket after a while", isFor: { $0.transport == .upgrade }
            ) {
                stage in
                let client = try await Client.joined(stage)
                // The upgrade continues during the traffic. Each round trip lets it make progress.
                var trips = 0
                while await !client.isOnWebSocket, trips < 2_000 {
                    _ = try await client.ask(.init("message-with-ack", arguments: json("\(trips)")))
                    trips += 1
                }
                #expect(await client.isOnWebSocket)
                #expect(try await client.ask(.init("message-with-ack", arguments: json("1"))).trees == [.integer(1)])
                await client.end()
            }
        ]
}

// MARK: - Events and acknowledgements

extension Scenario {
    private static let basics = [
        Scenario("a client joins, is told its ids, and leaves in order") { stage in
            let client = try await Client.joined(stage)
            let joined = try #require(client.events.all.joins.first)
            #expect(joined.namespace == "/")
            #expect(!joined.handshake.sid.isEmpty)
            #expect((joined.id != nil) == (stage.lane.revision == .v4))
            #expect(joined.id != joined.handshake.sid)
            await client.end()
            #expect(client.events.all.ending == .requested)
            #expect(client.events.all.attempts == [1])
        },
        Scenario(
            "text comes back as it was: UTF-8, astral characters, escapes, lone surrogates, depth, numbers of any size"
        ) { stage in
            let client = try await Client.joined(stage)
            let text =
                #"{"é":"€ 😀 \u0000 \u001e \"\\ /","deep":[[[{"a":[null,true,false,-1.5e3,12]}]]]},"two",3,"\ud800 x \udfff",18446744073709552000,-9223372036854775809"#
            client.emit(.init("message", arguments: json(text)))
            let told = await client.waits { !$0.received("message-back").isEmpty }
            #expect(told.received("message-back").first?.values == (try tree("[\(text)]").elements))
            await client.end()
        },
        Scenario("an acknowledgement brings its arguments, none and several") { stage in
            let client = try await Client.joined(stage)
            #expect(try await client.ask(.init("message-with-ack")).trees == [])
            let answer = try await client.ask(.init("message-with-ack", arguments: json(#"1,"ü",[2]"#)))
            let expected: [JSONValue] = [.integer(1), .string("ü"), .array([.integer(2)])]
            #expect(answer.trees == expected)
            await client.end()
        },
        Scenario("five hundred events keep their order, more than one body holds") { stage in
            let client = try await Client.joined(stage)
            client.on { connection in
                for number in 0..<500 { connection.emit(.init("message", arguments: json("\(number)"))) }
            }
            let told = await client.waits { $0.received("message-back").count >= 500 }
            #expect(told.received("message-back").map(\.values) == numbers(500))
            #expect(told.malformed.isEmpty)
            await client.end()
        },
        Scenario("a long message goes both ways: three hundred thousand bytes, where the server takes them") { stage in
            let client = try await Client.joined(stage)
            // python-engineio over aiohttp reads only the part of a POST body that arrived at once.
            let isShort = stage.lane.isPython && stage.lane.transport != .websocket
            let long = String(repeating: "0123456789", count: isShort ? 1_000 : 30_000)
            let answer = try await client.ask(.init("message-with-ack", arguments: json("\"\(long)\"")))
            #expect(answer.trees == [.string(long)])
            await client.end()
        },
        Scenario("a client that stopped reading is given everything, in order, when it reads again") { stage in
            let client = try await Client.joined(stage)
            client.on { connection in
                for number in 0..<200 { connection.emit(.init("message", arguments: json("\(number)"))) }
                connection.setReading(false)
                connection.setReading(true)
                connection.emit(.init("message", arguments: json("200")))
            }
            let told = await client.waits { $0.received("message-back").count >= 201 }
            #expect(told.received("message-back").map(\.values) == numbers(201))
            await client.end()
        },
        Scenario("the server asks for an acknowledgement and is given it", isFor: \.isPython) { stage in
            let client = try await Client.joined(stage)
            client.emit(.init("test:ask", arguments: json("41"), ack: .unlimited))
            let question = try #require(
                await client.waits { !$0.received("test:question").isEmpty }.received("test:question").first)
            client.on { connection in
                var arguments = SocketIO.Arguments()
                arguments.append(json("42"))
                connection.acknowledge(question, with: arguments)
            }
            let told = await client.waits { $0.contains { if case .acknowledged = $0 { true } else { false } } }
            for case .acknowledged(let answer) in told { #expect(answer.trees == [.integer(42)]) }
            await client.end()
        },
    ]
}

// MARK: - Binary

extension Scenario {
    private static let binary = [
        Scenario("bytes come back in an event, alone, nested and several, each where it was") { stage in
            let client = try await Client.joined(stage)
            var arguments = SocketIO.Arguments()
            arguments.append(binary: [0, 1, 2, 255])
            let inner = arguments.attach([4])
            arguments.append(json(#"{"list":[1,\#(inner)],"x":null}"#))
            // python-socketio 4 does not treat empty bytes as an attachment.
            arguments.append(binary: stage.lane.server == .python4 ? [5] : [])
            arguments.append(json("\"text\""))
            client.emit(.init("message", arguments))
            let told = await client.waits { !$0.received("message-back").isEmpty }
            let event = try #require(told.received("message-back").first)
            try checkBytes(event.arguments) { event.attachment(for: $0) }
            await client.end()
        },
        Scenario("bytes come back in an acknowledgement") { stage in
            let client = try await Client.joined(stage)
            var arguments = SocketIO.Arguments()
            arguments.append(binary: [0, 1, 2, 255])
            let inner = arguments.attach([4])
            arguments.append(json(#"{"list":[1,\#(inner)],"x":null}"#))
            // python-socketio 4 does not treat empty bytes as an attachment.
            arguments.append(binary: stage.lane.server == .python4 ? [5] : [])
            arguments.append(json("\"text\""))
            let answer = try await client.ask(.init("message-with-ack", arguments))
            try checkBytes(answer.values) { answer.attachment(for: $0) }
            await client.end()
        },
        Scenario("text and binary events keep their order") { stage in
            let client = try await Client.joined(stage)
            client.on { connection in
                for number in 0..<50 {
                    var arguments = SocketIO.Arguments()
                    arguments.append(json("\(number)"))
                    if number % 2 == 1 { arguments.append(binary: [UInt8(number)]) }
                    connection.emit(.init("message", arguments))
                }
            }
            let events = await client.waits { $0.received("message-back").count >= 50 }.received("message-back")
            for (number, event) in events.enumerated() {
                #expect(event.values.first == .integer(Int64(number)))
                let bytes: [[UInt8]] = event.attachments.map { Array($0) }
                let sent: [[UInt8]] = number % 2 == 1 ? [[UInt8(number)]] : []
                #expect(bytes == sent)
            }
            await client.end()
        },
        Scenario("bytes that the server thought of arrive", isFor: \.isPython) { stage in
            let client = try await Client.joined(stage)
            client.emit(.init("test:binary"))
            let told = await client.waits { !$0.received("test:binary").isEmpty }
            let bytes: [[UInt8]]? = told.received("test:binary").first?.attachments.map { Array($0) }
            #expect(bytes == [[1, 2, 3], [4, 5]])
            await client.end()
        },
    ]

    private static func checkBytes(
        _ values: [RawJSON], _ attachment: (RawJSON) -> ArraySlice<UInt8>?
    ) throws {
        try #require(values.count == 4)
        #expect(attachment(values[0]).map { Array($0) } == [0, 1, 2, 255] as [UInt8])
        let list = try #require(try JSONValue(parsing: values[1].bytes)["list"]?.elements)
        #expect(list.first == .integer(1))
        let number = try #require(list.last?["num"])
        guard case .integer(let index) = number else {
            Issue.record("\(number)")
            return
        }
        #expect(attachment(json(#"{"_placeholder":true,"num":\#(index)}"#)).map { Array($0) } == [4] as [UInt8])
        let last = attachment(values[2]).map { Array($0) }
        #expect(last == [] || last == [5])
        #expect(values[3].description == "\"text\"")
    }
}

/// Returns the arguments of `count` events, numbered from 0.
private func numbers(_ count: Int) -> [[JSONValue]] {
    (0..<count).map { number -> [JSONValue] in [.integer(Int64(number))] }
}

extension JSONValue {
    /// The elements of an array, or `nil` for any other value.
    var elements: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }
}
