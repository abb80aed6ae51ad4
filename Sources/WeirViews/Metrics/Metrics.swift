import WeirEvents
import WeirPipeline
import WeirWire

/// Counts the reports of a tail. Pure, and of bounded cardinality: once the limits are reached, new kinds and room classes of a peer count
/// as `other`.
package struct Metrics: Sendable {
    /// The labels of the counter of events.
    private struct EventKey: Hashable {
        var kind: String
        var room: String
    }

    static let mostSeries = 256
    static let mostClasses = 32
    static let mostRooms = 4096
    static let longestName = 48

    private var events: [EventKey: Int] = [:]
    /// The class of each room. It is cached because few rooms send most events.
    private var classes: [String: String] = [:]
    private var knownClasses: Set<String> = ["none"]
    private var lag = SpanHistogram()
    private var lagOf = 0
    private var gaps: [GapReport.Cause: Int] = [:]
    private var lost: [GapReport.Cause: Int] = [:]
    private var missed = 0
    private var readies = 0
    private var losses = 0
    private var refetches: [RefetchReport.Outcome: SpanHistogram] = [:]
    private var undecodable: [UndecodableReport.Layer: Int] = [:]
    private var actions: [String: Int] = [:]
    private var notices: [Notice.Level: Int] = [:]
    private var batches = 0

    package init() {}

    /// Adds a report to the counters of its type.
    package mutating func add(_ stamped: StampedReport) {
        switch stamped.report {
        case .event(let event):
            count(event)
            if let lag = stamped.lag, lag.magnitude < 86_400_000 { self.lag.add(lag * 1000) }
        case .diff: batches += 1
        case .gap(let gap):
            if gap.isLoss { gaps[gap.cause, default: 0] += 1 }
            lost[gap.cause, default: 0] += gap.lost ?? 0
            missed += gap.missed ?? 0
        case .connection(.ready): readies += 1
        case .connection(.lost): losses += 1
        case .refetch(let refetch):
            refetches[refetch.outcome, default: SpanHistogram()].add(refetch.duration.microseconds)
        case .undecodable(let failure): undecodable[failure.layer, default: 0] += 1
        case .action(let action): if let name = action.change.metricName { actions[name, default: 0] += 1 }
        case .notice(let notice): notices[notice.level, default: 0] += 1
        case .connection(.connecting), .room, .emit, .typing: break
        }
    }

    private mutating func count(_ event: EventReport) {
        let kind = event.kind
        let key = EventKey(
            kind: kind.utf8.count <= Self.longestName ? kind : "other", room: event.room.map { roomClass($0) } ?? "none"
        )
        if events[key] != nil || events.count < Self.mostSeries {
            events[key, default: 0] += 1
        } else {
            events[EventKey(kind: "other", room: "other"), default: 0] += 1
        }
    }

    private mutating func roomClass(_ room: String) -> String {
        if let known = classes[room] { return known }
        var name = Self.roomClass(room)
        if !knownClasses.contains(name) {
            if knownClasses.count < Self.mostClasses { knownClasses.insert(name) } else { name = "other" }
        }
        if classes.count < Self.mostRooms { classes[room] = name }
        return name
    }

    /// Returns the class of a room: the last part of its path that is a word, such as `feed` of `/companies/C/channels/9f…/feed`. An id is
    /// not a word. A room without a path has the class `named`.
    static func roomClass(_ room: String) -> String {
        let path = room.prefix { $0 != "?" }
        guard path.contains("/") else { return "named" }
        let word = path.split(separator: "/").last { part in
            part.utf8.count <= 24 && part.utf8.allSatisfy { ($0 | 0x20) >= 0x61 && ($0 | 0x20) <= 0x7A || $0 == 0x5F }
                && part.utf8.contains { $0 >= 0x61 }
        }
        return word.map(String.init) ?? "other"
    }

    /// Returns all families: those of the counters, and those of `gauges`.
    package func families(_ gauges: MetricGauges) -> [MetricFamily] {
        [
            MetricFamily(
                "weir_events", .counter, "Events received, by kind and by the sort of room.",
                events.sorted { ($0.key.kind, $0.key.room) < ($1.key.kind, $1.key.room) }.map {
                    .init(labels: [("kind", $0.key.kind), ("room_class", $0.key.room)], value: .integer($0.value))
                }),
            MetricFamily(
                "weir_event_lag_seconds", .histogram, unit: "seconds",
                "From the server's time of an event to its receipt.", .histogram(lag)),
            MetricFamily(
                "weir_gaps", .counter, "Losses, known or possible.", by: "cause", Self.sorted(gaps, seeding: .reconnect)
            ),
            MetricFamily(
                "weir_lost_events", .counter, "Events that are known to be lost.", by: "cause",
                Self.sorted(lost, seeding: .reconnect)),
            MetricFamily(
                "weir_missed_messages", .counter, "Messages that gaps missed and that were fetched.", .integer(missed)),
            MetricFamily(
                "weir_reconnects", .counter, "Times that the connection came back.", .integer(max(readies - 1, 0))),
            MetricFamily(
                "weir_connection_losses", .counter, "Times that the connection was lost, or could not be made.",
                .integer(losses)),
            MetricFamily(
                "weir_refetch_duration_seconds", .histogram, unit: "seconds",
                "Requests for resources, by what became of them.",
                RefetchReport.Outcome.allCases.compactMap { outcome in
                    refetches[outcome].map { .init(labels: [("outcome", outcome.rawValue)], value: .histogram($0)) }
                }),
            MetricFamily(
                "weir_undecodable", .counter, "Frames, events and answers that cannot be read.", by: "layer",
                Self.sorted(undecodable, seeding: .event)),
            MetricFamily(
                "weir_actions", .counter, "What became of actions.", by: "outcome",
                actions.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }),
            MetricFamily(
                "weir_notices", .counter, "Notices to the user.", by: "level", Self.sorted(notices, seeding: .warning)),
            MetricFamily("weir_model_batches", .counter, "Changes of the model.", .integer(batches)),
        ] + gauges.families
    }

    /// Sorts counts by name. The cause `first` is present even without a count, so that an alert can query it.
    private static func sorted<Key: RawRepresentable<String> & Hashable>(
        _ counts: [Key: Int], seeding first: Key
    ) -> [(String, Int)] {
        counts.merging([first: 0]) { known, _ in known }.map { ($0.key.rawValue, $0.value) }.sorted { $0.0 < $1.0 }
    }
}

