import Testing
import WeirWire

/// A transport machine with its effects as lines. Requests and WebSockets are numbered.
private struct TransportTranscript {
    var machine: EngineIOServerTransport

    /// Creates a server with one polling session.
    init(_ revision: EngineIO.Revision = .v4, isBase64: Bool = false, maxPayload: Int = 1_000) {
        machine = EngineIOServerTransport(
            EngineIOServerTransport.Configuration(revision: revision, isBase64: isBase64, maxPayload: maxPayload))
    }

    /// A session upgraded to WebSocket 1.
    static func upgraded() -> TransportTranscript {
        var session = TransportTranscript()
        _ = session.open(1)
        _ = session.receive("2probe", on: 1)
        _ = session.receive("5", on: 1)
        return session
    }

    mutating func get(_ request: Int) -> [String] { run { $0.poll(.init(request), into: &$1) } }

    mutating func post(_ request: Int, _ body: String, type: String? = nil) -> [String] {
        post(request, Array(body.utf8), type: type)
    }

    /// Sends a whole POST, which is answered after its packets were processed.
    mutating func post(_ request: Int, _ body: [UInt8], type: String? = nil) -> [String] {
        run {
            $0.beginPost(.init(request), into: &$1)
            $0.receive(body[...], contentType: type, of: .init(request), into: &$1)
            $0.endPost(into: &$1)
        }
    }

    mutating func send(_ packet: String) -> [String] { run { $0.send(.text(packet), into: &$1) } }

    mutating func send(_ packet: [UInt8]) -> [String] { run { $0.send(.binary(packet[...]), into: &$1) } }

    mutating func open(_ socket: Int, at milliseconds: Int64 = 0) -> [String] {
        run { $0.open(.init(socket), at: ms(milliseconds), into: &$1) }
    }

    mutating func receive(_ text: String, on socket: Int, at milliseconds: Int64 = 0) -> [String] {
        run { $0.receive(.text(text), on: .init(socket), at: ms(milliseconds), into: &$1) }
    }

    mutating func advance(to milliseconds: Int64) -> [String] {
        run { $0.advance(to: ms(milliseconds), into: &$1) }
    }

    mutating func close(_ ending: EngineIO.Ending, at milliseconds: Int64 = 0) -> [String] {
        run { $0.close(ending, at: ms(milliseconds), into: &$1) }
    }

    mutating func run(
        _ step: (inout EngineIOServerTransport, inout [EngineIOServerTransport.Effect]) -> Void
    ) -> [String] {
        var effects: [EngineIOServerTransport.Effect] = []
        step(&machine, &effects)
        return effects.map(\.line)
    }
}

extension EngineIOServerTransport.Effect {
    fileprivate var line: String {
        switch self {
        case .received(let packet): "received \(packet.line)"
        case .respond(let request, let response):
            "\(request.number): \(response.status)\(response.contentType.map { " \($0)" } ?? "") \(response.line)"
        case .send(let packet, let socket): "on \(socket.number): \(packet.line)"
        case .closeSocket(let socket): "close \(socket.number)"
        case .closed(let cause): "closed \(cause)"
        }
    }
}

extension EngineIO.Response {
    /// The body: text with the record separator made visible, or bytes.
    fileprivate var line: String {
        if contentType == "application/octet-stream" { return "\(body)" }
        return String(decoding: body, as: UTF8.self).replacing("\u{1E}", with: "␞")
    }
}

private let text = "200 text/plain; charset=UTF-8"
private let unknown = #"400 application/json {"code":1,"message":"Session ID unknown"}"#
private let mismatch = #"400 application/json {"code":3,"message":"Bad request"}"#

struct EngineIOServerTransportTests {
    @Test func `a waiting request is answered at once, and the next one takes all packets since then`() {
        var session = TransportTranscript()
        #expect(session.get(1) == [])
        #expect(session.send("0{}") == ["1: \(text) 0{}"])
        #expect(session.send("4a") == [])
        #expect(session.send([1, 2, 3, 4]) == [])
        #expect(session.machine.pendingBytes == 6)
        #expect(session.get(2) == ["2: \(text) 4a␞bAQIDBA=="])
        #expect(session.machine.pendingBytes == 0)
        #expect(session.get(3) == [])
    }

