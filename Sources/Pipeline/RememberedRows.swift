import Events
import SectionedModel

/// Rows of an earlier session that the server has not confirmed.
///
/// A section is confirmed when a complete answer about it is applied; a row that the answer does not contain is then
/// gone. A row is confirmed when anything else changes it. The session asks once about whatever nothing confirms, and
/// removes it if that does not help. In the end the model equals the server's state, whatever was remembered.
struct RememberedRows: Sendable {
    /// The server's id of the user who owns the rows.
    private(set) var user: String?
    private var rows: [Item.Section: Set<Item.ID>] = [:]
    private var asked: Set<Item.Section> = []

    var isEmpty: Bool { rows.isEmpty }

    /// Adds the rows of a user that were put into the model.
    mutating func add(_ items: [Item], of user: String) {
        self.user = user
        for item in items { rows[item.sectionKey, default: []].insert(item.id) }
    }

    /// Confirms the rows that another batch changed or deleted.
    mutating func confirm(_ batch: Batch<Item>) {
        if rows.isEmpty { return }
        for deletion in batch.deletions { confirm(deletion.element) }
        for change in batch.moves { confirm(change) }
        for change in batch.updates { confirm(change) }
    }

    /// Confirms a row that changed. An optimistic change does not come from the server, and a new name of the sender
    /// tells nothing about the message: neither confirms a row.
    private mutating func confirm(_ change: Batch<Item>.Change) {
        guard change.old.delivery == nil, change.new.delivery == nil, !change.onlyNamesSender else { return }
        confirm(change.old)
    }

    /// Confirms a row that the server's answer lists.
    mutating func confirm(_ item: Item) {
        rows[item.sectionKey]?.remove(item.id)
        if rows[item.sectionKey]?.isEmpty == true { rows[item.sectionKey] = nil }
    }

    /// Confirms a section about which the server's answer was applied.
    mutating func confirm(_ section: Item.Section) { rows[section] = nil }

    /// The sections that contain unconfirmed rows, in order.
    var sections: [Item.Section] { rows.keys.sorted() }

    /// Returns whether to ask the server about a section: `true` only once.
    mutating func ask(about section: Item.Section) -> Bool { asked.insert(section).inserted }

    /// Removes and returns all unconfirmed rows, in any order. The caller removes them from the model.
    mutating func takeAll() -> [Item.ID] {
        defer { rows = [:] }
        return rows.values.flatMap { $0 }
    }

    /// Removes and returns the unconfirmed rows of a section, in any order.
    mutating func take(_ section: Item.Section) -> [Item.ID] { (rows.removeValue(forKey: section) ?? []).map { $0 } }
}

extension Batch<Item>.Change {
    /// Whether only the name of a message's sender differs.
    fileprivate var onlyNamesSender: Bool {
        guard var before = old.message, let after = new.message, before.senderName != after.senderName else {
            return false
        }
        before.senderName = after.senderName
        return before == after
    }
}
