import Glibc

/// One benchmark, which is a command of `weir-bench`. To add one, write a file with a static value of this type and add
/// it to `all`.
struct Benchmark: Sendable {
    /// The name of the command.
    let name: String
    /// A one-line summary for the list of commands.
    let summary: String
    /// What is measured and how; the help prints it below the usage.
    let details: [String]
    let options: [BenchmarkOption]
    let run: @Sendable (BenchmarkArguments) throws(BenchmarkError) -> Void

    /// All commands, in the order of the help.
    static let all: [Benchmark] = {
        var all: [Benchmark] = [
            .replay, .stages, .seek, .receive, .serve, .reconnect, .model, .store, .answers, .simulate, .terminal,
        ]
        #if NATS
            all.append(.jetstream)
        #endif
        return all
    }()

    /// Runs the command that the arguments name. Returns the exit code: 0 measured, 1 could not be measured, 2 wrong
    /// usage.
    static func run(_ arguments: [String]) -> Int32 {
        do {
            try dispatch(arguments)
            return 0
        } catch {
            writeError("weir-bench: \(error.message)")
            return error.isUsage ? 2 : 1
        }
    }

    private static func dispatch(_ arguments: [String]) throws(BenchmarkError) {
        guard let first = arguments.first else { throw .usage("a command is missing; try 'weir-bench help'") }
        if first == "help" || first == "--help" || first == "-h" {
            return print(
                try arguments.dropFirst().first.map { name throws(BenchmarkError) in try named(name).help } ?? overview)
        }
        let rest = Array(arguments.dropFirst())
        if first == ReplayContender.command { return print(try ReplayContender.runHere(rest)) }
        if first == Receiver.command { return print(try Receiver.runHere(rest)) }
        let benchmark = try named(first)
        if rest.contains("--help") { return print(benchmark.help) }
        try benchmark.run(try BenchmarkArguments(parsing: rest, for: benchmark))
    }

    private static func named(_ name: String) throws(BenchmarkError) -> Benchmark {
        guard let benchmark = all.first(where: { $0.name == name }) else {
            throw .usage("unknown command '\(name)'; try 'weir-bench help'")
        }
        return benchmark
    }
}

/// The reason for a failed measurement.
enum BenchmarkError: Error {
    /// The arguments are invalid; the exit code is 2.
    case usage(String)
    /// A prerequisite is missing, or the measured code misbehaved.
    case failed(String)

    var message: String {
        switch self {
        case .usage(let message), .failed(let message): message
        }
    }

    var isUsage: Bool { if case .usage = self { true } else { false } }
}

extension Benchmark {
    private static var overview: String {
        var lines = ["weir-bench: the costs of Weir's parts, as ratios measured in one run", ""]
        lines += ["Usage: weir-bench COMMAND [OPTIONS]", "       weir-bench help [COMMAND]", "", "Commands:"]
        for benchmark in all { lines.append("  " + benchmark.name.padded(to: 10) + benchmark.summary) }
        lines += ["", "Build it for release: swift build -c release --product weir-bench"]
        return lines.joined(separator: "\n")
    }

    private var help: String {
        var lines = ["weir-bench \(name): \(summary)", "", "Usage: weir-bench \(name) [OPTIONS]", ""] + details
        lines += ["", "Options:"]
        for option in options {
            let number = option.standard.map { "\(option.meaning) (\(option.text($0)))" } ?? option.meaning
            lines.append("  " + "--\(option.name) \(option.placeholder)".padded(to: 18) + number)
        }
        return lines.joined(separator: "\n")
    }
}

/// Writes one line to standard error.
private func writeError(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = bytes.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
}

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
