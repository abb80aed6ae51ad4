import func Glibc.memcmp
import WeirEvents
import WeirJSON
import WeirModel
package import WeirPipeline
import WeirTerminal

/// The fields of an item, read from its entity's JSON. The printers therefore need no knowledge of a backend's fields.
///
/// The JSON is scanned once and never turned into values. A field is a range of the text, and two states of a row
/// differ where their ranges differ, since an entity always has the same text. Usually only the few fields that differ
/// are shown.
package struct ItemFacts {
    /// A field's name and value, as ranges of `text`.
    private struct Field {
        var key: Range<Int>
        var value: Range<Int>
    }

    /// The entity as a JSON object, in fixed field order. A second object follows with the delivery state, unless the
    /// item is confirmed by the server.
    private let text: [UInt8]
    private var fields: [Field] = []
    /// The channel's name when the fields do not contain it: a direct chat is named after the other person.
    private let name: String?
    private let isMessage: Bool

    package init(_ item: Item) {
        var writer = JSONWriter()
        item.entity.encode(into: &writer)
        let end = writer.count
        if let delivery = item.delivery {
            writer.endLine()
            writer.beginObject()
            writer.member("delivery", delivery.rawValue)
            writer.endObject()
        }
        text = writer.bytes
        name = item.id.kind == .channel ? item.channelName : nil
        isMessage = item.id.kind == .message
        fields.reserveCapacity(24)
        find(from: 0)
        if end < text.count { find(from: end) }
    }

    /// Appends the members of the object that starts at `start`.
    private mutating func find(from start: Int) {
        var found = fields
        fields = []
        var reader = JSONReader(text.span, at: start)
        do throws(JSONError) {
            try reader.beginObject()
            while let key = try reader.nextKey() {
                found.append(Field(key: key.range.range, value: try reader.skip()))
            }
        } catch {
            // The JSON comes from our own writer.
            assertionFailure("an entity's JSON cannot be read: \(error)")
        }
        fields = found
    }

    /// The item's short description: its name, title or text, and its files. Untrusted text.
    package var label: String? {
        guard let files else { return words }
        return [words, files].compactMap(\.self).joined(separator: " ")
    }

    /// Whether the item has files and no text.
    var isFilesAlone: Bool { words == nil && files != nil }

    private var files: String? {
        guard let field = fields.first(where: { isNamed($0, "files") }) else { return nil }
        return (try? JSONValue(parsing: text[field.value])).flatMap { FilePreview.text(of: $0) }
    }

    private var words: String? {
        if let name { return name }
        return (isMessage ? Self.ofMessages : Self.ofOthers).lazy.compactMap { text($0) }.first
    }

    /// The fields with a description, best first. In a message, `name` may be the sender's.
    private static let ofMessages: [StaticString] = ["text", "title", "name"]
    private static let ofOthers: [StaticString] = ["name", "title", "text"]

    /// Returns the value of a text field; `nil` when it is empty, missing or not a text. Untrusted text.
    func text(_ name: StaticString) -> String? {
        guard let field = fields.first(where: { isNamed($0, name) }), text[field.value.lowerBound] == 0x22,
            field.value.count > 2, case .string(let found)? = try? JSONValue(parsing: text[field.value])
        else { return nil }
        return found
    }

    /// Writes all fields as members of an open object.
    func writeFields(into writer: inout JSONWriter) {
        for field in fields {
            writer.key(String(decoding: text[field.key], as: UTF8.self))
            writer.raw(RawJSON(unchecked: text[field.value]))
        }
    }

    private func isNamed(_ field: Field, _ name: StaticString) -> Bool {
        field.key.count == name.utf8CodeUnitCount
            && name.withUTF8Buffer { name in text[field.key].elementsEqual(name) }
    }

    /// A field that differs, with the JSON text of both values; `nil` for a missing value.
    package struct Difference {
        package var key: String
        var old: RawJSON?
        var new: RawJSON?
    }

    /// Returns the fields that differ from `old`: first the fields of the new state in their order, then the removed
    /// fields.
    package func differences(from old: ItemFacts) -> [Difference] {
        var result: [Difference] = []
        var (kept, likely) = (0, 0)
        for field in fields {
            // Usually both states have the same fields in the same order.
            guard let before = old.field(named: field.key, of: self, from: likely) else {
                result.append(difference(field, old: nil, new: text[field.value]))
                continue
            }
            (kept, likely) = (kept + 1, before + 1)
            let value = old.fields[before].value
            if !old.has(value, as: field.value, of: self) {
                result.append(difference(field, old: old.text[value], new: text[field.value]))
            }
        }
        guard kept < old.fields.count else { return result }
        for field in old.fields where self.field(named: field.key, of: old, from: 0) == nil {
            result.append(old.difference(field, old: old.text[field.value], new: nil))
        }
        return result
    }

    private func difference(_ field: Field, old: ArraySlice<UInt8>?, new: ArraySlice<UInt8>?) -> Difference {
        Difference(
            key: String(decoding: text[field.key], as: UTF8.self), old: old.map { RawJSON(unchecked: $0) },
            new: new.map { RawJSON(unchecked: $0) })
    }

    /// Returns the index of the field with the same name as another state's field. The search begins at `start`.
    private func field(named key: Range<Int>, of other: ItemFacts, from start: Int) -> Int? {
        if start < fields.count, has(fields[start].key, as: key, of: other) { return start }
        return fields.firstIndex { has($0.key, as: key, of: other) }
    }

    /// Returns whether a range of the text equals a range of another state's text.
    private func has(_ piece: Range<Int>, as its: Range<Int>, of other: ItemFacts) -> Bool {
        guard piece.count == its.count else { return false }
        return text.withUnsafeBytes { text in
            other.text.withUnsafeBytes { others in
                guard let text = text.baseAddress, let others = others.baseAddress else { return true }
                return memcmp(text + piece.lowerBound, others + its.lowerBound, piece.count) == 0
            }
        }
    }
}

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
