import WeirWire

/// An error found by a run of random batches, with the data to reproduce it.
package struct Problem: Error, CustomStringConvertible, Sendable {
    /// The seed that reproduces the run.
    package let seed: UInt64
    /// The index of the batch in the run, from 0.
    package let batch: Int
    /// The errors found, one sentence each.
    package let findings: [String]

    /// The seed, the batch and the errors, one per line.
    package var description: String {
        "seed \(seed), batch \(batch):\n" + findings.map { "  \($0)" }.joined(separator: "\n")
    }
}

/// Runs random transactions and checks every aspect of each: the batch against one made from scratch, the rules W1 to
/// W6, the fewest moves, applying, the inverse, composition, replay of the log, lookups and snapshots.
///
/// Occasionally a history is ten times as large, since the collection works differently when much changes at once.
///
/// The same seed gives the same run. Calls `report` with the number of batches done after each history of a few dozen.
/// - Returns: The first problem, or `nil` when there is none.
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
