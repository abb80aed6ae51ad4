/// An option of a benchmark. All options take a whole number, or a word from a list in which each word means a number.
struct BenchmarkOption: Sendable {
    let name: String
    let placeholder: String
    let meaning: String
    /// The default value; `nil` when the option is off by default.
    let standard: Int?
    let range: ClosedRange<Int>
    /// The value when the option has no argument; `nil` when it requires one.
    let alone: Int?
    /// The words accepted instead of numbers, for the values from 0 on.
    let words: [String]

    init(
        _ name: String, _ placeholder: String, _ meaning: String, standard: Int?, range: ClosedRange<Int>,
        alone: Int? = nil, words: [String] = []
    ) {
        self.name = name
        self.placeholder = placeholder
        self.meaning = meaning
        self.standard = standard
        self.range = range
        self.alone = alone
        self.words = words
    }

    /// Creates an option that takes one of several words. The first is the default.
    init(_ name: String, _ words: [String], _ meaning: String) {
        self.init(
            name, words.joined(separator: "|"), meaning, standard: 0, range: 0...words.count - 1, words: words)
    }

    /// Returns a value in the form in which the user enters it.
    func text(_ value: Int) -> String { words.isEmpty ? "\(value)" : words[value] }

    static let runs = BenchmarkOption("runs", "R", "measure so many times", standard: 5, range: 1...1000)
    static let seed = BenchmarkOption("seed", "S", "seed of the generated traffic", standard: 1, range: 0...Int.max)
}

/// The parsed options of a benchmark.
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
            let given = rest.popFirst()
            if !option.words.isEmpty {
                guard let value = given.flatMap({ option.words.firstIndex(of: $0) }) else {
                    throw .usage("\(word) takes one of \(option.words.joined(separator: ", "))")
                }
                values[option.name] = value
                continue
            }
            guard let value = given.flatMap({ Int($0) }), option.range.contains(value) else {
                throw .usage(
                    "\(word) takes a whole number from \(option.range.lowerBound) to \(option.range.upperBound)")
            }
            values[option.name] = value
        }
    }

    /// Returns the given value or the default; `nil` when there is neither.
    func value(_ option: BenchmarkOption) -> Int? { values[option.name] ?? option.standard }

    /// The value of an option that has a default.
    subscript(option: BenchmarkOption) -> Int { value(option) ?? option.range.lowerBound }

    /// A command line that repeats the measurement.
    var commandLine: String {
        let words = benchmark.options.compactMap { option in value(option).map { "--\(option.name) \(option.text($0))" }
        }
        return (["weir-bench", benchmark.name] + words).joined(separator: " ")
    }
}
