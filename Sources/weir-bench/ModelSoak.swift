import Glibc
import ModelOracle

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
