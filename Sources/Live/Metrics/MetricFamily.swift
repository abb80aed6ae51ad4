import Wire

/// What is measured under one name, with its values now: what the text of a scrape and an OTLP export are both made of.
struct MetricFamily: Sendable {
    /// What a value means.
    enum Kind: String, Sendable {
        /// It only grows, from the start of the process on.
        case counter
        /// It goes up and down.
        case gauge
        /// Spans by how long they were.
        case histogram
        /// Facts as labels; the value is 1.
        case info
    }

    /// A value with what it is of.
    struct Sample: Sendable {
        /// Names and values; values may be a peer's.
        var labels: [(name: String, value: String)]
        var value: Value
    }

    enum Value: Sendable {
        case integer(Int)
        case number(Double)
        case histogram(SpanHistogram)
    }

    /// Without the ending that a form asks for.
    var name: StaticString
    var kind: Kind
    /// The unit, which is also the end of the name; nil where there is none.
    var unit: StaticString?
    /// What it is, in one line.
    var help: StaticString
    var samples: [Sample]

    init(
        _ name: StaticString, _ kind: Kind, unit: StaticString? = nil, _ help: StaticString, _ samples: [Sample]
    ) {
        (self.name, self.kind, self.unit, self.help, self.samples) = (name, kind, unit, help, samples)
    }

    /// One of a single value.
    init(_ name: StaticString, _ kind: Kind, unit: StaticString? = nil, _ help: StaticString, _ value: Value) {
        self.init(name, kind, unit: unit, help, [Sample(labels: [], value: value)])
    }

    /// One with a count for each value of a label.
    init(_ name: StaticString, _ kind: Kind, _ help: StaticString, by label: String, _ counts: [(String, Int)]) {
        self.init(
            name, kind, help, counts.map { Sample(labels: [(label, $0.0)], value: .integer($0.1)) })
    }
}

/// How many spans were no longer than each of fixed bounds.
struct SpanHistogram: Hashable, Sendable {
    /// Upper bounds in microseconds.
    static let bounds: [Int64] = [
        1_000, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000,
        30_000_000, 60_000_000,
    ]
    /// Spans by bound, each counted once; the last is of those above all bounds.
    private(set) var counts = Array(repeating: 0, count: bounds.count + 1)
    /// The sum of all spans, in microseconds.
    private(set) var sum: Int64 = 0

    /// How many spans there were.
    var count: Int { counts.reduce(0, +) }

    /// Adds a span in microseconds; a negative one counts as 0.
    mutating func add(_ microseconds: Int64) {
        let span = max(microseconds, 0)
        counts[Self.bounds.firstIndex { span <= $0 } ?? Self.bounds.count] += 1
        sum = sum.addingReportingOverflow(span).partialValue
    }
}
