/// Which number a record has in the new file.
///
/// Bounded: of files whose numbers leave many holes, the mapping of old numbers is forgotten, the oldest first.
struct NumberMap {
    private struct Run {
        var old: Int
        var new: Int
        var count: Int
    }

    private static let mostRuns = 4096
    private var runs: [Run] = []
    /// Whether any record has another number than it had. Until then every number is what it was, also those of records that
    /// stand in another file.
    private var isChanged = false

    /// Record `old` is called `new` from now on.
    mutating func add(old: Int, new: Int) {
        if old != new { isChanged = true }
        if let last = runs.last, last.old + last.count == old, last.new + last.count == new {
            runs[runs.count - 1].count += 1
            return
        }
        if runs.count >= Self.mostRuns { runs.removeFirst(Self.mostRuns / 2) }
        runs.append(Run(old: old, new: new, count: 1))
    }

    /// The new number of record `old`; nil when it is not in the new file, or that is forgotten.
    subscript(old: Int) -> Int? {
        if !isChanged { return old }
        for run in runs.reversed() where old >= run.old && old - run.old < run.count { return run.new + old - run.old }
        return nil
    }
}
