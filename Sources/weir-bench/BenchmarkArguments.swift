/// An option of a benchmark; all take a whole number.
struct BenchmarkOption: Sendable {
    let name: String
    let placeholder: String
    let meaning: String
    /// What holds when it is not given; nil when that is no number.
    let standard: Int?
    let range: ClosedRange<Int>
    /// What it means when it is given without a number; nil when it needs one.
    let alone: Int?

    init(
        _ name: String, _ placeholder: String, _ meaning: String, standard: Int?, range: ClosedRange<Int>,
        alone: Int? = nil
    ) {
        self.name = name
        self.placeholder = placeholder
        self.meaning = meaning
        self.standard = standard
        self.range = range
        self.alone = alone
    }

    static let runs = BenchmarkOption("runs", "R", "measure so many times", standard: 5, range: 1...1000)
    static let seed = BenchmarkOption("seed", "S", "what the traffic is made from", standard: 1, range: 0...Int.max)
}

/// What a benchmark was told.
struct BenchmarkArguments {
    private let benchmark: Benchmark
    private var values: [String: Int] = [:]

    init(parsing words: [String], for benchmark: Benchmark) throws(BenchmarkError) {
        self.benchmark = benchmark
        var rest = words[...]
        while let word = rest.popFirst() {
            guard let option = benchmark.options.first(where: { "--\($0.name)" == word }) else {
                throw .usage("unknown option '\(word)'; try 'weir-bench help \(benchmark.name)'")
            }
            if let alone = option.alone, rest.first?.hasPrefix("--") ?? true {
                values[option.name] = alone
                continue
            }
            guard let value = rest.popFirst().flatMap({ Int($0) }), option.range.contains(value) else {
                throw .usage(
                    "\(word) takes a whole number from \(option.range.lowerBound) to \(option.range.upperBound)")
            }
            values[option.name] = value
        }
    }

    /// The value given, or the option's own; nil when neither is there.
    func value(_ option: BenchmarkOption) -> Int? { values[option.name] ?? option.standard }

    /// The value of an option that has one of its own.
    subscript(option: BenchmarkOption) -> Int { value(option) ?? option.range.lowerBound }

    /// The command line that measures the same again.
    var commandLine: String {
        let words = benchmark.options.compactMap { option in value(option).map { "--\(option.name) \($0)" } }
        return (["weir-bench", benchmark.name] + words).joined(separator: " ")
    }
}
