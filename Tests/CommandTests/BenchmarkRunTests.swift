import Glibc
import Testing
import TestSupport

/// Checks that the benchmarks still run. Their results are not judged here, since the measured code changes. They take
/// minutes, so only `WEIR_LONG=1` (`.ci/nightly`) runs them.
@Suite struct BenchmarkRunTests {
    /// The benchmarks, each with the smallest amount of work.
    private static let runs = [
        "replay --events 1000 --channels 10 --messages 20 --runs 1", "stages --events 1000 --runs 1",
        "seek --events 2000 --seeks 3", "receive --count 500 --runs 1", "serve --clients 20 --duration 1",
        "store --rows 1000 --runs 1", "answers --kib 50 --runs 1", "simulate --seeds 5 --world declared",
        "reconnect --cuts 12 --pause 20",
    ]
    /// The benchmarks that take half a minute or more in a debug build, even with the smallest amount.
    private static let slow = ["model", "terminal", "jetstream"]

    @Test(
        .enabled(if: getenv("WEIR_LONG") != nil, "WEIR_LONG is not set"),
        .enabled(if: nodePackages != nil, "node-ws is not installed: run Tests/run"), arguments: runs)
    func `each benchmark runs with the smallest amount`(words: String) throws {
        let result = try run("weir-bench", words.split(separator: " ").map { String($0) })
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.errors.isEmpty)
        #expect(result.output.contains("Again: weir-bench \(words.prefix { $0 != " " })"))
        let verdict =
            /(?<word>reached|MISSED) +.*: (?<figure>-?[0-9.]+).*, at (?<side>least|most) (?<limit>[0-9.]+) asked/
        for bar in result.output.split(separator: "\n").compactMap({ $0.wholeMatch(of: verdict) }) {
            let (figure, limit) = (try #require(Double(bar.figure)), try #require(Double(bar.limit)))
            let isKept = bar.side == "least" ? figure >= limit : figure <= limit
            #expect((bar.word == "reached") == isKept, "a verdict against the figure it shows: \(bar.output.0)")
        }
    }

    @Test func `every benchmark is in the lists`() throws {
        let overview = try run("weir-bench", ["help"]).output
        let commands = overview.split(separator: "\n").filter { $0.hasPrefix("  ") && !$0.contains("weir-bench") }
            .compactMap { $0.split(separator: " ").first.map { String($0) } }
        let known = Self.runs.compactMap { $0.split(separator: " ").first.map { String($0) } } + Self.slow
        #expect(commands.sorted() == known.sorted())
    }
}
