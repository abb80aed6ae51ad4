import Wire

/// A metric with its current samples. `MetricsText` writes it into a scrape, and `OTLPExport` into an export.
struct MetricFamily: Sendable {
    /// The type of the metric. It decides how a collector reads the samples.
    enum Kind: String, Sendable {
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
    struct Sample: Sendable {
        /// The names and values of the labels. A value may come from a peer, so it is untrusted.
        var labels: [(name: String, value: String)]
        var value: Value
    }

    enum Value: Sendable {
        case integer(Int)
        case number(Double)
        case histogram(SpanHistogram)
    }

    /// The name without the suffix that a format adds, such as `_total`.
    var name: StaticString
    var kind: Kind
    /// The unit, which is also the last part of the name; `nil` for a metric without a unit.
    var unit: StaticString?
    /// A description of the metric, in one line.
    var help: StaticString
    var samples: [Sample]

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
struct SpanHistogram: Hashable, Sendable {
    /// The upper bounds of the buckets, in microseconds, in ascending order.
    static let bounds: [Int64] = [
        1_000, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000,
        30_000_000, 60_000_000,
    ]
    /// The number of durations in each bucket, not cumulative. The last bucket has no upper bound.
    private(set) var counts = Array(repeating: 0, count: bounds.count + 1)
    /// The sum of all durations, in microseconds.
    private(set) var sum: Int64 = 0

    /// The number of all durations.
    var count: Int { counts.reduce(0, +) }

    /// Adds a duration in microseconds. A negative one counts as 0.
    mutating func add(_ microseconds: Int64) {
        let span = max(microseconds, 0)
        counts[Self.bounds.firstIndex { span <= $0 } ?? Self.bounds.count] += 1
        sum = sum.addingReportingOverflow(span).partialValue
    }
}
