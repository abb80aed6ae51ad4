import Glibc
import SectionedModel

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
