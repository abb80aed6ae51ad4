import Events
import JSONText
import Pipeline

/// The rows of a declared backend as its server has them: JSON in the shape that the profile reads, by entity, with the
/// constraints of a database. Another model than the pipeline's, so that each can tell the other's mistakes.
struct DeclaredTables: Hashable, Sendable {
    struct Row: Hashable, Sendable {
        /// The text of its key.
        var id: String
        var json: JSONValue
    }

    let profile: Profile
    /// By entity, in the order they were made.
    private var tables: [String: [Row]] = [:]
    /// The greatest number that was the key of a row, by entity: the next one is a new row's.
    private var lastNumbers: [String: Int64] = [:]

    init(_ profile: Profile) { self.profile = profile }

    func entity(_ name: String?) -> Profile.Entity? {
        name.flatMap { name in profile.entities.first { $0.name == name } }
    }

    func row(_ id: String, of entity: Profile.Entity) -> Row? { tables[entity.name]?.first { $0.id == id } }

    /// All rows of an entity, or those that belong to something, as its `sort` has them; without one in the order they
    /// were made.
    func rows(of entity: Profile.Entity, in parent: String? = nil) -> [Row] {
        var rows = tables[entity.name] ?? []
        if let parent, entity.parent != nil { rows = rows.filter { entity.parentID(of: $0.json) == parent } }
        guard let sort = entity.sort else { return rows }
        let descends = sort.hasPrefix("-")
        guard let place = entity.place(of: descends ? String(sort.dropFirst()) : sort) else { return rows }
        let keyed = rows.enumerated().map { ($0, place.value(in: $1.json)?.sortNumber ?? 0, $1) }
        return keyed.sorted { ($0.1 == $1.1) ? $0.0 < $1.0 : ($0.1 < $1.1) != descends }.map(\.2)
    }

    // MARK: - Changes

    /// Adds a row; one without a key is given the next number.
    @discardableResult
    mutating func insert(_ json: JSONValue, into entity: Profile.Entity) throws(RESTError) -> Row {
        var json = json
        let place = JSONPlace(entity.key)
        if place.value(in: json)?.plainText == nil {
            place.put(nextKey(of: entity), into: &json)
        }
        try check(json, of: entity)
        guard let key = place.value(in: json), let id = key.plainText else {
            throw .badRequest("a \(entity.name) needs a text or a number at \(entity.key.text)")
        }
        let row = Row(id: id, json: json)
        if self.row(id, of: entity) != nil {
            throw RESTError(status: 409, message: "\(entity.name) \(id) exists already")
        }
        try checkUnique(row, of: entity)
        if let number = Int64(id), number < 1 << 53 {
            lastNumbers[entity.name] = max(lastNumbers[entity.name] ?? 0, number)
        }
        tables[entity.name, default: []].append(row)
        return row
    }

    /// Makes a row what it is from now on.
    mutating func change(_ id: String, of entity: Profile.Entity, to json: JSONValue) throws(RESTError) -> Row {
        guard let index = tables[entity.name]?.firstIndex(where: { $0.id == id }) else { throw missing(id, entity) }
        let row = Row(id: id, json: json)
        try check(json, of: entity)
        guard JSONPlace(entity.key).value(in: json)?.plainText == id else {
            throw .badRequest("the key of a \(entity.name) never changes")
        }
        try checkUnique(row, of: entity)
        tables[entity.name]?[index] = row
        return row
    }

    @discardableResult
    mutating func remove(_ id: String, of entity: Profile.Entity) throws(RESTError) -> Row {
        guard let index = tables[entity.name]?.firstIndex(where: { $0.id == id }),
            let row = tables[entity.name]?.remove(at: index)
        else { throw missing(id, entity) }
        return row
    }

    func missing(_ id: String, _ entity: Profile.Entity) -> RESTError { .notFound("there is no \(entity.name) \(id)") }

