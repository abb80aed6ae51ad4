import Events
import SectionedModel

/// Rows that come from an earlier session and of which the server has not spoken yet.
///
/// A section is confirmed when a whole answer about it was applied: what the answer does not hold is gone then. A row is confirmed when
/// anything else changes it. What nothing confirms is asked for once, and goes when that does not help either: the model is the server's
/// truth in the end, whatever was remembered.
struct RememberedRows: Sendable {
    /// Whose rows they are.
    private(set) var user: String?
    private var rows: [Item.Section: Set<Item.ID>] = [:]
    private var asked: Set<Item.Section> = []

    var isEmpty: Bool { rows.isEmpty }

    /// The rows of a user were put into the model.
    mutating func add(_ items: [Item], of user: String) {
        self.user = user
        for item in items { rows[item.sectionKey, default: []].insert(item.id) }
    }

    /// What else changed the model decides about the rows it touched.
    mutating func confirm(_ batch: Batch<Item>) {
        if rows.isEmpty { return }
        for deletion in batch.deletions { confirm(deletion.element) }
        for change in batch.moves { confirm(change) }
        for change in batch.updates { confirm(change) }
    }

    /// What the user wants to be so is no word of the server's; nor is what it says of a message's sender one of the message.
    private mutating func confirm(_ change: Batch<Item>.Change) {
        guard change.old.delivery == nil, change.new.delivery == nil, !change.onlyNamesSender else { return }
        confirm(change.old)
    }

    /// The server's answer lists a row.
    mutating func confirm(_ item: Item) {
        rows[item.sectionKey]?.remove(item.id)
        if rows[item.sectionKey]?.isEmpty == true { rows[item.sectionKey] = nil }
    }

    /// The server's answer about a section was applied.
    mutating func confirm(_ section: Item.Section) { rows[section] = nil }

    /// The sections of which something is not confirmed, in order.
    var sections: [Item.Section] { rows.keys.sorted() }

    /// Whether the server is to be asked about a section; once.
    mutating func ask(about section: Item.Section) -> Bool { asked.insert(section).inserted }

    /// Takes the unconfirmed rows out of the book; they are to leave the model, in any order.
    mutating func takeAll() -> [Item.ID] {
        defer { rows = [:] }
        return rows.values.flatMap { $0 }
    }

    /// The same of one section.
    mutating func take(_ section: Item.Section) -> [Item.ID] { (rows.removeValue(forKey: section) ?? []).map { $0 } }
}

extension Batch<Item>.Change {
    /// Whether nothing differs but the name of a message's sender.
    fileprivate var onlyNamesSender: Bool {
        guard var before = old.message, let after = new.message, before.senderName != after.senderName else {
            return false
        }
        before.senderName = after.senderName
        return before == after
    }
}
