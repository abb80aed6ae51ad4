import Glibc
import Testing
import WeirEvents
import WeirJSON
import WeirModel
import WeirRecording
import WeirTerminal
import WeirWire

@testable import WeirLive
@testable import WeirViews
@testable import WeirPipeline

@Suite("Hostile payloads")
struct HostileTests {
    static let names = [
        "bidi", "clipboard", "controls", "escapes", "hyperlink", "invalid-utf8", "lines", "marks", "query", "unescaped",
        "zero-width",
    ]

    /// Every printed form except `raw`.
    static let forms: [PrintedForm] =
        OutputFormat.allCases.filter { $0 != .raw }.map { .format($0) }
        + ["{time}\t{room}\t{actor}\t{summary}\t{payload}", "{payload.resource.text:>30.30}|{title:^9}|{event}"].map {
            (try? LineTemplate($0)).map { .template($0) } ?? .format(.raw)
        } + [(try? EnvelopeFields("room,actor,payload.resource,diff,why")).map { .fields($0) } ?? .format(.raw)]

    @Test("Check 14: every sample is harmless in every format, with and without colours", arguments: names)
    func formats(name: String) throws {
        let reports = try Self.reports(Self.sample(name))
        for (index, form) in Self.forms.enumerated() {
            for colour in [false, true] {
                let text = try printed {
                    EventPrinter(form, descriptor: $0, colour: colour, width: nil)
                } of: {
                    reports
                }
                expectInert(text, "\(name) in form \(index)", allowsTab: index == OutputFormat.allCases.count - 1)
                #expect(!text.isEmpty)
            }
        }
    }

    @Test("Check 14: every sample is harmless in every view, in the status lines and in the summary", arguments: names)
    func views(name: String) throws {
        let reports = try Self.reports(Self.sample(name))
        for kind in ViewKind.allCases {
            guard var view = kind.makeView() else { continue }
            var buffer = TerminalBuffer(TerminalTheme(.auto))
            for report in reports { view.take(report, KnownNames()) }
            view.draw(ViewPlace(now: .zero, wall: 0, rows: 40), to: &buffer)
            expectInert(buffer.bytes, "\(name) in \(kind)")
            #expect(!buffer.bytes.isEmpty)
        }
        var wire = TerminalBuffer(TerminalTheme(.auto))
        var lines = WireLines(LineSettings())
        let frame = Record.FrameRecord(connection: 1, direction: .in, message: .text(try Self.sample(name)[...]))
        if let unit = WireUnit(.frame(frame), Sample.stamp(1, 0)) { lines.append(unit, to: &wire) }
        expectInert(wire.bytes, "\(name) on the wire")
        #expect(wire.bytes.filter { $0 == 0x0A }.count == 1)
        let text = Self.hostileText(in: try Self.sample(name))
        var status = TailStatus(name: text, recording: text)
        var collected = Summary()
        for report in reports {
            status.take(report)
            collected.add(report)
        }
        var buffer = TerminalBuffer(TerminalTheme(.auto))
        status.draw(TailStatus.Facts(queue: 3, recorded: 5, filter: text), at: .zero, to: &buffer)
        buffer.endLine()
        expectInert(buffer.bytes, "\(name) in the status line")
        var printedStatus = try printed({ StatusPrinter(descriptor: $0, colour: true) }, of: { reports })
        printedStatus += try written { try StatusPrinter(descriptor: $0, colour: true).write(lines: collected.lines()) }
        expectInert(printedStatus, "\(name) on standard error")
        var writer = JSONWriter()
        let end = TailSummary(outcome: .limitReached, events: 1, gaps: 0, undecodable: 0, sections: [])
        collected.write(end, words: text, code: 0, filtered: ViewFilter().tally, into: &writer)
        expectInert(writer.bytes, "\(name) in the summary as JSON")
    }

