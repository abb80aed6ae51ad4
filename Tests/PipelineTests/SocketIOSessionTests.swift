import Testing
import WeirEvents
import WeirJSON
import WeirWire

@testable import WeirPipeline

/// Tests for namespaces and the auth object in a session of a Socket.IO server without a schema.
@Suite struct SocketIOSessionTests {
    private func opened(
        _ namespaces: [String], _ revision: EngineIO.Revision = .v4, auth: String? = nil
    ) -> Transcript {
        var transcript = Transcript(
            Configuration(backend: .socketio, namespaces: namespaces, revision: revision))
        transcript.feed(.opened(connection: transcript.connection, token: nil, auth: auth.map { Secret($0) }))
        transcript.receive(#"0{"sid":"s","upgrades":[],"pingInterval":25000,"pingTimeout":20000}"#)
        return transcript
    }

    private func events(_ transcript: Transcript) -> [String] {
        transcript.effects.compactMap {
            if case .report(.event(let event)) = $0 { "\(event.namespace) \(event.wireName)" } else { nil }
        }
    }

    private func isReady(_ transcript: Transcript) -> Bool {
        transcript.effects.contains { if case .report(.connection(.ready)) = $0 { true } else { false } }
    }

    @Test func `the auth object is sent to every namespace`() {
        let transcript = opened(["/a", "/b"], auth: #"{"t":1.50}"#)
        #expect(transcript.sent == [#"40/a,{"t":1.50}"#, #"40/b,{"t":1.50}"#])
    }

    @Test func `a session that cannot send the auth object with Engine.IO 3 reports it`() {
        var transcript = Transcript(Configuration(backend: .socketio, revision: .v3))
        transcript.feed(.opened(connection: 1, token: nil, auth: Secret("{}")))
        #expect(
            transcript.notices == [
                "the auth object is not sent: Engine.IO 3 can send it only in the query (--query NAME=env:NAME)"
            ])
    }

    @Test func `a session with several namespaces is ready when the last one is joined`() {
        var transcript = opened(["/a", "/"])
        transcript.receive(#"40/a,{"sid":"1"}"#)
        #expect(!isReady(transcript))
        transcript.receive(#"42/a,["early"]"#)
        #expect(events(transcript) == ["/a early"])
        transcript.receive(#"40{"sid":"2"}"#)
        #expect(isReady(transcript))
        transcript.receive(#"42["x"]"#)
        #expect(events(transcript) == ["/ x"])
    }

    @Test func `binary data is shown by its size, and inserted in the payload at its placeholder`() throws {
        var transcript = opened(["/"])
        transcript.receive(#"40{"sid":"1"}"#)
        transcript.receive(#"451-["photo",{"name":"a","data":{"_placeholder":true,"num":0}},[2]]"#)
        transcript.feed(.message(connection: transcript.connection, .binary([1, 2, 3])))
        let event = try #require(
            transcript.effects.compactMap { if case .report(.event(let event)) = $0 { event } else { nil } }.last)
        #expect(event.payload.description == #"["photo",{"name":"a","data":{"base64":"AQID","bytes":3}},[2]]"#)
        #expect(event.event.summary == #"photo {"name":"a","data":{"bytes":3}} [2]"#)
    }

    @Test func `a refused namespace is reported and leaves the others, and the last one ends the session`() {
        var transcript = opened(["/a", "/b", "/c"])
        transcript.receive(#"44/a,{"message":"no"}"#)
        #expect(transcript.notices == ["the namespace /a was refused: no"])
        #expect(transcript.ending == nil)
        transcript.receive(#"40/b,{"sid":"1"}"#)
        #expect(!isReady(transcript))
        transcript.receive(#"44/c,{"message":"never"}"#)
        #expect(isReady(transcript))
        var alone = opened(["/a", "/b"])
        alone.receive(#"44/a,{"message":"no"}"#)
        alone.receive(#"44/b,{"message":"never"}"#)
        #expect(alone.effects.contains { if case .close = $0 { true } else { false } })
        #expect(alone.ending == .refused("never"))
        var explained = opened(["/"])
        explained.receive(#"44{"message":"no","data":{"code":7}}"#)
        #expect(explained.ending == .refused(#"no {"code":7}"#))
    }

    @Test func `a recovered session reports how many missed events arrived`() {
        var transcript = opened(["/"])
        transcript.receive(#"40{"sid":"1","pid":"p"}"#)
        transcript.receive(#"42["x","Q7x1cUD"]"#)
        for missed in [2, 0] {
            transcript.cut()
            transcript.pass(.seconds(2))
            transcript.feed(.opened(connection: transcript.connection, token: nil))
            transcript.receive(#"0{"sid":"s2","upgrades":[],"pingInterval":25000,"pingTimeout":20000}"#)
            for number in 0..<missed { transcript.receive(#"42["x","Q7x1cV\#(number)"]"#) }
            transcript.receive(#"40{"sid":"1","pid":"p"}"#)
            #expect(transcript.notices.last == "the session was recovered: \(missed) missed events arrived")
        }
        #expect(transcript.gaps.isEmpty)
    }

    @Test func `events missed in one namespace are a gap, even when another namespace was recovered`() {
        var transcript = opened(["/a", "/b"])
        transcript.receive(#"40/a,{"sid":"1","pid":"p"}"#)
        transcript.receive(#"42/a,["x","Q7x1cUD"]"#)
        transcript.receive(#"40/b,{"sid":"2"}"#)
        transcript.cut()
        transcript.pass(.seconds(1))
        transcript.feed(.opened(connection: transcript.connection, token: nil))
        transcript.receive(#"0{"sid":"s2","upgrades":[],"pingInterval":25000,"pingTimeout":20000}"#)
        transcript.receive(#"40/a,{"sid":"1","pid":"p"}"#)
        transcript.receive(#"40/b,{"sid":"3"}"#)
        #expect(isReady(transcript))
        #expect(transcript.gaps.count == 1)
    }

    @Test func `events of Engine.IO 3's default namespace are neither shown in another one nor reported`() {
        var transcript = opened(["/a"], .v3)
        for _ in 0..<2 {
            transcript.receive("40")
            #expect(transcript.undecodable.isEmpty)
            transcript.receive(#"42["elsewhere"]"#)
            #expect(events(transcript).isEmpty && transcript.undecodable.isEmpty)
            transcript.receive("40/a")
            #expect(isReady(transcript))
            transcript.receive(#"42/a,["here"]"#)
            #expect(events(transcript) == ["/a here"])
            transcript.cut()
            transcript.pass(.seconds(1))
            transcript.feed(.opened(connection: transcript.connection, token: nil))
            transcript.receive(#"0{"sid":"s2","upgrades":[],"pingInterval":25000,"pingTimeout":20000}"#)
        }
    }
}
