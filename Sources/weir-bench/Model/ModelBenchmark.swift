import Glibc
import ModelOracle
import WeirModel

extension Benchmark {
    static let entities = BenchmarkOption(
        "entities", "N", "rows of the model; the large one has ten times as many", standard: 100_000,
        range: 1000...5_000_000)
    static let sections = BenchmarkOption(
        "sections", "S", "sections of the model", standard: 1000, range: 1...1_000_000)
    static let memory = BenchmarkOption(
        "memory", "N", "only print the bytes of an entity in a model of N, in addition to its 48", standard: nil,
        range: 1000...50_000_000)

    static let soak = BenchmarkOption(
        "soak", "[N]", "check N random batches (default a million) instead of measuring", standard: nil,
        range: 1...1_000_000_000, alone: 1_000_000)

    /// Measures the sectioned model against its performance limits.
    static let model = Benchmark(
        name: "model", summary: "cost of a change of the sectioned model, and its limits",
        details: [
            "Rows of 48 bytes with random 16-byte ids; a change moves a random row to another section with another sort key.",
            "Measures two sizes and several shapes, each run with its own seed, and for comparison the standard library's",
            "difference(from:) and inferringMoves() on the same data. Two snapshots are retained outside the model: the newest",
            "and the previous one.",
        ],
        options: [entities, sections, .seed, .runs, memory, soak]
    ) { arguments throws(BenchmarkError) in
        if let batches = arguments.value(soak) {
            return try ModelSoak(batches: batches, seed: UInt64(arguments[.seed])).run()
        }
        let shape = ModelShape(rows: arguments[entities], sections: min(arguments[sections], arguments[entities]))
        if let rows = arguments.value(memory) {
            let shape = ModelShape(rows: rows, sections: shape.sections)
            return print(try ModelMemory.measure(shape, seed: UInt64(arguments[.seed])).fixed(1))
        }
        let watch = Stopwatch()
        var measurement = ModelMeasurement(shape)
        for run in 0..<arguments[.runs] { try measurement.run(seed: UInt64(arguments[.seed] + run)) }
        print(measurement.report(arguments, took: watch.elapsed))
    }
}

/// The figures of all runs.
struct ModelMeasurement {
    let shape: ModelShape
    var figures = ModelFigures()
    var matrix = SnapshotMatrix()
    /// The number of changes measured together: enough for the clock, and few enough to keep the shape of the model.
    static let changes = 50_000

    init(_ shape: ModelShape) { self.shape = shape }

    /// The larger model in other shapes: one section, as many sections as the smaller model, sections of unequal size,
    /// and one section per ten rows.
    private var largeShapes: [ModelShape] {
        let rows = shape.rows * 10
        return [
            ModelShape(rows: rows, sections: 1), ModelShape(rows: rows, sections: shape.sections),
            ModelShape(rows: rows, sections: shape.sections, spread: .zipf),
            ModelShape(rows: rows, sections: max(1, rows / 10)),
        ]
    }

    mutating func run(seed: UInt64) throws(BenchmarkError) {
        try measureSmall(seed: seed)
        try measureSnapshots(ModelShape(rows: shape.rows, sections: shape.sections, spread: .zipf), seed: seed)
        for shape in largeShapes { try measureLarge(shape, seed: seed) }
        try measureGrowth(seed: seed)
        try measureMemory(seed: seed)
        try measureDifference(seed: seed)
        try measureEntities(seed: seed)
        try measureLog(seed: seed)
    }

    func report(_ arguments: BenchmarkArguments, took: Span) -> String {
        let heading =
            "one thread, \(arguments[.runs]) runs with seeds from \(arguments[.seed]) on; "
            + "sizes are rows / sections"
        let scale =
            figures.slowness.map {
                ", on a machine where the standard library's\ndifference(from:) of one move takes 1,000 us; here it took "
                    + "\($0.fixed(2)) times as long, by which bars are scaled"
            } ?? ""
        let footing = [
            "",
            "The bars are for the sizes that hold when none is given\(scale).",
            "Times are the process's own processor time: other work on the machine does not count, except for its effect on memory",
            "speed. Measuring took \(took.seconds.fixed(1)) s, of which the process had a "
                + "processor for \(took.processor.fixed(1)) s.",
            "Interruptions of the machine show in the spread of single moves, as in the spread, shown next to it, of an equally long",
            "computation that does not access memory.",
            "Snapshots are let go on the writer's thread, and that is in every figure but the spread of single moves.",
            "Again: \(arguments.commandLine)",
        ]
        return ([heading] + figures.lines + matrix.lines + footing).joined(separator: "\n")
    }

    /// Runs `body`, which performs `count` operations. Returns the processor time of one operation in microseconds, and
    /// the result of `body`.
    func time<Value>(
        _ count: Int, _ body: () throws(ModelError) -> Value
    ) throws(BenchmarkError) -> (microseconds: Double, value: Value) {
        let watch = Stopwatch()
        let value = try ModelSubject.refused(body)
        return (watch.elapsed.processor * 1e6 / Double(max(count, 1)), value)
    }
}

/// A limit for a figure (issue 4), in the figure's unit; lower is better.
struct ModelBar {
    /// The time of the standard library's `difference(from:)` for a single move on the machine for which the limits
    /// were set (diff log DL-15). On a slower machine, the limits are scaled by the ratio of the times.
    static let yardstick = (name: "move one, 100,000 / 1,000, difference(from:)", microseconds: 1000.0)