    @Test("Check 14: a line of a million bytes stays one line in every format, and is cut where lines are cut")
    func long() throws {
        let text = String(repeating: #"wide 漢 \u001b[31m "#, count: 50_000)
        let payload = Array(#"["realtime:resource",{"room":"/r","text":"\#(text)"}]"#.utf8)
        let reports = try Self.reports(payload)
        for (index, form) in Self.forms.enumerated() {
            let text = try printed(
                { EventPrinter(form, descriptor: $0, colour: false, width: 100) }, of: { [reports[0]] })
            expectInert(text, "form \(index)", allowsTab: index == OutputFormat.allCases.count - 1)
            if case .format(.compact) = form { #expect(text.filter { $0 == 0x0A }.count == 1 && text.count < 1000) }
        }
    }

    // MARK: - What is shown

    /// Returns the event, and every other report that can contain the same text.
    private static func reports(_ payload: [UInt8]) throws -> [StampedReport] {
        let text = hostileText(in: payload)
        let source = SocketIO.Event(namespace: "/" + text, array: RawJSON(unchecked: payload[...]))
        let untyped = UntypedEvent(name: text, arguments: [RawJSON(unchecked: payload[...])])
        var reports: [Report] = [.event(EventReport(event: .socketIO(untyped), source: source))]
        if let event = try? Twake.Event(array: payload[...]) {
            reports.append(.event(EventReport(event: .twake(event), source: source)))
        }
        let message = Twake.Message(
            id: EntityID(text), thread: EntityID(text), channel: EntityID(text), senderName: text, text: text)
        let resource = Twake.SocketIOResource(
            action: .created, room: text, type: .message, path: nil, resource: .message(message))
        reports.append(.event(EventReport(event: .twake(.resource(resource)), source: source)))
        var batch = Batch<Item>()
        batch.insertions = [
            .init(path: SectionPath(section: 0, item: 0), element: Sample.channel(EntityID(text), text, icon: text))
        ]
        batch.updates = [
            .init(
                from: SectionPath(section: 1, item: 0), to: SectionPath(section: 1, item: 0),
                old: Sample.message(1, "old"), new: Sample.message(1, text))
        ]
        reports.append(.diff(DiffReport(sequence: 1, cause: 1, batch: batch)))
        reports.append(.gap(GapReport(cause: .reconnect, from: .zero, to: .zero, refetching: [text])))
        reports.append(.connection(.connecting(attempt: 1, target: text)))
        reports.append(.connection(.lost(why: text, retryIn: .seconds(1))))
        reports.append(.room(RoomReport(change: .refused, room: text, source: text, why: text)))
        reports.append(
            .typing(
                TypingReport(
                    change: .started, user: EntityID(text), name: text, channel: EntityID(text), channelName: text,
                    thread: nil, typing: [text])))
        reports.append(
            .undecodable(UndecodableReport(layer: .event, subject: text, message: text, excerpt: payload.prefix(200))))
        reports.append(.notice(Notice(.warning, text)))
        return reports.enumerated().map { StampedReport(stamp: Sample.stamp($0 + 1, 0), report: $1) }
    }

    /// Returns the text of a payload, or the beginning of the payload if it cannot be parsed.
    private static func hostileText(in payload: [UInt8]) -> String {
        if case .array(let list)? = try? JSONValue(parsing: payload[...]),
            case .string(let text)? = list.last?["resource"]?["text"]
        {
            return text
        }
        return String(decoding: payload.prefix(2000), as: UTF8.self)
    }

    private static func sample(_ name: String) throws -> [UInt8] {
        let folder = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/") + "/samples/hostile"
        let file = try #require(fopen("\(folder)/\(name).json", "r"))
        defer { fclose(file) }
        var bytes: [UInt8] = []
        while case let byte = fgetc(file), byte != EOF { bytes.append(UInt8(byte)) }
        return bytes
    }

    /// Returns everything that the outlet writes into a file.
    private func printed(_ make: (Int32) -> any Outlet, of reports: () -> [StampedReport]) throws -> [UInt8] {
        try written { try make($0).write(reports()) }
    }

    private func written(_ write: (Int32) throws -> Void) throws -> [UInt8] {
        let file = try #require(tmpfile())
        defer { fclose(file) }
        try write(fileno(file))
        rewind(file)
        var bytes: [UInt8] = []
        while case let byte = fgetc(file), byte != EOF { bytes.append(UInt8(byte)) }
        return bytes
    }

    /// Expects only visible characters, line feeds, and our own colours.
    private func expectInert(_ bytes: [UInt8], _ place: String, allowsTab: Bool = false) {
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(Array(text.utf8) == bytes, "\(place): not UTF-8")
        var rest = text.unicodeScalars[...]
        var marks = 0
        while let scalar = rest.popFirst() {
            if scalar == "\u{1B}" {
                // `ESC [ digits ; m` is our own colour.
                let sequence = rest.prefix { $0 != "m" }
                let isOurs =
                    sequence.first == "[" && sequence.dropFirst().allSatisfy { ("0"..."9").contains($0) || $0 == ";" }
                #expect(isOurs, "\(place): an escape sequence")
                rest = rest.dropFirst(sequence.count + 1)
                continue
            }
            let properties = scalar.properties
            marks =
                properties.generalCategory == .nonspacingMark || properties.generalCategory == .enclosingMark
                ? marks + 1 : 0
            let isShown =
                switch properties.generalCategory {
                case .control: scalar == "\n" || (allowsTab && scalar == "\t")
                case .format, .lineSeparator, .paragraphSeparator, .surrogate: false
                default: !properties.isBidiControl && !properties.isDefaultIgnorableCodePoint
                }
            // JSON is data, so any number of combining marks is allowed there.
            #expect(
                isShown && (marks <= 4 || bytes.first == UInt8(ascii: "{")),
                "\(place): U+\(String(scalar.value, radix: 16))")
        }
    }
}
