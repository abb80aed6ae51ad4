import Testing
import WeirJSON
import WeirWire

struct PacketTests {
    /// The reference parser's own vectors (Socket.IO SIO-4), and some additional ones.
    @Test(arguments: [
        #"442["some","data""#, #"0/admin,"invalid""#, "0[]", "1/admin,{}", #"2/admin,"invalid"#, "2/admin,{}",
        #"2[{"toString":"foo"}]"#, #"2[true,"foo"]"#, #"2[null,"bar"]"#, #"2["connect"]"#, #"2["disconnect","123"]"#,
        "5", "51", "5a-", "51.23-", "999",
        "", "x", "2", "2[]", "2[[1]]", #"2["a",]"#, #"2["a"]x"#, #"2["a"] ["b"]"#, "3[]", "31", "31{}", "3-1[]",
        "511-[\"a\"]",
        "5-[\"a\"]", "5-1-[\"a\"]", "599999999999999999999-[\"a\"]", "299999999999999999999[\"a\"]", "6-1[]", "4[1]",
        "4true",
        #"2/admin["a"]"#, "1x", "2[\"\\u12g4\"]", "2[\"a\",01]", #"2["\u0063onnect"]"#,
    ])
    func `the decoder refuses malformed packets`(packet: String) {
        #expect(throws: SocketIO.Malformed.self, "\(packet)") {
            try SocketIO.Packet(parsing: ArraySlice(packet.utf8), revision: .v4)
        }
    }

    @Test(arguments: [
        (#"2["hello",1]"#, #"event / hello 1"#),
        (#"2/admin,456["project:delete",123]"#, "event /admin project:delete 123 ack 456"),
        ("2[1,\"foo\"]", #"event / 1 "foo""#),
        (#" 2["a"]"#.dropFirst().description, "event / a "),
        (#"2 [ "a" , { "b" : 1 } ] "#, #"event / a { "b" : 1 }"#),
        (#"2["caf\u00e9"]"#, "event / café "),
        (#"2["lone","\ud800 x \udfff"]"#, #"event / lone "\ud800 x \udfff""#),
        (#"2["\ud83d"]"#, #"event / \ud83d "#),
        (
            "2[\"big\",18446744073709552000,-9223372036854775809]",
            "event / big 18446744073709552000|-9223372036854775809"
        ),
        (
            "2[\"big\",1e400,\(String(repeating: "9", count: 400))]",
            "event / big 1e400|\(String(repeating: "9", count: 400))"
        ),
        (#"50-["x"]"#, "event / x "),
        (#"2/a?q=1,["x"]"#, "event /a?q=1 x "),
    ])
    func `the decoder accepts events`(packet: String, line: String) throws {
        let parsed = try SocketIO.Packet(parsing: ArraySlice(packet.utf8), revision: .v4)
        guard case .event(let event, attachments: 0) = parsed else {
            Issue.record("\(parsed)")
            return
        }
        #expect(event.line == line)
    }

    @Test func `the decoder counts attachments up to ten`() throws {
        let event = #"52-/admin,["baz",{"_placeholder":true,"num":0},{"_placeholder":true,"num":1}]"#
        #expect(try SocketIO.Packet(parsing: ArraySlice(event.utf8), revision: .v4).attachments == 2)
        let ack = #"61-15["bar",{"_placeholder":true,"num":0}]"#
        let parsed = try SocketIO.Packet(parsing: ArraySlice(ack.utf8), revision: .v4)
        #expect(
            parsed
                == .acknowledgement(
                    .init(id: 15, arguments: json(#"["bar",{"_placeholder":true,"num":0}]"#)), attachments: 1))
        #expect(try SocketIO.Packet(parsing: ArraySlice(#"510-["a"]"#.utf8), revision: .v4).attachments == 10)
    }

    @Test(arguments: ["0/custom", "0/custom,"])
    func `a missing comma after the namespace is accepted`(packet: String) throws {
        let parsed = try SocketIO.Packet(parsing: ArraySlice(packet.utf8), revision: .v3)
        #expect(parsed == .connect(namespace: "/custom", payload: nil))
        let left = try SocketIO.Packet(parsing: ArraySlice("1/custom".utf8), revision: .v4)
        #expect(left == .disconnect(namespace: "/custom"))
    }

    @Test func `arguments are slices of the frame, and no bytes are copied`() throws {
        let frame = Array(#"..42/n,5["name",{"k":[1,2]},"two",null].."#.utf8)
        let packet = frame[3..<frame.count - 2]
        let parsed = try SocketIO.Packet(parsing: packet, revision: .v4)
        guard case .event(let event, _) = parsed else {
            Issue.record("\(parsed)")
            return
        }
        #expect(event.array.bytes.indices == 8..<frame.count - 2)
        #expect(
            event.arguments.map(\.description) == [#"{"k":[1,2]}"#, #""two""#, "null"])
        #expect(event.argument(3) == nil)
        let isSlice = frame.withUnsafeBufferPointer { whole in
            event.array.bytes.withUnsafeBufferPointer { $0.baseAddress == whole.baseAddress.map { $0 + 8 } }
        }
        #expect(isSlice)
    }

    @Test func `seeded packets read back as written`() throws {
        var generator = RandomSource(seed: 2)
        for _ in 0..<5_000 {
            let packet = PacketGenerator.packet(using: &generator)
            let message = packet.message
            let engine = try EngineIO.Packet(parsing: message.bytes)
            #expect(engine.type == .message)
            #expect(engine.message == message)
            #expect(try SocketIO.Packet(parsing: engine.data, revision: .v4) == packet, "\(message.line)")
        }
    }

    @Test(arguments: EngineIO.PacketType.allCases)
    func `every engine packet type reads back as written`(type: EngineIO.PacketType) throws {
        let packet = EngineIO.Packet(type, data: ArraySlice("data é".utf8))
        #expect(try EngineIO.Packet(parsing: packet.message.bytes) == packet)
        #expect(packet.message.bytes.first == UInt8(ascii: "0") + type.rawValue)
    }
}

/// Generates packets and frames from a seed.
enum PacketGenerator {
    static func packet(using generator: inout RandomSource) -> SocketIO.Packet {
        let namespace = ["/", "/admin", "/a/b?c=1"].randomElement(using: &generator) ?? "/"
        let id = Bool.random(using: &generator) ? Int.random(in: 0...Int.max, using: &generator) : nil
        let attachments = Int.random(in: 0...3, using: &generator) == 0 ? Int.random(in: 1...10, using: &generator) : 0
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: return .connect(namespace: namespace, payload: Bool.random(using: &generator) ? json(#"{"a":1}"#) : nil)
        case 1: return .disconnect(namespace: namespace)
        case 2: return .connectError(namespace: namespace, payload: json(#""no""#))
        case 3:
            let arguments = values(using: &generator).joined(separator: ",")
            return .acknowledgement(
                .init(namespace: namespace, id: id ?? 0, arguments: json("[\(arguments)]")), attachments: attachments)
        default:
            return .event(event(namespace, id, using: &generator), attachments: attachments)
        }
    }

    static func event(_ namespace: String, _ id: Int?, using generator: inout RandomSource) -> SocketIO.Event {
        let name = ["a", "realtime:resource", "é😀", ""].randomElement(using: &generator) ?? "a"
        let elements = ["\"\(name)\""] + values(using: &generator)
        return SocketIO.Event(
            namespace: namespace, array: json("[\(elements.joined(separator: ","))]"), ackID: id)
    }

    static func values(using generator: inout RandomSource) -> [String] {
        let all = [
            "1", "-2.5e3", "null", "true", #""text, \"quoted\" \u00e9""#, #"{"k":[1,{"l":"😀"}]}"#, "[]", "[[],{}]",
        ]
        return (0..<Int.random(in: 0...4, using: &generator)).compactMap { _ in all.randomElement(using: &generator) }
    }
}
