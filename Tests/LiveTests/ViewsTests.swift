import Glibc
import Testing
import WeirEvents
import WeirJSON
import WeirModel
import WeirPipeline
import WeirRecording
import WeirTerminal
import WeirWire

@testable import WeirLive
@testable import WeirViews

@Suite("Views", .serialized)
struct ViewsTests {
    @Test("Latest shows a line per room, most recently active first")
    func latest() {
        let events = [event(0, "/a", "one"), event(500, "/b", "two"), event(61_000, "/a", "three", lag: 7)]
        #expect(
            drawn(.latest, events, at: 61_500, rows: 10) == """
                ROOM            AGO  EVENTS  KIND              LAST
                /a            500ms       2  message           Anna: three
                /b            1m01s       1  message           Anna: two

                """)
        #expect(drawn(.latest, events, at: 61_500, rows: 3).hasSuffix("Anna: three\n1 more rooms\n"))
    }

    @Test("Top shows rates, bytes and lag by room, actor and kind")
    func top() {
        let events = (0..<40).map { event(Int64($0) * 250, $0 < 30 ? "/busy" : "/calm", "x", lag: 20) }
        #expect(
            drawn(.top, events, at: 10_000, rows: 40) == """
                            EVENT/S   BYTE/S      LAG   EVENTS
                all               4      228     20ms       40
                ROOMS
                /busy             3      171     20ms       30
                /calm             1       57     20ms       10
                ACTORS
                Anna              4      228     20ms       40
                KINDS
                message           4      228     20ms       40

                """)
        #expect(drawn(.top, events, at: 60_000, rows: 40).contains("all               0        0     20ms       40"))
    }

    @Test("Graph shows a block per second for a minute, with one scale for all rooms")
    func graph() {
        let events = (0..<12).map { event(58_000 + Int64($0) * 100, "/a", "x") } + [event(59_000, "/b", "x")]
        let lines = drawn(.graph, events, at: 59_900, rows: 10).split(separator: "\n")
        #expect(lines.count == 4)
        #expect(lines[1].hasSuffix(" █▂"))
        #expect(lines[2].hasSuffix("  ▁"))
        #expect(lines[1].hasPrefix("/a"))
        #expect(lines[3] == "one minute, one block per second; a full block is 10 events")
    }

    @Test("Model shows each section with its rows, and the last changed rows with their fields")
    func model() {
        let text = drawn(.model, Sample.reports, at: 500, rows: 40)
        #expect(
            text == """
                channels  0 rows, 2 changes
                  ~ #new  name, icon  500ms
                  → #general  500ms
                messages/5828c718  0 rows, 2 changes
                  + Anna: hello  500ms
                  - Anna: gone  500ms

                """)
    }

    @Test("Conn shows every state with its duration, and the losses")
    func connection() {
        let text = drawn(.conn, Sample.status + [Sample.reports[3]], at: 4500, rows: 40)
        #expect(
            text == #"""
                03:04:07.123Z  connecting       0ms  attempt 1  /socket/?EIO=4&transport=websocket
                03:04:07.123Z  ready            0ms  Engine.IO 4
                03:04:07.123Z  lost             0ms  closed by the server: \u{1B}c; next attempt in 1.5s
                03:04:07.123Z  connecting       0ms  attempt 2  /socket/?EIO=4&transport=websocket
                03:04:07.123Z  lost            2.5s  refused
                03:04:07.123Z  room                  secret refused: no\u{200B}!
                03:04:06.123Z  gap                   2.5s without a connection, loss not counted yet; refetching channels, badges
                0 events

                """#)
    }

    @Test("Made-up names of a peer do not grow any view beyond its limit", arguments: ViewKind.allCases)
    func bounded(kind: ViewKind) {
        guard var view = kind.makeView() else { return }
        for n in 0..<20_000 {
            view.take(event(Int64(n), "/room/\(n)", "x", actor: "actor \(n)"), KnownNames())
        }
        let buffer = draw(view, at: 20_000, rows: .max / 2)
        #expect(buffer.bytes.count(where: { $0 == 0x0A }) < 2500)
    }

    @Test("No view draws more lines than available", arguments: ViewKind.allCases, [10, 12, 24])
    func fits(kind: ViewKind, rows: Int) {
        guard var view = kind.makeView() else { return }
        for report in (0..<50).map({ event(Int64($0) * 100, "/\($0)", "x", actor: "a\($0)") }) + Sample.reports
            + Sample.status
        {
            view.take(report, KnownNames())
        }
        let lines = draw(view, at: 6000, rows: rows).bytes.count(where: { $0 == 0x0A })
        // On a smaller terminal the board cuts the overflow.
        #expect(lines <= rows)
    }

    @Test(
        "Memory does not grow with printed events or made-up names, in an hour's worth at 10,000 events a second"
    )
    func memory() throws {
        let null = open("/dev/null", O_WRONLY | O_CLOEXEC)
        defer { close(null) }
        let outlets: [any Outlet] = [
            SummaryCollector(), StatusPrinter(descriptor: null, colour: true),
            EventPrinter(format: .compact, descriptor: null, colour: true, width: 120),
            EventPrinter(format: .json, descriptor: null, colour: true, width: nil),
        ]
        var held: [Int] = []
        for n in 0..<24_000 {
            let report = event(Int64(n) / 10, "/room/\(n)", "x", lag: Int64(n % 50), actor: "actor \(n)")
            for outlet in outlets { try outlet.write([report]) }
            if (n + 1).isMultiple(of: 12_000) { held.append(try residentBytes()) }
        }
        #expect(held[1] - held[0] < 8_000_000)
    }

    /// Returns the resident memory of the process, as counted by the kernel.
    private func residentBytes() throws -> Int {
        let file = try #require(fopen("/proc/self/statm", "r"))
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 128)
        try #require(fgets(&line, Int32(line.count), file) != nil)
        let words = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self).split(
            separator: " ")
        return try #require(words.dropFirst().first.flatMap { Int($0) }) * sysconf(Int32(_SC_PAGESIZE))
    }

    @Test("A rate forgets everything older than a minute and skips empty seconds")
    func rates() {
        var rate = RateHistory()
        rate.add(5, at: .zero)
        rate.add(3, at: Moment(microseconds: 2_500_000))
        #expect(rate.history(at: Moment(microseconds: 3_000_000)).suffix(4) == [5, 0, 3, 0])
        #expect(rate.rate(over: 3, at: Moment(microseconds: 3_000_000)) == 8.0 / 3)
        #expect(rate.history(at: Moment(microseconds: 61_000_000)).reduce(0, +) == 3)
        rate.add(1, at: Moment(microseconds: 1_000_000_000))
        #expect(rate.history(at: Moment(microseconds: 1_000_000_000)).reduce(0, +) == 1)
        rate.add(7, at: .zero)
        #expect(rate.history(at: Moment(microseconds: 1_000_000_000)).reduce(0, +) == 1)
        #expect(rate.history(at: Moment(microseconds: .max)).reduce(0, +) == 0)
    }

    // MARK: - The status line and the block

    @Test("The status line shows state, uptime, rooms, rates, lag, queue, losses, filter and recording")
    func status() {
        var status = TailStatus(name: "prod", recording: "/var/log/day.weir.jsonl")
        func line(at milliseconds: Int64, _ facts: TailStatus.Facts = .init()) -> String {
            var buffer = TerminalBuffer()
            status.draw(facts, at: Moment(microseconds: milliseconds * 1000), to: &buffer)
            return String(decoding: buffer.bytes, as: UTF8.self)
        }
        #expect(line(at: 0) == "prod  starting  0/0 rooms  0/s (0/s)  ● /var/log/day.weir.jsonl")
        for report in Sample.status.prefix(2) { status.take(report) }
        #expect(line(at: 3000).hasPrefix("prod  up 1.0s  0/0 rooms"))
        for report in Sample.status + [Sample.reports[3]] { status.take(report) }
        for n in 0..<30 { status.take(event(30_000 + Int64(n) * 10, "/a", "x", lag: Int64(n) * 100)) }
        #expect(
            line(at: 31_500, .init(queue: 12, recorded: 12_345_678, filter: "kind = message"))
                == "prod  down 29.0s  1/2 rooms 1 denied  30/s (1/s)  lag 1.5s / 2.9s  queue 12  1 gaps  filter kind = message  ● /var/log/day.weir.jsonl 12MB"
        )
    }

    @Test("The block is redrawn in place, and removed before anything is printed")
    func block() throws {
        let pipe = try Pipe()
        defer { pipe.close() }
        let block = TerminalBlock(descriptor: pipe.writeEnd, isSingle: false)
        block.draw(Array("a\nb\n".utf8), lines: 2)
        #expect(pipe.readAll() == "\ra\u{1B}[K\nb\u{1B}[K\n")
        block.draw(Array("a\nb\n".utf8), lines: 2)
        #expect(pipe.readAll() == "")
        block.draw(Array("c\n".utf8), lines: 1)
        #expect(pipe.readAll() == "\r\u{1B}[2Ac\u{1B}[K\n\u{1B}[J")
        block.erase()
        block.erase()
        #expect(pipe.readAll() == "\r\u{1B}[1A\u{1B}[J")
        let single = TerminalBlock(descriptor: pipe.writeEnd, isSingle: true)
        single.draw(Array("status\n".utf8), lines: 1)
        single.erase()
        #expect(pipe.readAll() == "\rstatus\u{1B}[K\r\u{1B}[J")
    }

    // MARK: -

    private func drawn(_ kind: ViewKind, _ reports: [StampedReport], at milliseconds: Int64, rows: Int) -> String {
        guard var view = kind.makeView() else { return "" }
        for report in reports { view.take(report, KnownNames()) }
        return String(decoding: draw(view, at: milliseconds, rows: rows).bytes, as: UTF8.self)
    }

    private func draw(_ view: any LiveView, at milliseconds: Int64, rows: Int) -> TerminalBuffer {
        var buffer = TerminalBuffer()
        view.draw(
            ViewPlace(now: Moment(microseconds: milliseconds * 1000), wall: 0, rows: rows, roomWidth: 10), to: &buffer)
        return buffer
    }

    private func event(
        _ milliseconds: Int64, _ room: String, _ text: String, lag: Int64? = nil, actor: String = "Anna"
    ) -> StampedReport {
        let stamp = Sample.stamp(1, milliseconds)
        let message = Twake.Message(
            id: Sample.id(3), thread: Sample.id(3), senderName: actor, text: text,
            createdAt: lag.map { Timestamp(milliseconds: stamp.wall / 1000 - $0) })
        let resource = Twake.SocketIOResource(
            action: .created, room: room, type: .message, path: nil, resource: .message(message))
        let report = EventReport(
            event: .twake(.resource(resource)), source: SocketIO.Event(array: Sample.raw(Sample.messagePayload)))
        return StampedReport(stamp: stamp, report: .event(report))
    }
}