extension ActionReport.Change {
    /// The value of the label `outcome`; `nil` for a change that is not the end of an action.
    fileprivate var metricName: String? {
        switch self {
        case .done: "done"
        case .refused: "refused"
        case .delayed: "delayed"
        case .dropped: "dropped"
        case .queued, .sending: nil
        }
    }
}

/// The values that are read at the time of a scrape: those of the process and of its tail.
package struct MetricGauges: Sendable {
    package var tool = ""
    package var backend = ""
    package var isConnected = false
    package var rooms: (wanted: Int, joined: Int, refused: Int) = (0, 0, 0)
    /// The entries and bytes that wait for each outlet thread.
    package var queues: [(name: String, items: Int, bytes: Int)] = []
    package var viewers = 0
    /// The number of rows in the model by the name of the section. The number of names is limited.
    package var rows: [(section: String, count: Int)] = []
    package var residentBytes = 0
    package var recordedBytes = 0
    package var syncs = 0
    /// The time that these syncs took, in microseconds.
    package var syncTime = 0
    /// When the process started, in microseconds since 1970 UTC.
    package var startWall: Int64 = 0

    package init() {}

    var families: [MetricFamily] {
        [
            MetricFamily(
                "weir", .info, "What runs.",
                [.init(labels: [("version", tool), ("backend", backend)], value: .integer(1))]),
            MetricFamily("weir_connected", .gauge, "Whether the session stands.", .integer(isConnected ? 1 : 0)),
            MetricFamily(
                "weir_rooms", .gauge, "Rooms, by how they stand.", by: "state",
                [("joined", rooms.joined), ("refused", rooms.refused), ("wanted", rooms.wanted)]),
            MetricFamily(
                "weir_queue_items", .gauge, "What waits for a thread.", by: "queue", queues.map { ($0.name, $0.items) }),
            MetricFamily(
                "weir_queue_bytes", .gauge, unit: "bytes", "Bytes of what waits for a thread.",
                queues.map { .init(labels: [("queue", $0.name)], value: .integer($0.bytes)) }),
            MetricFamily("weir_viewers", .gauge, "Programs that look on.", .integer(viewers)),
            MetricFamily(
                "weir_model_rows", .gauge, "Rows of the model.", by: "section", rows.map { ($0.section, $0.count) }),
            MetricFamily(
                "weir_recorded_bytes", .counter, unit: "bytes", "Bytes written to recordings.", .integer(recordedBytes)),
            MetricFamily(
                "weir_recorder_syncs", .counter, "Times that a recording was forced to disk.", .integer(syncs)),
            MetricFamily(
                "weir_recorder_sync_seconds", .counter, unit: "seconds", "How long the disk took for that.",
                .number(Double(syncTime) / 1e6)),
            MetricFamily(
                "process_resident_memory_bytes", .gauge, unit: "bytes", "Resident memory.", .integer(residentBytes)),
            MetricFamily(
                "process_start_time_seconds", .gauge, unit: "seconds", "When the process began, since 1970.",
                .number(Double(startWall) / 1e6)),
        ]
    }
}

