/// What is known by name, of so many names at most: what comes under other names, or one too long to be kept, is known together.
struct NamedBook<Entry: Sendable>: Sendable {
    private let limit: Int
    private let empty: Entry
    private var entries: [String: Entry] = [:]
    /// All that came under other names than those.
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

    /// All entries in an order that does not depend on the process: the greatest first, ties by name.
    func sorted<Value: Comparable>(by value: (Entry) -> Value) -> [(name: String, entry: Entry)] {
        entries.map { ($0.key, $0.value, value($0.value)) }
            .sorted { $0.2 != $1.2 ? $0.2 > $1.2 : $0.0 < $1.0 }
            .map { ($0.0, $0.1) }
    }
}
