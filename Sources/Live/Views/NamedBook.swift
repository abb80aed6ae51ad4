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
