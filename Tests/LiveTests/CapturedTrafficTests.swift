import Testing
import TestSupport
import WeirJSON
import WeirLive
@testable import WeirViews
import WeirPipeline
import WeirRecording
import WeirWire

/// Checks that traffic captured by other tools is played as captured. Its connections were not this client's, and much
/// of it may be missing.
@Suite("Captured traffic") struct CapturedTrafficTests {
    private static let handshake = #"0{"sid":"s","upgrades":[],"pingInterval":25000,"pingTimeout":20000}"#
    private static let joined = #"40{"sid":"t"}"#

    private static func tick(_ number: Int) -> String { #"42["tick",{"number":\#(number)}]"# }

    /// Converts a text in another format to a recording and plays it.
    private func play(
        _ text: String, _ format: ForeignFormat, _ backend: Configuration.BackendKind = .socketio
    ) throws -> [StampedReport] {
        let path = try temporaryFolder() + "/captured"
        try writeFile(path, text)
        _ = try RecordingConversion.import(
            path, from: format, to: ToolDestination(path: path + ".weir.jsonl"),
            ImportOptions(backend: backend, tool: "test"))
        let (reports, summary) = try played([path + ".weir.jsonl"])
        #expect(summary.outcome == .limitReached)
        return reports
    }

    private func play(_ lines: [String]) throws -> [StampedReport] {
        try play(lines.joined(separator: "\n"), .lines)
    }

    @Test("Silence does not end a captured connection")
    func silence() throws {
        let reports = try play([
            "+0 < " + Self.handshake, "+0 < " + Self.joined, "+1 < " + Self.tick(1), "+300 < " + Self.tick(2),
            "+90000 < " + Self.tick(3),
        ])
        #expect(reports.numbers == [1, 2, 3])
        #expect(reports.gaps.isEmpty)
    }

    @Test(
        "A capture from the middle of a connection is played from there",
        arguments: [["< " + joined], ["< 40"], ["> 2probe", "< 3probe", "> 5"], ["< 3", "< 2"], []])
    func middle(before: [String]) throws {
        let reports = try play(before + ["< " + Self.tick(1), "< " + Self.tick(2)])
        #expect(reports.numbers == [1, 2])
        #expect(reports.notices.isEmpty)
    }

    @Test("The revision of Engine.IO is detected")
    func revision() throws {
        let reports = try play(["< " + Self.handshake, "< 40", "< " + Self.tick(1), "< " + Self.tick(2)])
        #expect(reports.numbers == [1, 2])
        #expect(reports.readies == [.socketIO(.v3)])
    }

    @Test("A client that leaves the namespace and joins it again on the same connection receives events again")
    func rejoined() throws {
        let reports = try play(
            [Self.handshake, Self.joined, Self.tick(1), "41", Self.joined, Self.tick(2)].map { "< " + $0 })
        #expect(reports.numbers == [1, 2])
        #expect(reports.gaps.count == 1)
    }

    @Test("A log of one connection is divided into several by their handshakes")
    func severalOfOne() throws {
        let reports = try play(
            [Self.handshake, Self.joined, Self.tick(1), Self.handshake, Self.joined, Self.tick(2)].map { "< " + $0 })
        #expect(reports.numbers == [1, 2])
        #expect(reports.gaps.count == 1)
        #expect(reports.readies.count == 2)
    }

    @Test("Binary events are assembled, also from the middle of a connection")
    func binary() throws {
        let reports = try play([
            #"< 451-["picture",{"_placeholder":true,"num":0}]"#, "<b iVBORw==", "< " + Self.tick(1),
        ])
        #expect(reports.events.count == 2)
        #expect(reports.numbers == [1])
    }

    @Test("Consecutive connections are played one after the other, with a gap between them")
    func connections() throws {
        let came: [(second: Int64, connection: String)] = [(0, "a"), (50, "a"), (50, "b"), (200, "b"), (200, "c")]
        let events = came.enumerated().map { number, event in
            #"{"specversion":"1.0","type":"io.socket.tick","time":"\#(RecordingTime.text(event.second * 1_000_000))","#
                + #""data":{"number":\#(number)},"weirconnection":"\#(event.connection)"}"#
        }
        let reports = try play(events.joined(separator: "\n"), .cloudevents)
        #expect(reports.numbers == [0, 1, 2, 3, 4])
        #expect(reports.gaps.count == 2)
        #expect(reports.readies.count == 3)
    }

    /// Returns an archive of concurrent connections. Each connection is a list of received messages with their seconds.
    private func archive(_ connections: [[(second: Int, text: String)]]) throws -> String {
        let entries = connections.map { messages in
            let texts = messages.map { message in
                var json = JSONWriter()
                json.string(message.text)
                return
                    #"{"type":"receive","time":\#(message.second),"data":\#(String(decoding: json.bytes, as: UTF8.self))}"#
            }
            return #"{"_webSocketMessages":[\#(texts.joined(separator: ","))]}"#
        }
        return #"{"log":{"entries":[\#(entries.joined(separator: ","))]}}"#
    }

    @Test("Of concurrent connections the first that uses the protocol is played, and the others are reported")
    func beside() throws {
        let other = [(0, #"{"type":"connected"}"#), (4, #"{"type":"update"}"#), (9, "{}")]
        let first = [(1, Self.handshake), (1, Self.joined), (2, Self.tick(1)), (5, Self.tick(2))]
        let second = [(2, Self.handshake), (2, Self.joined), (3, Self.tick(7)), (8, Self.tick(8))]
        let reports = try play(try archive([other, first, second]), .har)
        #expect(reports.numbers == [1, 2, 8])
        #expect(
            reports.notices.map(\.text) == [
                "record 3: connection 1 does not begin like a Socket.IO connection: its first messages were skipped",
                "record 11: connection 3 was open at the same time as connection 2, which is played: its messages were skipped",
            ])
    }

    /// Exports recorded sessions of known content to another format, imports them again, and plays them.
    @Test(
        "A recording that is exported and imported again is played with the same events",
        arguments: ["hello", "reconnect", "twake-day"], ForeignFormat.allCases)
    func samples(name: String, format: ForeignFormat) throws {
        let folder = try temporaryFolder()
        let path = packageFolder + "/samples/recordings/\(name).weir.jsonl"
        _ = try RecordingConversion.export(path, as: format, to: ToolDestination(path: folder + "/a"), tool: "test")
        let text = String(decoding: try readFile(folder + "/a"), as: UTF8.self)
        let captured = try play(text, format, name == "twake-day" ? .twake : .socketio)
        let recorded = try played([path]).reports
        let payloads = { (reports: [StampedReport]) in
            try reports.events.map { try JSONValue(parsing: $0.payload.bytes) }
        }
        #expect(try payloads(captured) == payloads(recorded))
        #expect(captured.gaps.count == recorded.gaps.count)
    }

    @Test("GroupMe's events are played from the middle of a connection")
    func bayeux() throws {
        let line = #"""
            {"channel":"/user/1","data":{"type":"line.create","subject":{"id":"17","group_id":"5","text":"hi","name":"ann",\#
            "user_id":"2","sender_id":"2","sender_type":"user","source_guid":"g","created_at":1767323045,"attachments":[],\#
            "favorited_by":[],"system":false}}}
            """#
        let reports = try play(
            "< [\(line)]\n< [{\"channel\":\"/meta/connect\",\"id\":\"9\",\"successful\":true}]\n< [\(line)]", .lines,
            .groupme)
        #expect(reports.events.count == 2)
    }
}

extension [StampedReport] {
    /// The protocol of each connection that became ready.
    fileprivate var readies: [RealtimeProtocol] {
        compactMap { if case .connection(.ready(let spoken)) = $0.report { spoken } else { nil } }
    }
}