    @Test func `answers must not be cached`() {
        var session = TransportTranscript()
        var effects: [EngineIOServerTransport.Effect] = []
        session.machine.poll(.init(1), into: &effects)
        session.machine.send(.text("6"), into: &effects)
        guard case .respond(_, let response) = effects.first else {
            Issue.record("no answer")
            return
        }
        #expect(
            response.headers.map { "\($0.name): \($0.value)" } == [
                "Content-Type: text/plain; charset=UTF-8", "cache-control: no-store",
            ])
        #expect(EngineIO.Refusal.badRequest.response.headers.map(\.value) == ["application/json"])
    }

    @Test func `a body's packets are delivered in order, and then the request is answered`() {
        var session = TransportTranscript()
        #expect(
            session.post(1, "4hello\u{1E}2\u{1E}bAQIDBA==") == [
                "received 4hello", "received 2", "received binary [1, 2, 3, 4]", "1: 200 text/html ok",
            ])
    }

    @Test func `a second waiting request ends the session for both`() {
        var session = TransportTranscript()
        _ = session.get(1)
        #expect(session.get(2) == ["1: \(text) 1", "closed two requests of a client wait at the same time", "2: 400 "])
        #expect(session.get(3) == ["3: \(unknown)"])
        #expect(session.post(4, "4a") == ["4: \(unknown)"])
    }

    @Test func `a second concurrent body ends the session`() {
        var session = TransportTranscript()
        _ = session.get(1)
        #expect(session.run { $0.beginPost(.init(2), into: &$1) } == [])
        #expect(
            session.run { $0.beginPost(.init(3), into: &$1) } == [
                "1: \(text) 1", "2: 400 ", "closed two bodies of a client arrive at the same time", "3: 400 ",
            ])
    }

    @Test func `a body over the limit is refused, and the session continues`() {
        var session = TransportTranscript(maxPayload: 5)
        #expect(session.post(1, "412345") == ["1: 413 "])
        #expect(session.post(2, "41234") == ["received 41234", "2: 200 text/html ok"])
    }

    @Test func `revision 4 refuses a binary body, and revision 3 accepts it`() {
        var four = TransportTranscript()
        #expect(
            four.post(1, "4a", type: "application/octet-stream") == ["1: 400 ", "closed a binary body"])
        var three = TransportTranscript(.v3)
        #expect(
            three.post(
                1, [0, 4, 0xFF, 0x34, 0xE2, 0x82, 0xAC, 1, 5, 0xFF, 4, 1, 2, 3, 4], type: "application/octet-stream")
                == ["received 4€", "received binary [4, 1, 2, 3, 4]", "1: 200 text/html ok"])
    }

    @Test func `the complete packets of a malformed body are delivered, then the session ends`() {
        var session = TransportTranscript()
        _ = session.get(1)
        #expect(
            session.post(2, "4a\u{1E}b*") == [
                "received 4a", "1: \(text) 1", "2: 400 ", "closed parse error: badBase64",
            ])
    }

    @Test func `the client's close ends a waiting request with a noop`() {
        var session = TransportTranscript()
        _ = session.get(1)
        #expect(
            session.post(2, "4a\u{1E}1") == [
                "received 4a", "1: \(text) 6", "closed transport close", "2: 200 text/html ok",
            ])
        #expect(session.get(3) == ["3: \(unknown)"])
        var three = TransportTranscript(.v3)
        _ = three.get(1)
        #expect(three.post(2, "1:1").first == "1: \(text) 1:6")
    }

    @Test func `a request aborted by the client ends the session`() {
        var session = TransportTranscript()
        _ = session.get(1)
        #expect(session.run { $0.aborted(.init(7), into: &$1) } == [])
        #expect(session.run { $0.aborted(.init(1), into: &$1) } == ["closed poll connection closed prematurely"])
        #expect(session.get(2) == ["2: \(unknown)"])
    }

    @Test func `revision 3 counts UTF-16 units, and uses binary framing only for binary data if the client can`() {
        var plain = TransportTranscript(.v3)
        _ = plain.send("4€😀")
        #expect(plain.get(1) == ["1: \(text) 4:4€😀"])
        _ = plain.send("4€")
        _ = plain.send([4, 1, 2, 3, 4])
        let framed: [UInt8] = [0, 4, 0xFF, 0x34, 0xE2, 0x82, 0xAC, 1, 5, 0xFF, 4, 1, 2, 3, 4]
        #expect(plain.get(2) == ["2: 200 application/octet-stream \(framed)"])
        var base64 = TransportTranscript(.v3, isBase64: true)
        _ = base64.send("4€")
        _ = base64.send([4, 1, 2, 3, 4])
        #expect(base64.get(1) == ["1: \(text) 2:4€10:b4AQIDBA=="])
    }

    // MARK: The server's end

    @Test func `a session ended by the server answers the waiting request, or the first one with nothing queued`() {
        var waiting = TransportTranscript()
        _ = waiting.get(1)
        #expect(waiting.close(.orderly("enough")) == ["1: \(text) 1", "closed enough"])
        var away = TransportTranscript()
        _ = away.send("41")
        #expect(away.close(.orderly("enough")) == [])
        #expect(away.post(1, "4late") == ["1: 200 text/html ok"])
        #expect(away.get(2) == ["2: \(text) 41"])
        #expect(away.get(3) == ["3: \(text) 6␞1", "closed enough"])
        #expect(away.get(4) == ["4: \(unknown)"])
    }

    @Test func `a client that never polls again is forgotten after half a minute`() {
        var session = TransportTranscript()
        #expect(session.close(.orderly("enough"), at: 1_000) == [])
        #expect(session.machine.deadline == ms(31_000))
        #expect(session.advance(to: 31_000) == ["closed enough"])
        #expect(session.machine.deadline == nil)
    }

    @Test func `a lost session is forgotten at once`() {
        var session = TransportTranscript()
        _ = session.send("4a")
        #expect(session.close(.lost("ping timeout")) == ["closed ping timeout"])
        #expect(session.get(1) == ["1: \(unknown)"])
        #expect(session.close(.lost("again")) == [])
    }

    @Test func `a body whose packets end the session is refused`() {
        var session = TransportTranscript()
        let lines = session.run {
            $0.beginPost(.init(1), into: &$1)
            $0.receive(ArraySlice("4bad".utf8), contentType: nil, of: .init(1), into: &$1)
            $0.close(.lost("parse error"), at: .zero, into: &$1)
            $0.endPost(into: &$1)
        }
        #expect(lines == ["received 4bad", "1: 400 ", "closed parse error"])
    }

    // MARK: The upgrade

    @Test func `an upgrade answers the probe, ends the waiting request with a noop, and uses the WebSocket`() {
        var session = TransportTranscript()
        _ = session.get(1)
        #expect(session.open(1, at: 1_000) == [])
        #expect(session.machine.deadline == ms(11_000))
        #expect(session.receive("2probe", on: 1, at: 1_000) == ["on 1: 3probe"])
        #expect(session.machine.deadline == ms(1_100))
        #expect(session.advance(to: 1_100) == ["1: \(text) 6"])
        #expect(session.get(2) == [])
        #expect(session.advance(to: 1_350) == ["2: \(text) 6"])
        #expect(session.send("4kept") == [])
        #expect(session.post(3, "4a") == ["received 4a", "3: 200 text/html ok"])
        #expect(session.receive("5", on: 1) == ["on 1: 4kept"])
        #expect(session.machine.transport == .webSocket)
        #expect(session.machine.deadline == nil)
        #expect(session.send("4b") == ["on 1: 4b"])
        #expect(session.receive("4c", on: 1) == ["received 4c"])
    }

    @Test func `after an upgrade requests are refused, and other WebSockets are closed`() {
        var session = TransportTranscript.upgraded()
        #expect(session.get(1) == ["1: \(mismatch)"])
        #expect(session.post(2, "4a") == ["2: \(mismatch)"])
        #expect(session.open(2) == ["close 2"])
        #expect(session.receive("4x", on: 2) == [])
        #expect(session.receive("4a", on: 1) == ["received 4a"])
        #expect(session.run { $0.closed(.init(2), into: &$1) } == [])
        #expect(session.run { $0.closed(.init(1), into: &$1) } == ["closed transport close"])
        #expect(session.get(3) == ["3: \(unknown)"])
    }

    @Test func `a body still arriving when the upgraded WebSocket closes is refused and not delivered`() {
        var session = TransportTranscript()
        _ = session.run { $0.beginPost(.init(1), into: &$1) }
        _ = session.open(1)
        _ = session.receive("2probe", on: 1)
        _ = session.receive("5", on: 1)
        #expect(session.run { $0.closed(.init(1), into: &$1) } == ["1: 400 ", "closed transport close"])
        #expect(
            session.run { $0.receive(ArraySlice("4a".utf8), contentType: nil, of: .init(1), into: &$1) } == [])
    }

    @Test func `a second WebSocket during an upgrade is closed, and the first continues`() {
        var session = TransportTranscript()
        _ = session.open(1)
        #expect(session.open(2) == ["close 2"])
        #expect(session.receive("2probe", on: 1) == ["on 1: 3probe"])
    }

    @Test(arguments: ["4a", "2", "", "6"])
    func `any packet but the probe and the upgrade ends the attempt, and polling continues`(packet: String) {
        var session = TransportTranscript()
        _ = session.open(1)
        #expect(session.receive(packet, on: 1) == ["close 1"])
        #expect(session.post(1, "4a") == ["received 4a", "1: 200 text/html ok"])
        #expect(session.open(2) == [])
    }

    @Test func `an upgrade that is slow, or whose WebSocket closes, leaves the session polling`() {
        var session = TransportTranscript()
        _ = session.open(1)
        #expect(session.advance(to: 10_000) == ["close 1"])
        _ = session.open(2, at: 11_000)
        _ = session.receive("2probe", on: 2, at: 11_000)
        #expect(session.run { $0.closed(.init(2), into: &$1) } == [])
        _ = session.get(1)
        #expect(session.advance(to: 30_000) == [])
        #expect(session.send("4a") == ["1: \(text) 4a"])
    }

    @Test func `a session that ends during an upgrade closes the WebSocket`() {
        var session = TransportTranscript()
        _ = session.open(1)
        #expect(session.close(.lost("ping timeout")) == ["close 1", "closed ping timeout"])
        var orderly = TransportTranscript()
        _ = orderly.open(1)
        #expect(orderly.close(.orderly("enough")) == ["close 1"])
        #expect(orderly.get(1) == ["1: \(text) 6␞1", "closed enough"])
    }

    // MARK: WebSocket

    @Test(arguments: [(EngineIO.Revision.v4, "bAQIDBA==", [1, 2, 3, 4]), (.v3, "b4AQIDBA==", [4, 1, 2, 3, 4])])
    func `base64 represents binary data on a WebSocket too`(revision: EngineIO.Revision, frame: String, bytes: [UInt8])
    {
        var machine = EngineIOServerTransport(
            EngineIOServerTransport.Configuration(revision: revision, isBase64: true), on: .init(1))
        var effects: [EngineIOServerTransport.Effect] = []
        machine.receive(.text(frame), on: .init(1), at: .zero, into: &effects)
        machine.send(.binary(bytes[...]), into: &effects)
        machine.receive(.text("b*"), on: .init(1), at: .zero, into: &effects)
        #expect(
            effects.map(\.line) == [
                "received binary \(bytes)", "on 1: \(frame)", "close 1",
                "closed parse error: a binary packet that is not base64",
            ])
    }

    @Test func `the refusals equal those of the JavaScript server`() {
        let lines = EngineIO.Refusal.allCases.map { "\($0.response.status) \($0.response.line)" }
        #expect(
            lines == [
                #"400 {"code":0,"message":"Transport unknown"}"#, #"400 {"code":1,"message":"Session ID unknown"}"#,
                #"400 {"code":2,"message":"Bad handshake method"}"#, #"400 {"code":3,"message":"Bad request"}"#,
                #"403 {"code":4,"message":"Forbidden"}"#, #"400 {"code":5,"message":"Unsupported protocol version"}"#,
            ])
        #expect(
            EngineIO.Refusal.forbidden.upgradeResponse
                == EngineIO.Response(status: 400, contentType: "text/html", body: Array("Forbidden".utf8)))
    }
}
