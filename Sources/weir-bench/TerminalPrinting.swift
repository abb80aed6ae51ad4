import Glibc
import JSONText
import Live
import Pipeline
import SectionedModel

/// The cost of printing events.
enum TerminalPrinting {
    /// The number of reports printed at once, as a busy socket delivers them.
    private static let batch = 64

    static func report(_ reports: [StampedReport], runs: Int) throws(BenchmarkError) -> [String] {
        let null = open("/dev/null", O_WRONLY | O_CLOEXEC)
        guard null >= 0 else { throw .failed("/dev/null cannot be opened") }
        defer { close(null) }
        let events = reports.count { if case .event = $0.report { true } else { false } }
        let rows = reports.reduce(0) { $0 + Self.rows(of: $1).count }
        var table = Table(["printed", "µs an event", "x raw"])
        var raw = 0.0
        for (name, form) in try forms() {
            let series = try measure(runs, events) { () throws(OutletError) in
                let printer = EventPrinter(form, descriptor: null, colour: false, width: 120)
                try write(reports, to: printer)
            }
            if raw == 0 { raw = series.median }
            table.add([name, series.text(digits: 2), (series.median / raw).fixed(1)])
        }
        let parsed = try measure(runs, events) { () throws(OutletError) in
            var differing = 0
            for report in reports { for change in Self.rows(of: report) { differing += Self.differences(change) } }
            if differing < 0 { throw .closedByReader }
        }
        table.add(["(changed fields, by parsing both states)", parsed.text(digits: 2), (parsed.median / raw).fixed(1)])
        return table.lines + [
            "", "\(events) events with \(rows) changed rows, in batches of \(batch) reports, to /dev/null.", "",
        ]
    }

    private static func forms() throws(BenchmarkError) -> [(String, PrintedForm)] {
        do {
            return [
                ("raw", .format(.raw)), ("jsonl", .format(.jsonl)), ("compact", .format(.compact)),
                ("pretty", .format(.pretty)), ("table", .format(.table)), ("json", .format(.json)),
                ("template", .template(try LineTemplate("{time} {room:20} {actor:>12.12} {payload.resource.text}"))),
                ("fields", .fields(try EnvelopeFields("room,actor,payload.resource.text"))),
            ]
        } catch {
            throw .failed("\(error)")
        }
    }

    private static func measure(
        _ runs: Int, _ events: Int, _ body: () throws(OutletError) -> Void
    ) throws(BenchmarkError) -> Series {
        var spans: [Double] = []
        for _ in 0..<runs {
            let watch = Stopwatch()
            do { try body() } catch { throw .failed("\(error)") }
            spans.append(watch.elapsed.seconds * 1e6 / Double(max(events, 1)))
        }
        return Series(spans)
    }

    private static func write(_ reports: [StampedReport], to outlet: any Outlet) throws(OutletError) {
        var start = 0
        while start < reports.count {
            let end = min(start + batch, reports.count)
            try outlet.write(Array(reports[start..<end]))
            start = end
        }
        try outlet.finish()
    }

    private static func rows(of report: StampedReport) -> [Batch<Item>.Change] {
        if case .diff(let diff) = report.report { diff.batch.updates + diff.batch.moves } else { [] }
    }

    /// Returns the number of fields that differ, found by parsing both states. An earlier version of the printer did
    /// this.
    private static func differences(_ change: Batch<Item>.Change) -> Int {
        func members(_ item: Item) -> [JSONValue.Member] {
            var writer = JSONWriter()
            item.entity.encode(into: &writer)
            if case .object(let members)? = try? JSONValue(parsing: writer.bytes[...]) { return members }
            return []
        }
        let (old, new) = (members(change.old), members(change.new))
        return new.count { field in old.first { $0.key == field.key }?.value != field.value }
    }
}

/// The memory of a long tail, in simulated time.
enum TerminalMemory {
    private static let rate = 10_000

    static func report(seconds: Int, channels: Int) throws(BenchmarkError) -> [String] {
        guard seconds > 0 else { return [] }
        let null = open("/dev/null", O_WRONLY | O_CLOEXEC)
        guard null >= 0 else { throw .failed("/dev/null cannot be opened") }
        defer { close(null) }
        let outlets: [any Outlet] = [
            SummaryCollector(), StatusPrinter(descriptor: null, colour: true),
            EventPrinter(format: .compact, descriptor: null, colour: true, width: 120),
        ]
        let viewed = ViewKind.allCases.filter { $0 != .log }.map {
            TerminalBoard($0, status: nil, isLive: false, around: [])
        }
        var traffic = TerminalTraffic(channels: channels, eachSecond: rate, seed: 1)
        var table = Table(["simulated", "events", "resident MB"])
        var marks = Set((1...8).map { max(seconds * $0 / 8, 1) })
        marks.insert(1)
        for second in 1...seconds {
            var failure: OutletError?
            for _ in 0..<rate {
                traffic.next { reports in
                    for outlet in outlets + viewed {
                        do throws(OutletError) { try outlet.write(reports) } catch { failure = error }
                    }
                }
            }
            if let failure { throw .failed("\(failure)") }
            guard marks.contains(second) else { continue }
            table.add(["\(second) s", "\(second * rate)", ((PeakMemory.residentBytes ?? 0) / 1e6).fixed(1)])
        }
        return table.lines + [
            "",
            "One session of \(channels) channels, printed in lines and taken by every view at once.",
        ]
    }
}
