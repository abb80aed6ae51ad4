import Testing
import TestSupport
import WeirNetwork
import WeirPipeline
import WeirRecording
import WeirTerminal
import WeirThreads
import WeirWire

@testable import WeirLive
@testable import WeirViews

/// Collects the wire units of a run.
private final class Units: Outlet {
    let all = Monitor<[WireUnit]>([])
    var needsWire: Bool { true }
    func write(_ reports: [StampedReport]) throws(OutletError) {}
    func write(units: [WireUnit]) throws(OutletError) { all.change { $0 += units } }
    func finish() throws(OutletError) {}
}

@Suite("Display of wire traffic")
struct WireViewTests {
    private static func frame(_ direction: Record.FrameRecord.Direction, _ message: WebSocketMessage) -> Record {
        .frame(Record.FrameRecord(connection: 1, direction: direction, message: message))
    }

    private static func lines(_ records: [Record], _ settings: LineSettings = LineSettings(), limit: Int? = nil)
        -> [String]
    {
        var buffer = TerminalBuffer()
        buffer.limit = limit
        var lines = WireLines(settings)
        for (index, record) in records.enumerated() {
            let stamp = Sample.stamp(index + 1, Int64(index) * 1500)
            if let unit = WireUnit(record, stamp) { lines.append(unit, to: &buffer) }
        }
        return String(decoding: buffer.bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test(
        "Each unit is a line with time, direction, carrier, size and escaped text")
    func lines() {
        let records: [Record] = [
            Self.frame(.in, .text("42[\"a\u{1B}[2J\n\u{202E}\"]")),
            Self.frame(.out, .text("3")),
            Self.frame(.in, .binary([0x00, 0xFF, 0x1B])),
            .http(.init(id: 1, phase: .request(method: "GET", url: "https://chat.example.com/a?b=c", body: []))),
            .http(.init(id: 1, phase: .response(status: 200, body: Array("{}".utf8), retryAfter: nil))),
            .http(.init(id: 2, phase: .failure(kind: "timeout", message: "no answer"))),
            .connection(.init(connection: 1, state: .open)),
        ]
        var settings = LineSettings()
        settings.time = .none
        #expect(
            Self.lines(records, settings) == [
                #"← ws            15  42["a\u{1B}[2J\n\u{202E}"]"#,
                "→ ws             1  3",
                "← ws             3  00ff1b",
                "→ http           0  GET /a?b=c",
                "← http           2  200  {}",
                "← http           0  timeout: no answer",
            ])
        settings.time = .delta
        #expect(Self.lines(records, settings)[1].hasSuffix("+1.500s  → ws             1  3"))
        #expect(Self.lines(records)[0].hasPrefix("03:04:05."))
        #expect(Self.lines([Self.frame(.in, .text(String(repeating: "x", count: 500)))], limit: 60)[0].hasSuffix("x…"))
    }

    @Test("A message is shown with its carrier at the time")
    func carriers() throws {
        let units = Units()
        let sink = try #require(WireSink([units], hiding: .init(redactions: [])))
        let stamp = Sample.stamp(1, 0)
        try sink.write([
            .record(.connection(.init(connection: 1, state: .open, transport: "polling")), stamp),
            .record(Self.frame(.in, .text("40")), stamp),
            .record(.connection(.init(connection: 1, state: .upgraded, transport: "websocket")), stamp),
            .record(Self.frame(.in, .text("42[]")), stamp),
        ])
        #expect(units.all.look { $0.map(\.channel) } == ["polling", "ws"])
    }

    @Test("Data that a recording redacts is hidden in the view")
    func hides() throws {
        let units = Units()
        #expect(WireSink([SummaryCollector()], hiding: .init(redactions: [.secrets])) == nil)
        let sink = try #require(
            WireSink([SummaryCollector(), units], hiding: .init(redactions: Set(RedactionRule.allCases))))
        let login = #"{"username":"ann","password":"hunter2"}"#
        let head = Sample.stamp(1, 0)
        try sink.write([
            .redact(Secret("s3cret")), .record(Self.frame(.out, .text(#"40{"token":"s3cret"}"#)), head),
            .record(
                .http(.init(id: 1, phase: .request(method: "POST", url: "https://h/login", body: Array(login.utf8)))),
                head),
            .record(.token(.init(renewed: true)), head),
        ])
        let shown = units.all.change { $0 }
        #expect(shown.count == 2)
        let text = shown.map { String(decoding: $0.bytes, as: UTF8.self) }.joined()
        #expect(text.contains("token") && text.contains("ann"))
        #expect(!text.contains("s3cret") && !text.contains("hunter2"))
    }

    @Test("A replay reports the wire traffic once, in order, in both directions")
    func replayed() throws {
        let path = packageFolder + "/samples/recordings/twake-day.weir.jsonl"
        var reader = try RecordingReader(opening: path)
        var wanted: [WireUnit] = []
        while let entry = try reader.next() {
            if case .record(let record, let stamp) = entry, let unit = WireUnit(record, stamp) { wanted.append(unit) }
        }
        let units = Units()
        _ = try Replay(path: path, outlets: [units]).play()
        let shown = units.all.change { $0 }
        #expect(shown.map(\.stamp.n) == wanted.map(\.stamp.n))
        #expect(shown.map(\.bytes) == wanted.map(\.bytes))
        #expect(Set(shown.map(\.channel)) == ["ws", "http"])
        #expect(Set(shown.map(\.isSent)) == [true, false])
    }
}
