/// Counts by name, with a limited number of names. Names over the limit, or too long to keep, are counted together.
struct Tally: Sendable {
    let limit: Int
    private var counts: [String: Int] = [:]
    private var others = 0

    init(limit: Int) { self.limit = limit }

    var isEmpty: Bool { counts.isEmpty }
    var count: Int { counts.count }

    mutating func add(_ name: String) {
        if let known = counts.index(forKey: name) {
            counts.values[known] += 1
        } else if counts.count < limit, name.utf8.count <= KnownNames.longestKept {
            counts[name] = 1
        } else {
            others += 1
        }
    }

    /// Returns a tally with other names. Counts of names that become equal are added.
    func renamed(_ name: (String) -> String) -> Tally {
        var new = self
        new.counts = Dictionary(counts.map { (name($0.key), $0.value) }) { $0 + $1 }
        return new
    }

    /// Returns the most frequent names as text, ties by name. The order does not depend on the process's hash seed.
    func text(most: Int, _ name: (String) -> String = { $0 }) -> String {
        let (top, rest) = top(most)
        var parts = top.map { "\($0.count) \(name($0.name))" }
        if rest > 0 { parts.append("\(rest) others") }
        return parts.joined(separator: ", ")
    }

    /// Returns the most frequent names in descending order, and the sum of all other counts.
    func top(_ most: Int) -> (names: [(name: String, count: Int)], others: Int) {
        let sorted = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        let rest = others + sorted.dropFirst(most).reduce(0) { $0 + $1.value }
        return (sorted.prefix(most).map { ($0.key, $0.value) }, rest)
    }
}

/// A dictionary with a limited number of names. When it is full, new names share one entry, and so do names that are
/// too long to keep.
struct NamedBook<Entry: Sendable>: Sendable {
    private let limit: Int
    private let empty: Entry
    private var entries: [String: Entry] = [:]
    /// The shared entry for all other names.
    private(set) var others: Entry
    private(set) var hasOthers = false

    init(limit: Int = 1000, _ empty: Entry) {
        self.limit = limit
        self.empty = empty
        others = empty
    }

    var count: Int { entries.count }

    mutating func change(_ name: String, _ body: (inout Entry) -> Void) {
        if entries[name] != nil || entries.count < limit && name.utf8.count <= KnownNames.longestKept {
            let empty = empty
            body(&entries[name, default: empty])
        } else {
            hasOthers = true
            body(&others)
        }
    }

    /// Returns all entries, sorted by value in descending order and then by name. The order does not depend on the
    /// process's hash seed.
    func sorted<Value: Comparable>(by value: (Entry) -> Value) -> [(name: String, entry: Entry)] {
        entries.map { ($0.key, $0.value, value($0.value)) }
            .sorted { $0.2 != $1.2 ? $0.2 > $1.2 : $0.0 < $1.0 }
            .map { ($0.0, $0.1) }
    }
}
