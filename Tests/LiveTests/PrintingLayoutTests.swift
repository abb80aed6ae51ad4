import Glibc
import Testing
import WeirEvents
@testable import WeirLive
@testable import WeirViews
import WeirPipeline
import WeirRecording
import WeirTerminal
import WeirWire

@Suite("Layout of printed lines", .serialized)
struct PrintingLayoutTests {
    @Test("A line shows the time since the start, since the previous event, or none")
    func times() throws {
        let events = [event(0, lag: 5), event(12_345, lag: 5), event(85_001, lag: 5), event(7_384_000, lag: nil)]
        #expect(
            try printed(events, LineSettings(time: .rel)) == """
                     +0.000s     5ms                        message           Anna: hello
                    +12.345s     5ms                        message           Anna: hello
                  +1m25.001s     5ms                        message           Anna: hello
                   +2h03m04s                                message           Anna: hello

                """)
        #expect(
            try printed(events, LineSettings(time: .delta)) == """
                     +0.000s     5ms                        message           Anna: hello
                    +12.345s     5ms                        message           Anna: hello
                  +1m12.656s     5ms                        message           Anna: hello
                   +2h01m38s                                message           Anna: hello

                """)
        #expect(
            try printed([events[0]], LineSettings(time: .none)) == "   5ms  "
                + "                      message           Anna: hello\n")
    }

    @Test(
        "A new day is a line of its own in every form with times of day, and on standard error")
    func dates() throws {
        // 2026-01-02 23:59:59.500 UTC
        let late: Int64 = 1_767_398_399_500_000
        let events = [
            event(0, wall: late), event(1000, wall: late + 1_000_000), event(2000, wall: late + 2_000_000),
            event(3000, wall: late + 2 * 86_400_000_000),
        ]
        let lines = try printed(events, LineSettings()).split(separator: "\n")
        #expect(lines.count == 6 && lines[1] == "── 2026-01-03 ──" && lines[4] == "── 2026-01-04 ──", "\(lines)")
        #expect(lines[0].hasPrefix("23:59:59.500") && lines[2].hasPrefix("00:00:00.500"))
        #expect(try printed(events, LineSettings(time: .rel)).split(separator: "\n").count == 4)
        var status = StatusLines(quiet: false, showsGaps: true)
        var buffer = TerminalBuffer()
        for wall in [late, late + 1_000_000, late + 2_000_000] {
            let stamp = Stamp(n: 0, time: .zero, wall: wall)
            status.append(StampedReport(stamp: stamp, report: .notice(Notice(.warning, "w"))), to: &buffer)
        }
        #expect(
            String(decoding: buffer.bytes, as: UTF8.self).split(separator: "\n") == [
                "23:59:59.500Z  warning: w", "── 2026-01-03 ──", "00:00:00.500Z  warning: w",
                "00:00:01.500Z  warning: w",
            ])
    }

    @Test("Times use the machine's zone, through the change to summer time")
    func zone() throws {
        let before = getenv("TZ").map { String(cString: $0) }
        setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1)
        tzset()
        defer {
            if let before { setenv("TZ", before, 1) } else { unsetenv("TZ") }
            tzset()
        }
        // 2026-03-29 00:59:59.500 UTC, a second before the change.
        let change: Int64 = 1_774_745_999_500_000
        let lines = try printed(
            [event(0, wall: change), event(1000, wall: change + 1_000_000)], LineSettings(zone: .local))
        #expect(lines.split(separator: "\n").map { $0.prefix(18) } == ["01:59:59.500+01:00", "03:00:00.500+02:00"])
        let utc = try printed([event(0, wall: change)], LineSettings(zone: .utc))
        #expect(utc.hasPrefix("00:59:59.500Z  "))
    }

    @Test("The room column keeps its width for any rooms")
    func rooms() throws {
        let events = ["/a", "/a/bcd", "/a/very/long/room/of/many/parts", "/a"].map { event(0, room: $0) }
        #expect(
            try printed(events, LineSettings(time: .none, roomWidth: 12)) == """
                        /a            message           Anna: hello
                        /a/bcd        message           Anna: hello
                        …/many/parts  message           Anna: hello
                        /a            message           Anna: hello

                """)
    }

    @Test("A pause as long as the spacer is printed as a line")
    func spacer() throws {
        let events = [event(0), event(900), event(3400), event(4399)]
        let lines = try printed(events, LineSettings(time: .none, spacer: .seconds(1))).split(separator: "\n")
        #expect(lines.count == 5)
        #expect(lines[2] == "── 2.5s ──")
    }

    @Test("Late events are reported on standard error once, again when the lag doubles, and when it is over")
    func lateness() throws {
        let pipe = try Pipe()
        defer { pipe.close() }
        let printer = StatusPrinter(descriptor: pipe.writeEnd, colour: false)
        let lags = [10, 2500, 3000, 4900, 12_000, 4000, 600, 90_000_000]
        try printer.write(lags.flatMap { lag in (0..<40).map { _ in event(0, lag: Int64(lag)) } })
        let words = pipe.readAll().split(separator: "\n").map { $0.dropFirst(15) }
        #expect(
            words == [
                "warning: events arrive 2.5s late", "warning: events arrive 12.0s late",
                "events arrive in time again: lag 600ms",
            ])
    }

    private func event(
        _ milliseconds: Int64, lag: Int64? = nil, room: String? = nil, wall: Int64? = nil
    ) -> StampedReport {
        var stamp = Sample.stamp(1, milliseconds)
        if let wall { stamp.wall = wall }
        let message = Twake.Message(
            id: Sample.id(3), thread: Sample.id(3), senderName: "Anna", text: "hello",
            createdAt: lag.map { Timestamp(milliseconds: stamp.wall / 1000 - $0) })
        let resource = Twake.SocketIOResource(
            action: .created, room: room ?? "", type: .message, path: nil, resource: .message(message))
        let report = EventReport(
            event: .twake(.resource(resource)), source: SocketIO.Event(array: Sample.raw(Sample.messagePayload)))
        return StampedReport(stamp: stamp, report: .event(report))
    }

    private func printed(_ reports: [StampedReport], _ settings: LineSettings) throws -> String {
        let pipe = try Pipe()
        defer { pipe.close() }
        let printer = EventPrinter(
            format: .compact, descriptor: pipe.writeEnd, colour: false, width: nil, settings: settings)
        // One batch per report: the printer's memory spans batches.
        for report in reports { try printer.write([report]) }
        return pipe.readAll()
    }
}
