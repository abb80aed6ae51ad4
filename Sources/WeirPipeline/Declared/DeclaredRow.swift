package import WeirEvents
package import WeirJSON
import WeirModel

/// A row of a declared backend: one JSON object with its fields, in the order of the profile.
package struct DeclaredRow: ItemEntity, Hashable, Sendable {
    package static let typeName = "declared"

    /// The object, with the fields that have a value.
    package let json: RawJSON

    init(json: RawJSON) { self.json = json }

    /// Writes the object as JSON.
    package func encode(into writer: inout JSONWriter) { writer.raw(json) }

    /// Decodes an object that `encode` wrote.
    package init(decoding reader: inout JSONReader) throws(DecodingFailure) {
        do throws(JSONError) {
            guard try reader.peek() == .object else {
                throw JSONError(.wrongKind(expected: .object, found: try reader.peek()), at: reader.offset)
            }
            json = RawJSON(unchecked: Array(try reader.raw().bytes)[...])
        } catch {
            throw DecodingFailure(subject: "row", message: error.description, offset: reader.offset)
        }
    }

    /// Returns the value of a field, or `nil` when the row lacks it.
    func value(of field: String) -> RawJSON? { JSONPath(key: field).value(in: json) }

    package var channelName: String? { (value(of: "name") ?? value(of: "title"))?.plainText }

    package var mentions: [Mention] { value(of: "mentions")?.mentions ?? [] }

    package var handle: String? { channelName }
}

extension RawJSON {
    var isNull: Bool { bytes.elementsEqual("null".utf8) }

    /// The mentions in a single value or a list. Each is an object with an id or a name, or a text that may be either.
    var mentions: [Mention] {
        elements.compactMap { element in
            if let text = element.plainText { return Mention(name: text, id: text) }
            func text(_ keys: String...) -> String? {
                keys.lazy.compactMap { JSONPath(key: $0).value(in: element)?.plainText }.first
            }
            let mention = Mention(name: text("username", "name"), id: text("id", "user_id"))
            return mention.title.isEmpty ? nil : mention
        }
    }

    /// The value as a time: an ISO 8601 date, or a number since 1970. The unit is seconds, milliseconds, microseconds
    /// or nanoseconds, whichever gives a year between 1973 and 5138.
    var time: Timestamp? {
        guard let text = plainText else { return nil }
        guard bytes.first != UInt8(ascii: "\"") || Double(text) != nil else { return Timestamp(iso8601: text) }
        guard let number = Double(text), abs(number) < 1e20 else { return nil }
        let size = abs(number)
        return Timestamp(
            milliseconds: Int64(
                size < 1e11 ? number * 1e3 : size < 1e14 ? number : size < 1e17 ? number / 1e3 : number / 1e6))
    }

    /// Whether this value means a newer state than `other`: numbers are compared by value, texts by their characters.
    func isGreater(than other: RawJSON) -> Bool {
        guard let a = plainText, let b = other.plainText else { return false }
        if let a = Int64(a), let b = Int64(b) { return a > b }
        if let a = Double(a), let b = Double(b) { return a > b }
        return a > b
    }
}

extension Profile.Entity {
    /// A decoded row: its id, its parent, and its fields. A value is `nil` for an absent field, and JSON null for a
    /// removed one.
    struct Reading: Hashable {
        var id: EntityID
        var parent: EntityID?
        var values: [RawJSON?]
    }

    /// The error of a row that cannot be decoded, with the name of the field.
    struct Unreadable: Error { var message: String }

    /// Decodes one row; with `onlyID`, only its key and parent.
    func reading(_ value: RawJSON, onlyID: Bool = false) throws(Unreadable) -> Reading {
        var found = JSONPath.values(at: onlyID ? Array(paths.prefix(2)) : paths, in: value)
        guard let id = found[0]?.plainText else { throw Unreadable(message: "\(name) without \(key.text)") }
        let belongsTo = found[1]?.plainText.map { EntityID($0) }
        found.removeFirst(2)
        for (index, field) in (onlyID ? [] : fields).enumerated() {
            if field.required, found[index] == nil || found[index]?.isNull == true {
                throw Unreadable(message: "\(name) \(id) without \(field.path?.text ?? field.name)")
            }
            guard let value = found[index], !value.isNull else { continue }
            guard let normal = field.type.normal(value) else {
                throw Unreadable(message: "\(name) \(id): \(field.name) is not of type \(field.type.rawValue)")
            }
            found[index] = normal
        }
        return Reading(id: EntityID(id), parent: belongsTo, values: found)
    }

    /// Returns the row. Fields that were not read keep their values from `known`.
    func row(_ reading: Reading, over known: Item?, parent: EntityID?) -> Item {
        let before = known?.entity.as(DeclaredRow.self)
        var sortKey: Int64 = 0
        let json = RawJSON.object { writer in
            for (field, value) in zip(fields, reading.values) {
                guard let value = value ?? before?.value(of: field.name), !value.isNull else { continue }
                writer.key(field.name)
                writer.raw(value)
                if let (name, descends) = sortField, name == field.name {
                    let place = value.plainText.flatMap { Int64($0) } ?? value.time?.milliseconds ?? 0
                    sortKey = descends ? -place : place
                }
            }
        }
        let parent = self.parent == nil ? nil : reading.parent ?? known?.sectionKey.parent ?? parent
        return Item(
            id: itemID(reading.id), section: section(of: parent), sortKey: sortKey,
            entity: .init(DeclaredRow(json: json)))
    }

    func itemID(_ id: EntityID) -> Item.ID { Item.ID(Item.Kind(rawValue: name), id) }
    func section(of parent: EntityID?) -> Item.Section { Item.Section(section ?? name, parent) }

    /// The relation of an event's row to the known one.
    enum Freshness { case unknown, older, same, newer }

    /// Compares a row with the known one. An event may omit the field that orders versions, but a whole row without it
    /// is older than one that has it.
    func freshness(_ reading: Reading, _ known: Item?, isWhole: Bool = false) -> Freshness {
        guard let known else { return .unknown }
        guard let newer, let index = fields.firstIndex(where: { $0.name == newer }),
            let before = known.entity.as(DeclaredRow.self)?.value(of: newer)
        else { return .newer }
        guard index < reading.values.count, let value = reading.values[index] else { return isWhole ? .older : .newer }
        return value == before ? .same : value.isGreater(than: before) ? .newer : .older
    }
}

extension Profile.Field.Kind {
    /// Returns the value in its stored form, or `nil` when it has another type.
    func normal(_ value: RawJSON) -> RawJSON? {
        let first = value.bytes.first
        let isText = first == UInt8(ascii: "\"")
        switch self {
        case .any: break
        case .text: guard isText else { return nil }
        case .integer: guard !isText, Int64(value.description) != nil else { return nil }
        case .number: guard !isText, Double(value.description) != nil else { return nil }
        case .boolean: guard first == UInt8(ascii: "t") || first == UInt8(ascii: "f") else { return nil }
        case .time:
            guard let time = value.time else { return nil }
            return RawJSON(unchecked: Array("\(time.milliseconds)".utf8)[...])
        case .id:
            guard let text = value.plainText else { return nil }
            var writer = JSONWriter()
            writer.string(text)
            return RawJSON(unchecked: writer.bytes[...])
        }
        return value
    }
}
