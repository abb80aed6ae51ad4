import WeirEvents
import WeirJSON
import WeirPipeline

/// The rows on a declared backend's server: JSON in the shape that the profile reads, by entity, with the constraints
/// of a database. It is a different model from the pipeline's, so that each implementation can reveal the other's
/// mistakes.
struct DeclaredTables: Hashable, Sendable {
    struct Row: Hashable, Sendable {
        /// The row's key as text.
        var id: String
        var json: JSONValue
    }

    let profile: Profile
    /// The rows by entity, in the order of creation.
    private var tables: [String: [Row]] = [:]
    /// The greatest number used as a key, by entity. A new row gets the next one.
    private var lastNumbers: [String: Int64] = [:]

    init(_ profile: Profile) { self.profile = profile }

    func entity(_ name: String?) -> Profile.Entity? {
        name.flatMap { name in profile.entities.first { $0.name == name } }
    }

    func row(_ id: String, of entity: Profile.Entity) -> Row? { tables[entity.name]?.first { $0.id == id } }

    /// Returns all rows of an entity, or those with the given parent, in the order of the entity's `sort`; without one
    /// in the order of creation.
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

    /// Adds a row. A row without a key gets the next number.
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

    /// Replaces the row with this id by `json`.
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

    func missing(_ id: String, _ entity: Profile.Entity) -> RESTError { .notFound("no \(entity.name) \(id)") }

    /// Returns the next number as a key: a text, unless the existing rows use numbers.
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

    /// Checks that no other row has the same value in a unique field. (The key is checked separately.)
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
    /// Returns the id of the row's parent.
    func parentID(of row: JSONValue) -> String? { parent.flatMap { JSONPlace($0).value(in: row)?.plainText } }

    /// Returns the place of a field's value; `nil` for an unknown name.
    func place(of field: String) -> JSONPlace? { fields.first { $0.name == field }?.place }

    /// Returns a row in the shape in which it is sent. `members` contains fields by name, and the key and the parent by
    /// path.
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

    /// Returns the row's key and parent without its other fields.
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
    /// The path as text, such as `a.b[0]`.
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
    /// Returns whether a client accepts a value for a field of this type.
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
    /// The number by which rows are sorted: the value, or a date's milliseconds.
    fileprivate var sortNumber: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .number(let number): number
        case .string(let text): Double(text) ?? Timestamp(iso8601: text).map { Double($0.milliseconds) }
        case .null, .bool, .text, .array, .object: nil
        }
    }
}
