import Events
import Pipeline

/// What users are called, learnt from the accounts among the rows that were printed: whatever names a user by an id is shown with it.
///
/// Bounded as the accounts of a session are, and again here, since rows may come from a file.
struct KnownPeople: Sendable {
    static let maximum = 1_000
    /// The server's id of the user; nil while it is not known.
    var user: String?
    private var names: [String: String] = [:]
    /// The names by which texts address them.
    private var handles: [String: String] = [:]

    /// What a user of that id is called; untrusted text. Nil when nobody said.
    subscript(id: String) -> String? { names[id] }

    /// Learns from the rows of a batch.
    mutating func learn(from rows: [DiffRow]) {
        for row in rows where row.item.id.kind == .account && row.operation != .delete {
            let id = row.item.id.text
            guard names.count < Self.maximum || names[id] != nil else { continue }
            names[id] = ItemFacts(row.item).label
            handles[id] = row.item.entity.value.handle
        }
    }

    /// Learns from a change.
    mutating func learn(from diff: DiffReport, _ rows: [DiffRow]) {
        user = diff.user ?? user
        learn(from: rows)
    }

    /// Whether the user is among what a message addresses: by id, or by name where it has no more. A group is not the user.
    func isUser(among mentions: @autoclosure () -> [Mention]) -> Bool {
        guard let user else { return false }
        return mentions().contains { mention in
            mention.id.map { $0 == user } ?? (mention.name != nil && mention.name == handles[user])
        }
    }
}
