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
    /// The words that are said instead of numbers, from 0 on.
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

    /// One of some words; the first where it is not given.
    init(_ name: String, _ words: [String], _ meaning: String) {
        self.init(
            name, words.joined(separator: "|"), meaning, standard: 0, range: 0...words.count - 1, words: words)
    }

    /// A value as it is given.
    func text(_ value: Int) -> String { words.isEmpty ? "\(value)" : words[value] }

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

    /// The value given, or the option's own; nil when neither is there.
    func value(_ option: BenchmarkOption) -> Int? { values[option.name] ?? option.standard }

    /// The value of an option that has one of its own.
    subscript(option: BenchmarkOption) -> Int { value(option) ?? option.range.lowerBound }

    /// The command line that measures the same again.
    var commandLine: String {
        let words = benchmark.options.compactMap { option in value(option).map { "--\(option.name) \(option.text($0))" }
        }
        return (["weir-bench", benchmark.name] + words).joined(separator: " ")
    }
}
