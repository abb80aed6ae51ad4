import Testing
import WeirJSON
import WeirWire

/// Tests for events that are decoded before the client processes their messages
/// (`SocketIO.Event.plainArray`, `SocketIOClientMachine.takesPlainEvent`).
struct PlainEventTests {
    private static let frames = [
        #"42["a"]"#, #"42["a",1]"#, #"42["realtime:resource",{"b":[1,2,"é\u00e9"]},null]"#, #"42["é",1]"#,
        #"42["a" ,1]"#, #"42[ "a",1]"#, #"42["a",1] "#, #"42["a\u0062",1]"#, "42[5,1]", #"42/b,["a",1]"#,
        #"4213["a",1]"#, "2", "4", #"42["message",1]"#, #"42["connect",1]"#, #"42["disconnect"]"#,
        #"42["newListener",1]"#, "42", "42[]", "42[\"", "42[\"]", #"42["a"x]"#, #"42["a"1]"#, #"42["a",]"#,
        #"42["a",1]]"#, #"42["a",{"b":1]"#, #"42["a",01]"#, #"42["a","\u{1}"]"#, #"42["a","\ud800",1e400]"#,
        #"42["a","\u12g4"]"#, #"42["a"]["b"]"#, #"42["a",nope]"#, "42[\"a\",\"\u{7}\"]",
        #"451-["a",{"_placeholder":true,"num":0}]"#, #"42["between",1]"#,
    ]

    private static func isJSON(_ text: ArraySlice<UInt8>) -> Bool {
        var reader = JSONReader(text.span)
        return (try? reader.skip()) != nil && (try? reader.end()) != nil
    }

    private func client(_ revision: EngineIO.Revision) -> ClientTranscript {
        var client = ClientTranscript(
            SocketIOClientMachine.Configuration(revision: revision, namespaces: [.init("/"), .init("/b")]))
        _ = client.receive(openPacket)
        for answer in revision == .v3 ? ["40", "40/b,"] : [#"40{"sid":"s"}"#, #"40/b,{"sid":"s"}"#] {
            _ = client.receive(answer)
        }
        return client
    }

    @Test(arguments: [EngineIO.Revision.v3, .v4])
    func `an event decoded early equals the event that the client decodes itself`(revision: EngineIO.Revision) {
        var plain = 0
        for frame in Self.frames {
            var told = client(revision)
            var asked = client(revision)
            guard let array = SocketIO.Event.plainArray(of: ArraySlice(frame.utf8)), Self.isJSON(array) else {
                continue
            }
            plain += 1
            let isHeard = told.machine.takesPlainEvent(at: ms(0))
            #expect(isHeard, "\(frame)")
            var effects: [SocketIOClientMachine.Effect] = []
            asked.machine.receive(.text(frame), at: ms(0), into: &effects)
            guard case .event(let received)? = effects.first, effects.count == 1 else {
                Issue.record("\(frame) brings more than an event")
                continue
            }
            #expect(received == SocketIO.Event(array: RawJSON(unchecked: array)))
        }
        #expect(plain == 8)
    }

    @Test func `no event is decoded early before the join or between a packet and its attachments`() {
        var machine = SocketIOClientMachine(SocketIOClientMachine.Configuration(revision: .v4), openedAt: .zero)
        var hearing = [machine.takesPlainEvent(at: ms(0))]
        var effects: [SocketIOClientMachine.Effect] = []
        for text in [openPacket, #"40{"sid":"s"}"#, #"451-["a",{"_placeholder":true,"num":0}]"#] {
            machine.receive(.text(text), at: ms(0), into: &effects)
            hearing.append(machine.takesPlainEvent(at: ms(0)))
        }
        #expect(hearing == [false, false, true, false])
    }
}
