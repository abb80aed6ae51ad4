import JSONText
import Testing
import Wire

/// A client whose consumer checks events by reading them (`SocketIOClient.receiveEvent`).
struct UncheckedEventTests {
    private func client(_ revision: EngineIO.Revision) -> ClientTranscript {
        var client = ClientTranscript(
            SocketIOClient.Configuration(revision: revision, namespaces: [.init("/"), .init("/b")]))
        _ = client.receive(openPacket)
        for answer in revision == .v3 ? ["40", "40/b,"] : [#"40{"sid":"s"}"#, #"40/b,{"sid":"s"}"#] {
            _ = client.receive(answer)
        }
        return client
    }

    private static let frames = [
        #"42["a"]"#, #"42["a",1]"#, #"42["realtime:resource",{"b":[1,2,"é\u00e9"]},null]"#, #"42["é",1]"#,
        #"42["a" ,1]"#,
        #"42[ "a",1]"#, #"42["a",1] "#, #"42["a\u0062",1]"#, "42[5,1]", #"42/b,["a",1]"#, #"4213["a",1]"#, "2", "4",
        #"42["message",1]"#, #"42["connect",1]"#, #"42["disconnect"]"#, #"42["newListener",1]"#,
        "42", "42[]", "42[\"", "42[\"]", #"42["a"x]"#, #"42["a"1]"#, #"42["a",]"#, #"42["a",1]]"#, #"42["a",{"b":1]"#,
        #"42["a",01]"#, #"42["a","\u{1}"]"#, #"42["a","\ud800",1e400]"#, #"42["a","\u12g4"]"#, #"42["a"]["b"]"#,
        #"42["a",nope]"#,
        "42[\"a\",\"\u{7}\"]",
        #"451-["a",{"_placeholder":true,"num":0}]"#, #"42["between",1]"#,
    ]

    @Test(arguments: [EngineIO.Revision.v3, .v4])
    func `every frame is told of as by a client that checks, at the latest when it is asked`(
        revision: EngineIO.Revision
    ) {
        var checking = client(revision)
        var trusting = client(revision)
        var unchecked = 0
        for frame in Self.frames {
            let effects = trusting.effects(of: frame)
            unchecked += effects.count { if case .event(let event) = $0 { !event.isChecked } else { false } }
            #expect(effects.map(\.asIfChecked.line) == checking.receive(frame), "\(frame)")
        }
        #expect(unchecked > 10)
    }

    @Test func `an event that was made of a message beforehand is heard where the message would be`() {
        for frame in Self.frames {
            var asked = client(.v4)
            var told = client(.v4)
            let event = SocketIO.Event(plain: .text(frame))
            let isHeard = event != nil && told.machine.hearsEvent(at: ms(0))
            let answer = asked.machine.receiveEvent(.text(frame), at: ms(0))
            #expect((answer != nil) == isHeard, "\(frame)")
            if let event {
                #expect(event.plainMessage == .text(frame))
                #expect("42\(event.array)" == frame)
            }
        }
        #expect(SocketIO.Event(array: RawJSON(unchecked: ArraySlice(#"["a"]"#.utf8))).plainMessage == nil)
        #expect(SocketIO.Event(plain: .binary(ArraySlice(#"42["a"]"#.utf8))) == nil)
    }

    @Test func `an event is not heard before its namespace is joined`() {
        var machine = SocketIOClient(SocketIOClient.Configuration(revision: .v4), openedAt: .zero)
        var hearing = [machine.hearsEvent(at: ms(0))]
        var effects: [SocketIOClient.Effect] = []
        for text in [openPacket, #"40{"sid":"s"}"#] {
            machine.receive(.text(text), at: ms(0), into: &effects)
            hearing.append(machine.hearsEvent(at: ms(0)))
        }
        #expect(hearing == [false, false, true])
    }

    @Test func `any cut of an event is told of as by a client that checks`() {
        let frame = #"42["realtime:resource",{"id":"é😀\n","list":[1.5e3,{"a":[]},true]},"]"]"#
        var checking = client(.v4)
        var trusting = client(.v4)
        for count in 0...frame.unicodeScalars.count {
            let cut = String(String.UnicodeScalarView(frame.unicodeScalars.prefix(count)))
            #expect(trusting.effects(of: cut).map(\.asIfChecked.line) == checking.receive(cut), "\(cut)")
        }
    }

    @Test func `an event that proves to be no JSON has the arguments before the place of the error`() {
        var trusting = client(.v4)
        guard case .event(let event) = trusting.effects(of: #"42["a",1,[2],x,3]"#).first else {
            Issue.record("no event")
            return
        }
        #expect(event.name == "a" && event.isNamed("a") && !event.isNamed("b"))
        #expect(event.arguments.map(\.description) == ["1", "[2]"])
        #expect(event.malformation?.offset == 13)
    }
}

extension ClientTranscript {
    fileprivate mutating func effects(of text: String) -> [SocketIOClient.Effect] {
        if let event = machine.receiveEvent(.text(text), at: ms(0)) { return [.event(event)] }
        var effects: [SocketIOClient.Effect] = []
        machine.receive(.text(text), at: ms(0), into: &effects)
        return effects
    }
}

extension SocketIOClient.Effect {
    fileprivate var asIfChecked: SocketIOClient.Effect {
        guard case .event(let event) = self, let malformation = event.malformation else { return self }
        return .malformed(malformation)
    }
}
