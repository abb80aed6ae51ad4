/// Suggestions of known words for misspelt ones.
package enum Suggestion {
    /// Returns `; did you mean 'X'?` for the nearest candidate, or an empty string when none is near.
    package static func phrase(for word: String, among candidates: [String]) -> String {
        nearest(to: word, among: candidates).map { "; did you mean '\($0)'?" } ?? ""
    }

    /// Returns the candidate with the fewest changed, missing, added or swapped letters, and the first of several such
    /// candidates. Returns `nil` when more than a third of the letters differ (1 to 3 letters are allowed).
    package static func nearest(to word: String, among candidates: [String]) -> String? {
        let allowed = max(1, min(3, word.count / 3))
        var best: (candidate: String, distance: Int)?
        for candidate in candidates {
            let distance = self.distance(Array(word.prefix(64).utf8), Array(candidate.utf8))
            if distance <= allowed, distance < best?.distance ?? .max { best = (candidate, distance) }
        }
        return best?.candidate
    }

    /// Returns the optimal string alignment distance between two words, in bytes.
    private static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...b.count)
        for i in 0..<a.count {
            var row = [i + 1]
            for j in 0..<b.count {
                var best = min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { best = min(best, beforeLast[j - 1] + 1) }
                row.append(best)
            }
            beforeLast = last
            last = row
        }
        return last[b.count]
    }
}