/// A metric with its current samples. `MetricsText` writes it into a scrape, and `OTLPExport` into an export.
package struct MetricFamily: Sendable {
    /// The type of the metric. It decides how a collector reads the samples.
    package enum Kind: String, Sendable {
        /// A number that only grows from the start of the process.
        case counter
        /// A number that rises and falls.
        case gauge
        /// The number of spans up to each bound of `SpanHistogram`.
        case histogram
        /// Facts as labels; the value is 1.
        case info
    }

    /// A value and the labels that identify it within the family.
    package struct Sample: Sendable {
        /// The names and values of the labels. A value may come from a peer, so it is untrusted.
        package var labels: [(name: String, value: String)]
        package var value: Value
    }

    package enum Value: Sendable {
        case integer(Int)
        case number(Double)
        case histogram(SpanHistogram)
    }

    /// The name without the suffix that a format adds, such as `_total`.
    package var name: StaticString
    package var kind: Kind
    /// The unit, which is also the last part of the name; `nil` for a metric without a unit.
    package var unit: StaticString?
    /// A description of the metric, in one line.
    package var help: StaticString
    package var samples: [Sample]

    init(
        _ name: StaticString, _ kind: Kind, unit: StaticString? = nil, _ help: StaticString, _ samples: [Sample]
    ) {
        (self.name, self.kind, self.unit, self.help, self.samples) = (name, kind, unit, help, samples)
    }

    /// Creates a family with one sample that has no labels.
    init(_ name: StaticString, _ kind: Kind, unit: StaticString? = nil, _ help: StaticString, _ value: Value) {
        self.init(name, kind, unit: unit, help, [Sample(labels: [], value: value)])
    }

    /// Creates a family with a sample for each value of the label `label`.
    init(_ name: StaticString, _ kind: Kind, _ help: StaticString, by label: String, _ counts: [(String, Int)]) {
        self.init(
            name, kind, help, counts.map { Sample(labels: [(label, $0.0)], value: .integer($0.1)) })
    }
}

