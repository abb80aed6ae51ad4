import Testing
import WeirJSON
import WeirWire

/// Tests for binary events and acknowledgements: the assembler, lenient at the client and strict at the server.
struct AttachmentTests {
    private static let one = #"451-["b",{"_placeholder":true,"num":0}]"#

    /// A binary message in the format of `revision`.
    private static func wire(_ bytes: [UInt8], _ revision: EngineIO.Revision) -> WebSocketMessage {
        .binary((revision == .v3 ? [4] + bytes : bytes)[...])
    }

    @Test(arguments: EngineIO.Revision.allCases)
    func `an event is delivered after its last attachment, and num assigns each attachment`(
        revision: EngineIO.Revision
    ) throws {
        var client = ClientTranscript.joined(revision)
        let text = #"452-7["b",{"deep":[{"_placeholder":true,"num":1}]},{"num":0,"_placeholder":true},"x"]"#
        #expect(client.receive(text) == [])
        #expect(client.receive(Self.wire([1, 2], revision)) == [])
        var effects: [SocketIOClientMachine.Effect] = []
        client.machine.receive(Self.wire([3], revision), at: .zero, into: &effects)
        guard case .event(let event) = try #require(effects.first) else {
            Issue.record("\(effects)")
            return
        }
        #expect(event.ackID == 7)
        #expect(event.attachments.map(Array.init) == [[1, 2], [3]])
        #expect(event.attachment(for: try #require(event.argument(1))).map(Array.init) == [1, 2])
        #expect(event.attachment(for: json(#"{"_placeholder":true,"num":1}"#)).map(Array.init) == [3])
        for other in [#""x""#, #"{"num":0}"#, #"{"_placeholder":false,"num":0}"#, #"{"_placeholder":true,"num":2}"#] {
            #expect(event.attachment(for: json(other)) == nil)
        }
        #expect(client.receive(#"42["x"]"#) == ["event / x "])
    }

    @Test func `heartbeats may come between a text and its attachments`() {
        var client = ClientTranscript.joined(.v4)
        #expect(client.receive(Self.one) == [])
        #expect(client.receive("2") == ["send 3"])
        #expect(client.receive("6") == [])
        #expect(client.receive(.binary([9])) == [#"event / b {"_placeholder":true,"num":0} with [9]"#])
    }

    @Test func `attachments up to the total size limit are delivered, and one byte more is refused`() {
        var client = ClientTranscript.joined(.v4, maximumAttachments: 10)
        let two = #"452-["b",{"_placeholder":true,"num":0},{"_placeholder":true,"num":1}]"#
        #expect(client.receive(two) == [])
        #expect(client.receive(.binary([1, 2, 3, 4, 5])) == [])
        #expect(client.receive(.binary([6, 7, 8, 9, 0])).count == 1)
        #expect(client.receive(two) == [])
        #expect(client.receive(.binary([1, 2, 3, 4, 5])) == [])
        let refused = client.receive(.binary([6, 7, 8, 9, 0, 1]))
        #expect(refused.count == 1 && refused[0].contains("attachments of 11 bytes or more; the limit is 10"))
        #expect(client.receive(#"42["x"]"#) == ["event / x "])
    }

    @Test func `the remaining attachments of a packet with too large ones are skipped`() {
        var client = ClientTranscript.joined(.v4, maximumAttachments: 1)
        #expect(client.receive(#"453-["b",{"_placeholder":true,"num":0}]"#) == [])
        #expect(client.receive(.binary([1, 2])).count == 1)
        #expect(client.receive(.binary([3])) == [])
        #expect(client.receive(.binary([4])) == [])
        #expect(client.receive(#"42["x"]"#) == ["event / x "])
    }

    @Test func `attachments up to the count limit are delivered, and one more is refused and skipped`() {
        var client = ClientTranscript.joined(.v4, count: 1)
        #expect(client.receive(Self.one) == [])
        #expect(client.receive(.binary([9])).count == 1)
        let refused = client.receive(#"452-["b",{"_placeholder":true,"num":0},{"_placeholder":true,"num":1}]"#)
        #expect(refused.count == 1 && refused[0].contains("2 attachments; the limit is 1"))
        #expect(client.receive(.binary([1])) == [] && client.receive(.binary([2])) == [])
        #expect(client.receive(#"42["x"]"#) == ["event / x "])
    }

    @Test func `each placeholder is replaced by its attachment, and nothing else is`() {
        let array = #"["b",{"deep":[{"_placeholder":true,"num":1}]},{"num":0,"_placeholder":true},{"num":0},"x"]"#
        let event = SocketIO.Event(array: json(array), ackID: 7, attachments: [[1, 2, 3], []])
        let replaced = event.replacingAttachments { json("\($0.count)") }
        #expect(replaced.array.description == #"["b",{"deep":[0]},3,{"num":0},"x"]"#)
        #expect(replaced.ackID == 7 && replaced.attachments.isEmpty)
    }

    @Test func `an event with zero attachments is legal and delivered at once`() {
        var client = ClientTranscript.joined(.v4)
        #expect(client.receive(#"450-["none"]"#) == ["event / none "])
        var server = ServerTranscript.joined(.v4)
        #expect(server.receive(#"450-["none"]"#) == ["event / none "])
    }

    @Test(arguments: EngineIO.Revision.allCases)
    func `an acknowledgement may carry attachments in both directions`(revision: EngineIO.Revision) {
        var client = ClientTranscript.joined(revision)
        _ = client.emit("ask", nil, wantsAck: true)
        #expect(client.receive(#"461-0[{"_placeholder":true,"num":0}]"#) == [])
        #expect(
            client.receive(Self.wire([5], revision)) == [#"acknowledged 0 [{"_placeholder":true,"num":0}] with [5]"#])

        var arguments = SocketIO.Arguments()
        arguments.append(json("true"))
        arguments.append(binary: [7, 8])
        let lines = client.run {
            $0.acknowledge(3, arguments: arguments.array, attachments: arguments.attachments, into: &$1)
        }
        #expect(
            lines == [
                #"send 461-3[true,{"_placeholder":true,"num":0}]"#, "send \(Self.wire([7, 8], revision).line)",
            ])
    }

    @Test func `arguments built from bytes contain placeholders in order`() {
        var arguments = SocketIO.Arguments()
        #expect(arguments.list == nil)
        #expect(arguments.array.description == "[]")
        let nested = arguments.attach([1])
        arguments.append(json(#"{"a":\#(nested)}"#))
        arguments.append(binary: [2])
        arguments.append(json("3"))
        #expect(
            arguments.list?.description
                == #"{"a":{"_placeholder":true,"num":0}},{"_placeholder":true,"num":1},3"#)
        #expect(arguments.attachments == [[1], [2]])
    }

    @Test(arguments: EngineIO.Revision.allCases)
    func `an event emitted before the connect answer keeps its attachments`(revision: EngineIO.Revision) {
        var client = ClientTranscript(revision)
        _ = client.receive(openPacket)
        var arguments = SocketIO.Arguments()
        arguments.append(binary: [1])
        #expect(
            client.run {
                $0.emit("b", arguments: arguments.list, attachments: arguments.attachments, into: &$1)
            } == [])
        _ = client.emit("after")
        #expect(
            client.receive(revision == .v3 ? "40" : #"40{"sid":"s"}"#).dropFirst() == [
                #"send 451-["b",{"_placeholder":true,"num":0}]"#, "send \(Self.wire([1], revision).line)",
                #"send 42["after"]"#,
            ])
    }

    @Test(arguments: [
        (#"451-["b",{"_placeholder":true,"num":1}]"#, 1, "a placeholder without its attachment"),
        (#"452-["b",[{"_placeholder":true,"num":-1}]]"#, 2, "a placeholder without its attachment"),
        (#"451-["b",{"x":{"_placeholder":true}}]"#, 1, "a placeholder without its attachment"),
        (#"451-["b",{"_placeholder":true,"num":0.5}]"#, 1, "a placeholder without its attachment"),
        (#"4511-["b"]"#, 11, "11 attachments; the limit is 10"),
        (#"451-["connect"]"#, 1, "an event with a reserved name"),
        (#"451-["b""#, 1, "the event is not the JSON it should be: the text ends too early"),
    ])
    func `the client skips a malformed packet and the attachments it announced`(
        frame: String, attachments: Int, why: String
    ) {
        var client = ClientTranscript.joined(.v4)
        let lines = client.receive(frame)
        #expect(lines.count == 1 && lines[0].hasPrefix("malformed at ") && lines[0].hasSuffix(why), "\(lines)")
        for _ in 0..<attachments { #expect(client.receive(.binary([1])) == []) }
        #expect(client.receive(.binary([1])) == ["malformed at 0: a binary frame that belongs to no packet"])
        #expect(client.receive(Self.one) == [])
        #expect(client.receive(.binary([1])).count == 1)
    }

    @Test func `the client does not wait for missing attachments of a refused packet`() {
        var client = ClientTranscript.joined(.v4)
        #expect(client.receive(#"4511-["b"]"#).count == 1)
        #expect(client.receive(#"42["hello"]"#) == ["event / hello "])
    }

    @Test func `a text message while attachments are due ends the client's connection`() {
        var client = ClientTranscript.joined(.v4)
        #expect(client.receive(Self.one) == [])
        #expect(client.receive(#"42["x"]"#) == ["close outOfStep at 0: a text message while attachments are due"])
        #expect(client.receive(.binary([1])) == [])
        #expect(client.machine.deadline == nil)
    }

    @Test func `a close within a binary event leaves nothing for the next machine`() {
        var client = ClientTranscript.joined(.v4)
        #expect(client.receive(Self.one) == [])
        #expect(client.run { $0.socketClosed(into: &$1) } == [])
        #expect(client.receive(.binary([1])) == [])
        client = ClientTranscript.joined(.v4)
        #expect(client.receive(#"42["hello"]"#) == ["event / hello "])
    }

    @Test(
        arguments: [
            [.text(one), .text(#"42["x"]"#)], [.binary([1])], [.text(#"451-["b",{"_placeholder":true,"num":1}]"#)],
            [.text(#"4511-["b"]"#)], [.text(one), .binary([1]), .binary([2])],
        ] as [[WebSocketMessage]])
    func `the server closes on each of these frames, as the reference does`(frames: [WebSocketMessage]) {
        var server = ServerTranscript.joined(.v4)
        let lines = frames.flatMap { server.receive($0) }
        #expect(lines.last?.hasPrefix("close ") == true, "\(lines)")
        #expect(server.machine.deadline == nil)
    }

    @Test(arguments: EngineIO.Revision.allCases)
    func `the server receives and sends attachments in its namespaces`(revision: EngineIO.Revision) {
        var server = ServerTranscript.joined(revision)
        _ = server.receive("40/admin,")
        #expect(server.receive(#"451-/admin,4["b",{"_placeholder":true,"num":0}]"#) == [])
        #expect(
            server.receive(Self.wire([1, 2, 3], revision)) == [
                #"event /admin b {"_placeholder":true,"num":0} ack 4 with [1, 2, 3]"#
            ])
        var arguments = SocketIO.Arguments()
        arguments.append(binary: [9])
        let emitted = server.run {
            $0.emit(
                "b", arguments: arguments.list, attachments: arguments.attachments, namespace: "/admin",
                wantsAck: true, into: &$1)
        }
        #expect(
            emitted == [
                #"send 451-/admin,0["b",{"_placeholder":true,"num":0}]"#, "send \(Self.wire([9], revision).line)",
            ])
        let answered = server.run {
            $0.acknowledge(
                4, arguments: arguments.array, attachments: arguments.attachments, namespace: "/admin", into: &$1)
        }
        #expect(
            answered == [
                #"send 461-/admin,4[{"_placeholder":true,"num":0}]"#, "send \(Self.wire([9], revision).line)",
            ])
    }

    @Test(arguments: [(EngineIO.Revision.v3, "b4AQID"), (.v4, "bAQID")])
    func `an attachment may come as base64 in a text frame`(revision: EngineIO.Revision, frame: String) {
        var client = ClientTranscript.joined(revision)
        #expect(client.receive(Self.one) == [])
        #expect(client.receive(frame) == [#"event / b {"_placeholder":true,"num":0} with [1, 2, 3]"#])
        #expect(client.receive("b?") == ["malformed at 0: a binary packet that is not base64"])
    }

    @Test func `a binary frame of revision 3 begins with its type`() {
        var client = ClientTranscript.joined(.v3)
        #expect(client.receive(.binary([7, 1])) == ["malformed at 0: a binary packet that is not a message"])
        var server = ServerTranscript.joined(.v3)
        #expect(server.receive(.binary([7, 1])).first?.hasPrefix("close ") == true)
    }
}
