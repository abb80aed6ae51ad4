import Events
import JSONText
import Pipeline

/// What a printer says of an item, read off its entity's JSON: no printer knows a backend's fields.
struct ItemFacts {
    /// The entity's fields in their fixed order; behind them what the server knows of the row, where it is not all of it.
    let fields: [JSONValue.Member]

    init(_ item: Item) {
        var writer = JSONWriter()
        item.entity.encode(into: &writer)
        guard case .object(let members)? = try? JSONValue(parsing: writer.bytes[...]) else {
            fields = []
            return
        }
        fields = members + (item.delivery.map { [.init("delivery", .string($0.rawValue))] } ?? [])
    }

    /// What a person would call it, in short: its name, title or text. Untrusted text.
    var label: String? {
        for key in ["name", "title", "text"] {
            for field in fields where field.key == key {
                if case .string(let text) = field.value, !text.isEmpty { return text }
            }
        }
        return nil
    }

    /// A field that differs; nil where there was or is none.
    struct Difference {
        var key: String
        var old: JSONValue?
        var new: JSONValue?
    }

    /// What differs from `old`, in the order of the new fields, those that are gone last.
    func differences(from old: ItemFacts) -> [Difference] {
        var result: [Difference] = []
        for field in fields {
            let before = old.fields.first { $0.key == field.key }?.value
            if before != field.value { result.append(Difference(key: field.key, old: before, new: field.value)) }
        }
        for field in old.fields where !fields.contains(where: { $0.key == field.key }) {
            result.append(Difference(key: field.key, old: field.value, new: nil))
        }
        return result
    }
}
