import Events
import Pipeline
import SectionedModel
import Terminal

/// One row of a batch, whatever the operation, for the printers.
struct DiffRow {
    typealias Operation = DiffOperation

    var operation: Operation
    /// Place in the old state.
    var from: SectionPath?
    /// Place in the new state.
    var to: SectionPath?
    var old: Item?
    var new: Item?
    /// The item after the change, or what it was when it is gone.
    var item: Item

    /// The rows of a batch: what left, what came, what moved, what changed.
    static func rows(of batch: Batch<Item>) -> [DiffRow] {
        if let sole = batch.soleChange { return [DiffRow(sole.moves ? .move : .update, sole.change)] }
        var rows: [DiffRow] = []
        for row in batch.deletions {
            rows.append(DiffRow(operation: .delete, from: row.path, old: row.element, item: row.element))
        }
        for row in batch.insertions {
            rows.append(DiffRow(operation: .insert, to: row.path, new: row.element, item: row.element))
        }
        for row in batch.moves { rows.append(DiffRow(.move, row)) }
        for row in batch.updates { rows.append(DiffRow(.update, row)) }
        return rows
    }

    /// How many rows of each operation a batch has, in the order of `Operation.allCases`.
    static func counts(of batch: Batch<Item>) -> [Int] {
        [batch.deletions.count, batch.insertions.count, batch.moves.count, batch.updates.count]
    }

    /// What differs between the two states of the row; nothing for a row that came or left. `facts` are those of its item.
    func differences(_ facts: @autoclosure () -> ItemFacts) -> [ItemFacts.Difference] {
        guard let old, let new, old.entity != new.entity || old.delivery != new.delivery else { return [] }
        return facts().differences(from: ItemFacts(old))
    }
}

extension DiffRow {
    fileprivate init(_ operation: Operation, _ change: Batch<Item>.Change) {
        self.init(
            operation: operation, from: change.from, to: change.to, old: change.old, new: change.new, item: change.new)
    }
}

extension Item.ID {
    /// The id as text: `5828c718-…`, for a membership `channel/user`.
    var text: String { qualifier.map { "\(id)/\($0)" } ?? id.description }

    /// The same with UUIDs cut short.
    var shortText: String { qualifier.map { ShortName.id(id) + "/" + ShortName.id($0) } ?? ShortName.id(id) }
}

extension Item.Section {
    /// The section as text: `channels`, `messages/5828c718-…`.
    var text: String { parent.map { "\(name)/\($0)" } ?? name }

    /// The same with UUIDs cut short.
    var shortText: String { parent.map { name + "/" + ShortName.id($0) } ?? name }
}

extension DiffOperation {
    /// The sign in front of a diff line.
    var sign: String {
        switch self {
        case .delete: "-"
        case .insert: "+"
        case .move: "→"
        case .update: "~"
        }
    }

    var style: TerminalStyle {
        switch self {
        case .delete: .bad
        case .insert: .good
        case .move: .plain
        case .update: .caution
        }
    }
}
