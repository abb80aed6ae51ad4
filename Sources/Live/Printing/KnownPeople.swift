import Pipeline

/// What users are called, learnt from the accounts among the rows that were printed: whatever names a user by an id is shown with it.
///
/// Bounded as the accounts of a session are, and again here, since rows may come from a file.
struct KnownPeople: Sendable {
    static let maximum = 1_000
    private var names: [String: String] = [:]

    /// What a user of that id is called; untrusted text. Nil when nobody said.
    subscript(id: String) -> String? { names[id] }

    /// Learns from the rows of a batch.
    mutating func learn(from rows: [DiffRow]) {
        for row in rows where row.item.id.kind == .account && row.operation != .delete {
            let id = row.item.id.text
            guard names.count < Self.maximum || names[id] != nil else { continue }
            names[id] = ItemFacts(row.item).label
        }
    }
}
