import Wire

/// What a run of random batches found, and how to have it again.
package struct Problem: Error, CustomStringConvertible, Sendable {
    /// The seed of the run.
    package let seed: UInt64
    /// Which batch of the run, from 0.
    package let batch: Int
    /// What is wrong, one sentence each.
    package let findings: [String]

    /// As it is printed.
    package var description: String {
        "seed \(seed), batch \(batch):\n" + findings.map { "  \($0)" }.joined(separator: "\n")
    }
}

/// Runs random transactions and checks everything about each: the batch against one made from scratch, the rules W1 to W6,
/// the fewest moves, apply, inverse, composition, replay of the log, lookups and snapshots.
///
/// Now and then a history is ten times as large, for what the collection does otherwise when much changes at once.
///
/// The same seed gives the same run. Calls `report` with the number of batches done after each history of a few dozen.
/// Returns the first problem.
package func soak(
    seed: UInt64, batches: Int, operations: ClosedRange<Int> = 0...14, report: (Int) -> Void = { _ in }
) -> Problem? {
    var seeds = RandomSource(seed: seed)
    var done = 0
    while done < batches {
        let isLarge = seeds.oneIn(64)
        var history = RandomHistory(seed: seeds.next(), isLarge: isLarge)
        var findings = history.fill()
        let end = min(batches, done + (isLarge ? 6 : 30))
        while findings.isEmpty, done < end {
            findings = history.step(operations: isLarge ? 0...operations.upperBound * 20 : operations)
            done += 1
        }
        if !findings.isEmpty { return Problem(seed: seed, batch: max(done - 1, 0), findings: findings) }
        report(done)
    }
    return nil
}