    /// Numbers, as texts unless the rows that are there have them as numbers.
    private func nextKey(of entity: Profile.Entity) -> JSONValue {
        let number = (lastNumbers[entity.name] ?? 0) + 1
        if case .integer? = tables[entity.name]?.last.flatMap({ JSONPlace(entity.key).value(in: $0.json) }) {
            return .integer(number)
        }
        return .string(String(number))
    }

    // MARK: - Constraints

    private func check(_ json: JSONValue, of entity: Profile.Entity) throws(RESTError) {
        for field in entity.fields {
            let value = field.place.value(in: json)
            if field.required, value == nil || value == .null {
                throw .badRequest("a \(entity.name) needs \(field.place.text)")
            }
            guard let value, value != .null, !field.type.fits(value) else { continue }
            throw .badRequest("\(field.place.text) of a \(entity.name) is not of type \(field.type.rawValue)")
        }
    }

    /// No two rows have the same value in one of these fields. (The key is unique by itself.)
    private func checkUnique(_ row: Row, of entity: Profile.Entity) throws(RESTError) {
        for name in entity.unique {
            guard let place = entity.place(of: name), let value = place.value(in: row.json), value != .null else {
                continue
            }
            for other in tables[entity.name] ?? [] where other.id != row.id && place.value(in: other.json) == value {
                throw RESTError(status: 409, message: "another \(entity.name) has this \(name)")
            }
        }
    }
}

extension Profile.Entity {
    /// The id of what a row belongs to.
    func parentID(of row: JSONValue) -> String? { parent.flatMap { JSONPlace($0).value(in: row)?.plainText } }

    /// Where a field's value is; nil for an unknown name.
    func place(of field: String) -> JSONPlace? { fields.first { $0.name == field }?.place }

    /// A row of fields by their names, with the key and the parent by their paths, as it goes over the wire.
    func row(_ members: JSONValue, over known: JSONValue = .object([])) -> JSONValue {
        var row = known
        guard case .object(let members) = members else { return row }
        for member in members {
            let own = [key, parent].compactMap { $0 }.first { $0.text == member.key }
            guard let place = place(of: member.key) ?? own.map(JSONPlace.init) else { continue }
            place.put(member.value, into: &row)
        }
        return row
    }

    /// What of a row says which one it is, and where it belongs.
    func reference(to row: JSONValue) -> JSONValue {
        var reference = JSONValue.object([])
        for place in [key, parent].compactMap({ $0 }).map(JSONPlace.init) {
            place.fill(place.value(in: row), into: &reference)
        }
        return reference
    }
}

extension Profile.Field {
    var place: JSONPlace { path.map(JSONPlace.init) ?? JSONPlace([.key(name)]) }
}

extension JSONPlace {
    /// As people write it.
    var text: String {
        steps.reduce(into: "") { text, step in
            switch step {
            case .key(let key): text += (text.isEmpty ? "" : ".") + key
            case .element(let index): text += "[\(index)]"
            }
        }
    }
}

extension Profile.Field.Kind {
    /// Whether a client takes a value for one of this type.
    func fits(_ value: JSONValue) -> Bool {
        switch (self, value) {
        case (.any, _), (.text, .string), (.integer, .integer), (.number, .integer), (.number, .number),
            (.boolean, .bool),
            (.time, .integer), (.time, .number), (.id, .integer):
            true
        case (.time, .string(let text)): Timestamp(iso8601: text) != nil || Double(text) != nil
        case (.id, .string(let text)): !text.isEmpty
        case (.text, _), (.integer, _), (.number, _), (.boolean, _), (.time, _), (.id, _): false
        }
    }
}

extension JSONValue {
    /// What rows are sorted by: a number, or the milliseconds of a date.
    fileprivate var sortNumber: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .number(let number): number
        case .string(let text): Double(text) ?? Timestamp(iso8601: text).map { Double($0.milliseconds) }
        case .null, .bool, .text, .array, .object: nil
        }
    }
}
