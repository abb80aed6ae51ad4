import Events
import Glibc
import JSONText
import Pipeline

/// What a printer says of an item, read off its entity's JSON: no printer knows a backend's fields.
///
/// The JSON is found its way through once and never made into values: a field is a piece of its text, and two states of a row differ
/// where their pieces do, since one entity has one text. Of what is shown only the fields that differ are many times fewer than all.
struct ItemFacts {
    /// A field: its name and its value's text, as ranges of `text`.
    private struct Field {
        var key: Range<Int>
        var value: Range<Int>
    }

    /// The fields in their fixed order; behind them what the server knows of the row, where it is not all of it.
    private let text: [UInt8]
    private var fields: [Field] = []
    /// The row's own name, where it does not stand among the fields: a direct is called as the one it is with.
    private let name: String?
    private let isMessage: Bool

    init(_ item: Item) {
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

    /// Finds the members of the object that begins there.
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
            // Our own writer wrote it.
            assertionFailure("an entity's JSON cannot be read: \(error)")
        }
        fields = found
    }

    /// What a person would call it, in short: its name, title or text, and the files that came with it. Untrusted text.
    var label: String? {
        guard let files else { return words }
        return [words, files].compactMap(\.self).joined(separator: " ")
    }

    /// Whether it is files, and nothing is said of them.
    var isFilesAlone: Bool { words == nil && files != nil }

    private var files: String? {
        guard let field = fields.first(where: { isNamed($0, "files") }) else { return nil }
        return (try? JSONValue(parsing: text[field.value])).flatMap { FilePreview.text(of: $0) }
    }

    private var words: String? {
        if let name { return name }
        return (isMessage ? Self.ofMessages : Self.ofOthers).lazy.compactMap { text($0) }.first
    }

    /// The fields that say what a row is called, the best first: a message's name may be its sender's.
    private static let ofMessages: [StaticString] = ["text", "title", "name"]
    private static let ofOthers: [StaticString] = ["name", "title", "text"]

    /// A field that is a text, and not empty. Untrusted text.
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

    /// A field that differs: the text of its values; nil where there was or is none.
    struct Difference {
        var key: String
        var old: RawJSON?
        var new: RawJSON?
    }

    /// What differs from `old`, in the order of the new fields, those that are gone last.
    func differences(from old: ItemFacts) -> [Difference] {
        var result: [Difference] = []
        var (kept, likely) = (0, 0)
        for field in fields {
            // Mostly both have the same fields in the same order.
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

    /// The index of the field called as that of another; looked for from one on, then from the beginning.
    private func field(named key: Range<Int>, of other: ItemFacts, from start: Int) -> Int? {
        if start < fields.count, has(fields[start].key, as: key, of: other) { return start }
        return fields.firstIndex { has($0.key, as: key, of: other) }
    }

    /// Whether a piece of the text is the same as one of another's.
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
