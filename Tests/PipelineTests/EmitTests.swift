import Testing
import WeirEvents
import WeirJSON
import WeirWire

@testable import WeirPipeline

/// Tests for events that the user sends to the server, and for their outcomes.
@Suite struct EmitTests {
    private func ready(_ namespaces: [String] = ["/"]) -> Transcript {
        var transcript = Transcript(Configuration(backend: .socketio, namespaces: namespaces, revision: .v4))
        connect(&transcript, namespaces)
        return transcript
    }

    private func connect(_ transcript: inout Transcript, _ namespaces: [String] = ["/"]) {
        transcript.feed(.opened(connection: transcript.connection, token: nil))
        transcript.receive(#"0{"sid":"s","upgrades":[],"pingInterval":25000,"pingTimeout":20000}"#)
        for name in namespaces { transcript.receive(name == "/" ? #"40{"sid":"t"}"# : "40\(name),{\"sid\":\"t\"}") }
    }

    /// Passes an emit to the session as a tail does.
    private func say(_ emit: Emit, in transcript: inout Transcript) {
        var emit = emit
        let isMeant = transcript.session.prepare(&emit)
        #expect(isMeant)
        transcript.feed(.emit(emit))
    }

    private func arguments(_ texts: String..., binary: [UInt8]? = nil) -> SocketIO.Arguments {
        var arguments = SocketIO.Arguments()
        for text in texts { arguments.append(RawJSON(unchecked: ArraySlice(text.utf8))) }
        if let binary { arguments.append(binary: binary[...]) }
        return arguments
    }

    private func outcomes(_ transcript: Transcript) -> [EmitReport.Outcome] {
        transcript.effects.compactMap { if case .report(.emit(let report)) = $0 { report.outcome } else { nil } }
    }

    @Test func `an event may have any number of arguments, a namespace and attachments`() {
        var transcript = ready(["/", "/a"])
        say(Emit("join", arguments(#""room""#, "1.50", #"{"a":"\ud800"}"#)), in: &transcript)
        #expect(transcript.sent == [#"42["join","room",1.50,{"a":"\ud800"}]"#])
        #expect(outcomes(transcript) == [.sent])
        say(Emit("x", namespace: "/a"), in: &transcript)
        #expect(transcript.sent == [#"42/a,["x"]"#])
        say(Emit("up", arguments("1", binary: [1, 2])), in: &transcript)
        #expect(transcript.sent.first == #"451-["up",1,{"_placeholder":true,"num":0}]"#)
        #expect(transcript.effects.contains { if case .send(_, .binary) = $0 { true } else { false } })
    }

    @Test func `the acknowledgement reports its latency, and only to the event that requested one`() {
        var transcript = ready()
        say(Emit("a", patience: .seconds(5)), in: &transcript)
        say(Emit("b", patience: .seconds(5)), in: &transcript)
        #expect(transcript.sent == [#"421["b"]"#])
        transcript.pass(.milliseconds(12))
        transcript.receive(#"431[{"ok":true}]"#)
        guard case .report(.emit(let report))? = transcript.effects.first else {
            Issue.record("no report")
            return
        }
        #expect(report.name == "b" && report.ackID == 1 && report.duration == .milliseconds(12))
        #expect(report.outcome == .answered(.init(id: 1, arguments: RawJSON(unchecked: #"[{"ok":true}]"#.utf8Slice))))
        transcript.receive(#"431[]"#)
        #expect(outcomes(transcript).isEmpty)
        transcript.idle(5)
        #expect(transcript.session.acks.asked.isEmpty)
    }

    @Test func `binary data in an acknowledgement is inserted at its placeholder`() {
        var transcript = ready()
        say(Emit("a", patience: .seconds(5)), in: &transcript)
        transcript.receive(#"461-0[{"_placeholder":true,"num":0}]"#)
        transcript.feed(.message(connection: transcript.connection, .binary([1, 2, 3])))
        guard case .answered(let answer)? = outcomes(transcript).first else {
            Issue.record("no answer")
            return
        }
        #expect(answer.whole.arguments.description == #"[{"base64":"AQID","bytes":3}]"#)
        #expect(answer.sized.arguments.description == #"[{"bytes":3}]"#)
    }

    @Test func `an acknowledgement that is late, or cut off by the end of the connection, is reported`() {
        var transcript = ready()
        say(Emit("late", patience: .seconds(2)), in: &transcript)
        say(Emit("lost", patience: .seconds(60)), in: &transcript)
        transcript.pass(.seconds(2))
        #expect(outcomes(transcript) == [.timedOut])
        transcript.cut()
        #expect(outcomes(transcript) == [.lost(why: "the connection ended first")])
    }

    @Test func `an event that cannot be sent is refused`() {
        var transcript = Transcript(Configuration(backend: .socketio, revision: .v4))
        say(Emit("x"), in: &transcript)
        #expect(outcomes(transcript) == [.refused(why: "no connection for sending it")])
        transcript = ready()
        say(Emit("connect"), in: &transcript)
        #expect(outcomes(transcript) == [.refused(why: "the name is reserved by Socket.IO")])
        say(Emit("x", namespace: "/other", patience: .seconds(1)), in: &transcript)
        #expect(outcomes(transcript) == [.refused(why: "the namespace /other is not joined")])
        #expect(transcript.sent.isEmpty)
    }

    @Test func `an event that requests an acknowledgement is answered once`() {
        var transcript = ready(["/", "/a"])
        transcript.receive(#"427["ask","x"]"#)
        transcript.receive(#"42/a,7["other"]"#)
        say(Emit(answering: 7, arguments("1", "[2]"), namespace: "/a"), in: &transcript)
        #expect(transcript.sent == ["43/a,7[1,[2]]"])
        guard case .report(.emit(let report))? = transcript.effects.last else {
            Issue.record("no report")
            return
        }
        #expect(report.name == "other" && report.isAnswer && report.ackID == 7)
        var again = Emit(answering: 7, arguments(), namespace: "/a")
        #expect(!transcript.session.prepare(&again))
        transcript.cut()
        var late = Emit(answering: 7, arguments())
        #expect(!transcript.session.prepare(&late))
    }

    @Test func `the oldest of too many unanswered events are forgotten`() {
        var book = AckBook()
        for id in 0...AckBook.limit { book.note(.init(namespace: "/", id: id), "x") }
        #expect(book.unanswered.count == AckBook.limit)
        #expect(book.unanswered[.init(namespace: "/", id: 0)] == nil)
    }

    @Test func `a session that joins later uses the same acknowledgement id`() {
        var transcript = ready()
        for name in ["a", "b", "c"] { say(Emit(name, patience: .seconds(5)), in: &transcript) }
        var emit = Emit("d", patience: .seconds(5))
        _ = transcript.session.prepare(&emit)
        #expect(emit.ackID == 3)
        var other = ready()
        other.feed(.emit(emit))
        #expect(other.sent == [#"423["d"]"#])
        emit.ackID = .max
        other.feed(.emit(emit))
        #expect(other.sent == [#"424["d"]"#], "no such id")
    }

    @Test func `an emit reads back as written`() throws {
        var emit = Emit(
            "join \"x\"", arguments("1.50", #"{"a":[]}"#, binary: [0, 255]), namespace: "/a", patience: .seconds(3))
        (emit.id, emit.ackID) = (4, 2)
        for emit in [emit, Emit(answering: 5, arguments("null")), Emit("x")] {
            var writer = JSONWriter()
            emit.encode(into: &writer)
            #expect(Emit(try RawJSON(checking: writer.bytes[...])) == emit)
        }
        #expect(Emit(RawJSON(unchecked: "[]".utf8Slice)) == nil)
    }

    @Test func `on a channel exactly one value is published, without an acknowledgement`() {
        var transcript = Transcript(Configuration(backend: .groupme))
        transcript.feed(.opened(connection: transcript.connection, token: Secret("t")))
        say(Emit("x", arguments("1", "2")), in: &transcript)
        #expect(outcomes(transcript) == [.refused(why: "on a channel one JSON value is published")])
        say(Emit("/group/*", arguments("1")), in: &transcript)
        #expect(outcomes(transcript) == [.refused(why: "not a channel for publishing (write /group/10000001)")])
    }
}

extension String {
    fileprivate var utf8Slice: ArraySlice<UInt8> { ArraySlice(utf8) }
}
