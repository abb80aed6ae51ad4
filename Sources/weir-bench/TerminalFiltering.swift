import Live
import Pipeline

/// The cost of filters that reject every event.
enum TerminalFiltering {
    /// The limit per event, in nanoseconds.
    private static let bar = 1000.0

    /// The number of events in the test. The same few events are filtered again and again, since a tail filters events
    /// it has just decoded. A pass over more than the caches hold would measure memory instead.
    private static let mostEvents = 1000

    /// Filters that reject all of the traffic.
    private static let filters: [(name: String, text: String)] = [
        ("kind", "kind = workspace"),
        ("kind, several", "kind in (workspace, company, user, online, documents)"),
        ("room, pattern", "room like '*/nothing/*'"),
        ("room, regular expression", "room ~ /^\\/nothing$/"),
        ("actor", "actor = nobody"),
        ("size", "size > 1G"),
        ("three of them", "not known or kind = workspace or size > 1G or room like '*/nothing'"),
        ("payload, by its path", "payload.data.resource.missing exists"),
        ("line, regular expression", "/no line has this/"),
    ]

    static func report(_ reports: [StampedReport], runs: Int) throws(BenchmarkError) -> [String] {
        let events = Array(
            reports.lazy.filter { if case .event = $0.report { true } else { false } }.prefix(mostEvents))
        let rounds = max(reports.count / max(events.count, 1), 1)
        var table = Table(["a filter that refuses everything", "ns an event", "x kind", "bar"])
        var kind: Double?
        for (name, text) in filters {
            let filter: Filter
            do throws(FilterError) {
                filter = try Filter(parsing: text)
            } catch {
                throw .failed("\(text): \(error.message)")
            }
            var costs: [Double] = []
            for _ in 0..<runs { costs.append(try cost(of: filter, name, events, rounds)) }
            let series = Series(costs)
            kind = kind ?? series.median
            let verdict = series.median < bar ? "under 1 µs" : name.hasPrefix("line") ? "prints first" : "MISSED"
            table.add([name, series.text(digits: 0), (series.median / (kind ?? 1)).fixed(1), verdict])
        }
        return table.lines + [""]
    }

    private static func cost(
        of filter: Filter, _ name: String, _ events: [StampedReport], _ rounds: Int
    ) throws(BenchmarkError) -> Double {
        var judge = FilterJudge(filter)
        var shown = 0
        let watch = Stopwatch()
        for _ in 0..<rounds {
            for event in events where judge.mark(event).isShown { shown += 1 }
        }
        let elapsed = watch.elapsed.seconds
        guard shown == 0 else { throw .failed("\(name): \(shown) events were not refused") }
        return elapsed * 1e9 / Double(max(events.count * rounds, 1))
    }
}
