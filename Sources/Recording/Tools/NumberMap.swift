/// A map from a record's old number to its number in the new file.
///
/// Memory is bounded: when the numbers have many holes, the oldest entries are forgotten first.
struct NumberMap {
    private struct Run {
        var old: Int
        var new: Int
        var count: Int
    }

    private static let mostRuns = 4096
    private var runs: [Run] = []
    /// Whether the number of any record has changed. Until then every number maps to itself, even for records in
    /// another file.
    private var isChanged = false

    /// Maps record `old` to `new`. Calls must be in the order of the records.
    mutating func add(old: Int, new: Int) {
        if old != new { isChanged = true }
        if let last = runs.last, last.old + last.count == old, last.new + last.count == new {
            runs[runs.count - 1].count += 1
            return
        }
        if runs.count >= Self.mostRuns { runs.removeFirst(Self.mostRuns / 2) }
        runs.append(Run(old: old, new: new, count: 1))
    }

    /// The new number of record `old`; `nil` when it is not in the new file or was forgotten.
    subscript(old: Int) -> Int? {
        if !isChanged { return old }
        for run in runs.reversed() where old >= run.old && old - run.old < run.count { return run.new + old - run.old }
        return nil
    }
}