/// The durations that a histogram counts, by fixed upper bounds.
package struct SpanHistogram: Hashable, Sendable {
    /// The upper bounds of the buckets, in microseconds, in ascending order.
    package static let bounds: [Int64] = [
        1_000, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000,
        30_000_000, 60_000_000,
    ]
    /// The number of durations in each bucket, not cumulative. The last bucket has no upper bound.
    package private(set) var counts = Array(repeating: 0, count: bounds.count + 1)
    /// The sum of all durations, in microseconds.
    package private(set) var sum: Int64 = 0

    /// The number of all durations.
    package var count: Int { counts.reduce(0, +) }

    /// Adds a duration in microseconds. A negative one counts as 0.
    mutating func add(_ microseconds: Int64) {
        let span = max(microseconds, 0)
        counts[Self.bounds.firstIndex { span <= $0 } ?? Self.bounds.count] += 1
        sum = sum.addingReportingOverflow(span).partialValue
    }
}

/// Writes the text of a scrape: OpenMetrics 1.0, or Prometheus' older text format 0.0.4.
package enum MetricsText {
    /// A format of the text.
    package enum Form {
        case openMetrics, prometheus

        /// Chooses the format from the `Accept` header of a client.
        package init(accepting header: String?) {
            self = header?.contains("application/openmetrics-text") == true ? .openMetrics : .prometheus
        }

        package var contentType: String {
            switch self {
            case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
            case .prometheus: "text/plain; version=0.0.4; charset=utf-8"
            }
        }
    }

    /// Returns the text of all families in the given format.
    package static func text(of families: [MetricFamily], as form: Form) -> String {
        var text = ""
        for family in families where !family.samples.isEmpty { append(family, form, &text) }
        if form == .openMetrics { text += "# EOF\n" }
        return text
    }

    private static func append(_ family: MetricFamily, _ form: Form, _ text: inout String) {
        let name = "\(family.name)"
        // OpenMetrics names a family without the suffix of its samples.
        let ending = family.kind == .counter ? "_total" : family.kind == .info ? "_info" : ""
        let title = form == .openMetrics ? name : name + ending
        let type = form == .prometheus && family.kind == .info ? "gauge" : family.kind.rawValue
        text += "# TYPE \(title) \(type)\n"
        if form == .openMetrics, let unit = family.unit { text += "# UNIT \(title) \(unit)\n" }
        text += "# HELP \(title) \(family.help)\n"
        for sample in family.samples {
            switch sample.value {
            case .integer(let value): text += "\(name)\(ending)\(labels(sample)) \(value)\n"
            case .number(let value): text += "\(name)\(ending)\(labels(sample)) \(value)\n"
            case .histogram(let histogram): append(histogram, name, sample, &text)
            }
        }
    }

    private static func append(
        _ histogram: SpanHistogram, _ name: String, _ sample: MetricFamily.Sample, _ text: inout String
    ) {
        var below = 0
        for (bound, count) in zip(SpanHistogram.bounds.map { "\(Double($0) / 1e6)" } + ["+Inf"], histogram.counts) {
            below += count
            text += "\(name)_bucket\(labels(sample, "le", bound)) \(below)\n"
        }
        text += "\(name)_sum\(labels(sample)) \(Double(histogram.sum) / 1e6)\n"
        text += "\(name)_count\(labels(sample)) \(below)\n"
    }

    private static func labels(_ sample: MetricFamily.Sample, _ name: String? = nil, _ value: String = "") -> String {
        var parts = sample.labels.map { "\($0.name)=\"\(escaped($0.value))\"" }
        if let name { parts.append("\(name)=\"\(value)\"") }
        return parts.isEmpty ? "" : "{" + parts.joined(separator: ",") + "}"
    }

    private static func escaped(_ value: String) -> String {
        value.replacing("\\", with: #"\\"#).replacing("\"", with: #"\""#).replacing("\n", with: #"\n"#)
    }
}