    let limit: Double

    /// Returns whether a figure meets the limit. If it does not, also returns the excess, both as measured and scaled
    /// for a machine that is `slowness` times as slow as the one for which the limits were set.
    func verdict(on figure: Double, isTime: Bool, slowness: Double?) -> String {
        if figure <= limit { return "reached" }
        let verdict = "missed, \((figure / limit).fixed(2)) x the bar"
        guard isTime, let slowness else { return verdict }
        return verdict + ", \((figure / limit / slowness).fixed(2)) x it scaled"
    }
}

/// One line of the report, measured once per run.
struct ModelFigure {
    let name: String
    let unit: String
    var digits = 2
    var bar: ModelBar?
    var values: [Double] = []

    var isTime: Bool { unit == "us" || unit == "ms" }
}

/// The lines of the report by group, in the order of their first measurement.
struct ModelFigures {
    /// The groups of figures. The raw values are the headings of their tables.
    enum Group: String, CaseIterable {
        case bars = "the bars of issue 4"
        case others = "beside them"
        case library = "the standard library on the same data"
    }

    private var groups: [Group: [ModelFigure]] = [:]

    mutating func add(
        _ name: String, _ value: Double, _ unit: String, digits: Int = 2, bar limit: Double? = nil,
        in group: Group = .bars
    ) {
        var figures = groups[group] ?? []
        if let index = figures.firstIndex(where: { $0.name == name }) {
            figures[index].values.append(value)
        } else {
            figures.append(
                ModelFigure(name: name, unit: unit, digits: digits, bar: limit.map(ModelBar.init), values: [value]))
        }
        groups[group] = figures
    }

    /// How many times slower this machine is than the one for which the limits were set; `nil` when the yardstick was
    /// not measured.
    var slowness: Double? {
        groups[.library]?.first { $0.name == ModelBar.yardstick.name }
            .map { Series($0.values).median / ModelBar.yardstick.microseconds }
    }

    /// The lines of all tables, each preceded by an empty line.
    var lines: [String] {
        Group.allCases.flatMap { group -> [String] in
            guard let figures = groups[group] else { return [] }
            var table = Table([group.rawValue, "median [lowest..highest]", "", "bar", ""])
            for figure in figures {
                let series = Series(figure.values)
                table.add([
                    figure.name, series.text(digits: figure.digits), figure.unit.padded(to: 7),
                    figure.bar.map { $0.limit.fixed($0.limit < 10 ? 1 : 0) } ?? "",
                    figure.bar?.verdict(on: series.median, isTime: figure.isTime, slowness: slowness).padded(to: 8)
                        ?? "",
                ])
            }
            return [""] + table.lines
        }
    }
}

/// The cost of a change at each snapshot interval, with one line per shape.
struct SnapshotMatrix {
    /// The numbers of transactions between two snapshots; `nil` means no snapshots.
    static let intervals: [Int?] = [nil, 4096, 256, 16, 1]
    private var rows: [(shape: String, series: [[Double]])] = []

    mutating func add(_ shape: String, _ microseconds: [Double]) {
        let index = rows.firstIndex { $0.shape == shape } ?? rows.count
        if index == rows.count { rows.append((shape, Array(repeating: [], count: microseconds.count))) }
        for (column, value) in microseconds.enumerated() { rows[index].series[column].append(value) }
    }

    var lines: [String] {
        var table = Table(
            ["us a change, a snapshot every"] + Self.intervals.map { $0.map { $0.grouped } ?? "none" })
        for row in rows { table.add([row.shape] + row.series.map { Series($0).text(digits: 2) }) }
        return [""] + table.lines
    }
}

/// The long run of the property test that the tests run briefly.
struct ModelSoak {
    let batches: Int
    let seed: UInt64

    /// Prints its progress from time to time, and a summary at the end.
    /// - Throws: An error with the seed and the batch when a check fails.
    func run() throws(BenchmarkError) {
        print("\(batches.grouped) random batches from seed \(seed)")
        let watch = Stopwatch()
        var announced = 0
        let problem = soak(seed: seed, batches: batches) { done in
            guard done - announced >= 100_000, done < batches else { return }
            announced = done
            print("  \(done.grouped), \(rate(of: done, since: watch)) a second")
            // Flush, so that the line appears at once even in a pipe or a file.
            fflush(nil)
        }
        let again = "Again: weir-bench model --soak \(batches) --seed \(seed)"
        if let problem { throw .failed("\(problem)\n\(again)") }
        print(
            """
            All right: \(batches.grouped) batches in \(watch.elapsed.seconds.fixed(0)) s, \(rate(of: batches, since: watch)) a second.
            Checked of each: the batch is the one made from scratch, rules W1 to W6, the fewest moves; applied, it leads to
            the new state, and its inverse back; composed with those before it, it leads from the old states; its view form
            and its sequential form lead there too; a replica that knows the log only has the same rows and the same
            checksum; every lookup; the trees' own invariants; snapshots taken before stay what they were. A batch spoiled at
            random is refused exactly when it breaks a rule, and leaves nothing behind.
            \(again)
            """)
    }

    private func rate(of done: Int, since watch: Stopwatch) -> String {
        Int(Double(done) / max(watch.elapsed.seconds, 1e-9)).grouped
    }
}
