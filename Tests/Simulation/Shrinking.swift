extension History {
    /// Returns a smaller history that still fails. Removes steps, first by halves and then one by one, as long as
    /// `fails` returns true. Performs at most `limit` runs.
    package func shrunk(limit: Int = 2_000, fails: (History) -> Bool) -> History {
        var smallest = self
        var runs = 0
        func tries(_ steps: [Step]) -> Bool {
            runs += 1
            var candidate = smallest
            candidate.steps = steps
            guard runs <= limit, fails(candidate) else { return false }
            smallest = candidate
            return true
        }
        var size = max(1, steps.count / 2)
        while runs < limit {
            var start = 0
            var isSmaller = false
            while start < smallest.steps.count, runs < limit {
                var rest = smallest.steps
                rest.removeSubrange(start..<min(start + size, rest.count))
                if tries(rest) { isSmaller = true } else { start += size }
            }
            if size > 1 { size /= 2 } else if !isSmaller { break }
        }
        return smallest
    }
}
