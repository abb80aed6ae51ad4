import Events
import Pipeline
import SectionedModel
import Terminal

/// One row of a batch, for the printers. It has the same form for all operations.
struct DiffRow {
    typealias Operation = DiffOperation

    var operation: Operation
    /// The path in the old state; `nil` for an inserted row.
    var from: SectionPath?
    /// The path in the new state; `nil` for a deleted row.
    var to: SectionPath?
    var old: Item?
    var new: Item?
    /// The new item; for a deleted row, the old one.
    var item: Item

    /// Returns the rows of a batch: deletions, insertions, moves, updates.
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

    /// Returns the number of rows of each operation, in the order of `Operation.allCases`.
    static func counts(of batch: Batch<Item>) -> [Int] {
        [batch.deletions.count, batch.insertions.count, batch.moves.count, batch.updates.count]
    }

    /// Returns the fields that differ between the two states of the row; empty for an inserted or deleted row.
    ///
    /// - Parameter facts: The facts of `item`.
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
    /// The id as text: `5828c718-…`; for a membership `channel/user`.
    var text: String { qualifier.map { "\(id)/\($0)" } ?? id.description }

    /// The id as text, with each UUID cut to eight digits.
    var shortText: String { qualifier.map { ShortName.id(id) + "/" + ShortName.id($0) } ?? ShortName.id(id) }
}

extension Item.Section {
    /// The section as text: `channels`, `messages/5828c718-…`.
    var text: String { parent.map { "\(name)/\($0)" } ?? name }

    /// The section as text, with each UUID cut to eight digits.
    var shortText: String { parent.map { name + "/" + ShortName.id($0) } ?? name }
}

extension DiffOperation {
    /// The symbol at the start of a diff line.
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
