import WeirJSON

/// A JSON Schema as a tree.
struct Schema {
    var root: JSONValue

    init(_ root: JSONValue) { self.root = root }

    /// The schema that also refuses undescribed members. The published schema leaves room for later versions.
    var closed: Schema { Schema(Self.closing(root)) }

    /// Closes objects with both `type` and `properties`. A schema with only `properties` is a part of such an object.
    private static func closing(_ value: JSONValue) -> JSONValue {
        switch value {
        case .array(let elements): return .array(elements.map(closing))
        case .object(var members):
            members = members.map { JSONValue.Member($0.key, closing($0.value)) }
            if value["type"] == .string("object"), value["properties"] != nil {
                members.append(JSONValue.Member("unevaluatedProperties", .bool(false)))
            }
            return .object(members)
        case .null, .bool, .integer, .number, .string, .text: return value
        }
    }

    /// Returns every way to put a value of a wrong type into one of `values`, except inside the members named in
    /// `foreign`. Each position is corrupted once: two positions are equal if their paths, the members of their objects
    /// and the telling words around them are equal.
    func corrupted(_ values: [JSONValue], sparing foreign: Set<String>) -> [JSONValue] {
        let words = words
        var places: Set<String> = []
        return values.flatMap { value in
            value.corrupted(at: "", beside: "", sparing: foreign, telling: words) { places.insert($0).inserted }
        }
    }

    /// The constants by which the schema distinguishes values.
    private var words: Set<String> {
        Self.texts(in: root) { key, value in
            switch (key, value) {
            case ("const", .string(let word)): [word]
            case ("enum", .array(let values)):
                values.compactMap { value in if case .string(let word) = value { word } else { nil } }
            default: []
            }
        }
    }

    /// The names of all members that the schema describes.
    var memberNames: Set<String> {
        Self.texts(in: root) { key, value in
            if key == "properties", case .object(let properties) = value { properties.map(\.key) } else { [] }
        }
    }

    /// Collects the results of `find` for all members in `value`, at any depth.
    private static func texts(in value: JSONValue, _ find: (String, JSONValue) -> [String]) -> Set<String> {
        switch value {
        case .array(let elements): return elements.reduce(into: []) { $0.formUnion(texts(in: $1, find)) }
        case .object(let members):
            return members.reduce(into: []) { found, member in
                found.formUnion(find(member.key, member.value))
                found.formUnion(texts(in: member.value, find))
            }
        case .null, .bool, .integer, .number, .string, .text: return []
        }
    }
}

extension JSONValue {
    /// Returns every way to put a value of a wrong type into this one, except inside the members named in `foreign`.
    /// `isNew` decides whether to corrupt a position. Its argument is the path with the telling words of the objects on
    /// it, the members of the last object, and the type of the value there.
    fileprivate func corrupted(
        at place: String, beside members: String, sparing foreign: Set<String>, telling words: Set<String>,
        where isNew: (String) -> Bool
    ) -> [JSONValue] {
        func wrong(_ value: JSONValue, for type: String) -> [JSONValue] {
            isNew("\(place) \(members) \(type)") ? [value] : []
        }
        switch self {
        case .null: return wrong(.object([]), for: "null")
        case .bool: return wrong(.integer(0), for: "bool")
        case .integer, .number, .text: return wrong(.string("x"), for: "number")
        case .string: return wrong(.integer(7), for: "string")
        case .array(let elements):
            return wrong(.bool(true), for: "array")
                + elements.indices.flatMap { index -> [JSONValue] in
                    // In a list without objects, each of the first elements may have a different meaning.
                    let isObject = if case .object = elements[index] { true } else { false }
                    return elements[index].corrupted(
                        at: "\(place)[\(isObject ? 0 : Swift.min(index, 3))]", beside: members, sparing: foreign,
                        telling: words, where: isNew
                    ).map { wrong -> JSONValue in
                        var elements = elements
                        elements[index] = wrong
                        return .array(elements)
                    }
                }
        case .object(let members):
            let told = members.compactMap { member -> String? in
                guard case .string(let word) = member.value, words.contains(word) else { return nil }
                return "\(member.key)=\(word)"
            }
            let names = members.map(\.key).joined(separator: ",")
            return wrong(.bool(true), for: "object")
                + members.indices.flatMap { index in
                    let (key, value) = (members[index].key, members[index].value)
                    let inner = "\(place){\(told.joined(separator: ","))}.\(key)"
                    let wrong: [JSONValue] =
                        foreign.contains(key)
                        ? isNew("\(inner) \(names)") ? [.bool(true)] : []
                        : value.corrupted(at: inner, beside: names, sparing: foreign, telling: words, where: isNew)
                    return wrong.map { wrong -> JSONValue in
                        var members = members
                        members[index].value = wrong
                        return .object(members)
                    }
                }
        }
    }

    /// Returns the names of all members in the value, except inside the members named in `foreign`.
    func memberNames(sparing foreign: Set<String>) -> Set<String> {
        switch self {
        case .array(let elements):
            return elements.reduce(into: []) { $0.formUnion($1.memberNames(sparing: foreign)) }
        case .object(let members):
            return members.reduce(into: []) { found, member in
                found.insert(member.key)
                if !foreign.contains(member.key) { found.formUnion(member.value.memberNames(sparing: foreign)) }
            }
        case .null, .bool, .integer, .number, .string, .text: return []
        }
    }
}
