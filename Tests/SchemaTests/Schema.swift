import JSONText

/// A JSON Schema as a tree.
struct Schema {
    var root: JSONValue

    init(_ root: JSONValue) { self.root = root }

    /// The schema that also refuses members it does not describe: what is open for later versions is closed for this one.
    var closed: Schema { Schema(Self.closing(root)) }

    /// Objects are those with a `type` and `properties`; what only has `properties` is a part of such an object.
    private static func closing(_ value: JSONValue) -> JSONValue {
        switch value {
        case .array(let elements): return .array(elements.map(closing))
        case .object(var members):
            members = members.map { JSONValue.Member($0.key, closing($0.value)) }
            if value["type"] == .string("object"), value["properties"] != nil {
                members.append(JSONValue.Member("unevaluatedProperties", .bool(false)))
            }
            return .object(members)
        case .null, .bool, .integer, .number, .string: return value
        }
    }

    /// A schema of an array of what this schema describes.
    var ofArray: JSONValue {
        .object([
            JSONValue.Member("$schema", root["$schema"] ?? .null), JSONValue.Member("type", .string("array")),
            JSONValue.Member("items", root),
        ])
    }

    /// The names of all members it describes.
    var memberNames: Set<String> { Self.names(in: root) }

    private static func names(in value: JSONValue) -> Set<String> {
        switch value {
        case .array(let elements): return elements.reduce(into: []) { $0.formUnion(names(in: $1)) }
        case .object(let members):
            return members.reduce(into: []) { found, member in
                found.formUnion(names(in: member.value))
                guard member.key == "properties", case .object(let properties) = member.value else { return }
                found.formUnion(properties.map(\.key))
            }
        case .null, .bool, .integer, .number, .string: return []
        }
    }
}

extension JSONValue {
    /// Every way to put a value of a wrong type into this one, but below members of these names.
    func corrupted(sparing foreign: Set<String>) -> [JSONValue] {
        switch self {
        case .null: return [.object([])]
        case .bool: return [.integer(0)]
        case .integer, .number: return [.string("x")]
        case .string: return [.integer(7)]
        case .array(let elements):
            return [.bool(true)]
                + elements.indices.flatMap { index in
                    elements[index].corrupted(sparing: foreign).map { wrong -> JSONValue in
                        var elements = elements
                        elements[index] = wrong
                        return .array(elements)
                    }
                }
        case .object(let members):
            return [.bool(true)]
                + members.indices.flatMap { index in
                    let (key, value) = (members[index].key, members[index].value)
                    let wrong: [JSONValue] = foreign.contains(key) ? [.bool(true)] : value.corrupted(sparing: foreign)
                    return wrong.map { wrong -> JSONValue in
                        var members = members
                        members[index].value = wrong
                        return .object(members)
                    }
                }
        }
    }

    /// The names of all members in it, but below members of these names.
    func memberNames(sparing foreign: Set<String>) -> Set<String> {
        switch self {
        case .array(let elements):
            return elements.reduce(into: []) { $0.formUnion($1.memberNames(sparing: foreign)) }
        case .object(let members):
            return members.reduce(into: []) { found, member in
                found.insert(member.key)
                if !foreign.contains(member.key) { found.formUnion(member.value.memberNames(sparing: foreign)) }
            }
        case .null, .bool, .integer, .number, .string: return []
        }
    }
}
