import WeirJSON
import WeirPipeline

// The inverse of a profile's templates and conditions: the values that filled a template, and an example that satisfies
// a condition.

extension Template {
    /// Returns the values of the placeholders in a text made from this template; `nil` for any other text. No
    /// placeholder contains the character `stop`, such as the slash in a path.
    func values(in text: String, stop: Character? = nil) -> [String: String]? {
        var found: [String: String] = [:]
        return Self.match(parts[...], text[...], stop, &found) ? found : nil
    }

    private static func match(
        _ parts: ArraySlice<Part>, _ text: Substring, _ stop: Character?, _ found: inout [String: String]
    ) -> Bool {
        guard let part = parts.first else { return text.isEmpty }
        switch part {
        case .text(let literal):
            return text.hasPrefix(literal) && match(parts.dropFirst(), text.dropFirst(literal.count), stop, &found)
        case .place(let name):
            let most = stop.flatMap { text.firstIndex(of: $0) } ?? text.endIndex
            // The shortest value that lets the rest match. A final placeholder takes the rest.
            var end = parts.count == 1 ? most : text.startIndex
            while true {
                let value = String(text[..<end])
                if found[name] == nil || found[name] == value {
                    var inner = found
                    inner[name] = value
                    if match(parts.dropFirst(), text[end...], stop, &inner) {
                        found = inner
                        return true
                    }
                }
                guard end < most else { return false }
                end = text.index(after: end)
            }
        }
    }

    /// The name of the placeholder that forms the whole template; `nil` for any other template.
    var onlyPlace: String? {
        guard parts.count == 1, case .place(let name) = parts[0] else { return nil }
        return name
    }
}

extension JSONTemplate {
    /// Returns the values of the placeholders in a JSON value made from this template; `nil` for any other value.
    /// Members that the template lacks are ignored.
    func values(in value: JSONValue) -> [String: JSONValue]? {
        var found: [String: JSONValue] = [:]
        return Self.match(json, value, &found) ? found : nil
    }

    private static func match(_ template: JSONValue, _ value: JSONValue, _ found: inout [String: JSONValue]) -> Bool {
        switch (template, value) {
        case (.string(let text), _):
            guard let template = try? Template(text) else { return false }
            if let place = template.onlyPlace {
                switch value {
                case .array, .object: return false
                case .null, .bool, .string, .integer, .number, .text: break
                }
                if let known = found[place] { return known == value }
                found[place] = value
                return true
            }
            guard case .string(let text) = value, let places = template.values(in: text) else { return false }
            for (name, text) in places { found[name] = .string(text) }
            return true
        case (.array(let templates), .array(let values)):
            return templates.count == values.count && zip(templates, values).allSatisfy { match($0, $1, &found) }
        case (.object(let members), .object):
            return members.allSatisfy { member in value[member.key].map { match(member.value, $0, &found) } ?? false }
        case (.array, _), (.object, _): return false
        case (.null, _), (.bool, _), (.integer, _), (.number, _), (.text, _): return template == value
        }
    }

    /// The paths to all leaves of the template.
    var leaves: [JSONPlace] {
        func leaves(_ value: JSONValue, _ way: [JSONPlace.Step]) -> [JSONPlace] {
            switch value {
            case .object(let members): members.flatMap { leaves($0.value, way + [.key($0.key)]) }
            case .array(let elements): elements.enumerated().flatMap { leaves($1, way + [.element($0)]) }
            case .null, .bool, .integer, .number, .string, .text: [JSONPlace(way)]
            }
        }
        return leaves(json, [])
    }
}

extension ProfileCondition {
    /// Returns a value that satisfies this condition, or with `fails` one that does not. It changes `value` as little
    /// as possible. Returns `nil` when it finds no example. `isNamed` works as in `JSONPlace.init(_:inEventWithName:)`.
    func example(from value: JSONValue, fails: Bool = false, inEventWithName isNamed: Bool = false) -> JSONValue? {
        guard let expression = try? FilterParser.parse(text) else { return nil }
        var value = value
        Self.make(expression, hold: !fails, isNamed, &value)
        return holds(of: value.raw) != fails ? value : nil
    }

    private static func make(
        _ expression: FilterExpression, hold: Bool, _ isNamed: Bool, _ value: inout JSONValue
    ) {
        switch expression {
        case .not(let inner): make(inner, hold: !hold, isNamed, &value)
        case .all(let parts) where hold: for part in parts { make(part, hold: true, isNamed, &value) }
        case .all(let parts): if let first = parts.first { make(first, hold: false, isNamed, &value) }
        case .any(let parts) where hold: if let first = parts.first { make(first, hold: true, isNamed, &value) }
        case .any(let parts): for part in parts { make(part, hold: false, isNamed, &value) }
        case .test(let test):
            guard case .payload(let steps) = test.field, let way = ProfilePath(way(steps)) else { return }
            let place = JSONPlace(way, inEventWithName: isNamed)
            let wanted = test.values.first.flatMap(json)
            switch (test.operation, hold) {
            case (.equal, true), (.oneOf, true), (.notEqual, false), (.noneOf, false), (.atMost, true),
                (.atLeast, true):
                if let wanted { place.put(wanted, into: &value) }
            case (.exists, true): place.fill(.bool(true), into: &value)
            // A Boolean comparison usually fails for the opposite value.
            case (.equal, false), (.notEqual, true):
                if case .bool(let truth)? = wanted { place.put(.bool(!truth), into: &value) }
            case (.less, _), (.greater, _), (.atMost, false), (.atLeast, false), (.matches, _), (.matchesNot, _),
                (.like, _), (.unlike, _), (.oneOf, false), (.noneOf, true), (.exists, false):
                break
            }
        }
    }

    private static func way(_ steps: [FilterField.Step]) -> String {
        steps.reduce(into: "") { text, step in
            switch step {
            case .key(let key): text += "." + key
            case .element(let index): text += "[\(index)]"
            }
        }
    }

    private static func json(_ value: FilterValue) -> JSONValue? {
        switch value {
        case .string(let text): .string(text)
        case .truth(let truth): .bool(truth)
        case .null: .null
        case .number(let text): try? JSONValue(parsing: Array(text.utf8)[...])
        case .pattern, .size, .span, .instant: nil
        }
    }
}

/// A path to a value in a JSON tree that can also write the value: the inverse of a profile's path.
struct JSONPlace: Hashable, Sendable {
    enum Step: Hashable, Sendable {
        case key(String)
        case element(Int)
    }

    private(set) var steps: [Step]

    init(_ steps: [Step]) { self.steps = steps }

    /// Creates a path within a value.
    init(_ path: ProfilePath) {
        var steps: [Step] = []
        var rest = path.text[...]
        while let first = rest.first {
            switch first {
            case ".": rest.removeFirst()
            case "[":
                let close = rest.firstIndex(of: "]") ?? rest.endIndex
                steps.append(.element(Int(rest[rest.index(after: rest.startIndex)..<close]) ?? 0))
                rest = rest[close...].dropFirst()
            default:
                let key = rest.prefix { $0 != "." && $0 != "[" }
                steps.append(.key(String(key)))
                rest = rest.dropFirst(key.count)
            }
        }
        self.steps = steps
    }

    /// Creates a path within the payload of an event. If the event has a name, the payload is a list of the name and
    /// the arguments, and a path that starts with a key starts in the first argument. A message of a plain WebSocket
    /// has no name.
    init(_ path: ProfilePath, inEventWithName isNamed: Bool) {
        self.init(path)
        guard isNamed else { return }
        if case .element? = steps.first { return }
        steps.insert(.element(1), at: 0)
    }

    /// Returns the path that follows this path and then `other`.
    func followed(by other: JSONPlace) -> JSONPlace { JSONPlace(steps + other.steps) }

    func value(in tree: JSONValue) -> JSONValue? {
        steps.reduce(Optional(tree)) { tree, step in
            switch (step, tree) {
            case (.key(let name), .object?): return tree?[name]
            case (.key(let name), .array(let elements)?): return Int(name).flatMap { elements.at($0) }
            case (.element(let index), .array(let elements)?): return elements.at(index)
            case (.key, _), (.element, _): return nil
            }
        }
    }

    /// Sets the value at this path. Missing steps are created.
    func put(_ value: JSONValue, into tree: inout JSONValue) { Self.put(value, steps[...], into: &tree) }

    private static func put(_ value: JSONValue, _ steps: ArraySlice<Step>, into tree: inout JSONValue) {
        guard let step = steps.first else { return tree = value }
        switch (step, tree) {
        case (.key(let name), .array(var elements)) where Int(name).map { $0 >= 0 } ?? false:
            put(value, steps, Int(name) ?? 0, into: &elements)
            tree = .array(elements)
        case (.key(let name), _):
            var members: [JSONValue.Member] = []
            if case .object(let known) = tree { members = known }
            let index = members.firstIndex { $0.key == name } ?? members.count
            if index == members.count { members.append(.init(name, .null)) }
            put(value, steps.dropFirst(), into: &members[index].value)
            tree = .object(members)
        case (.element(let index), _):
            var elements = tree.arrayValue ?? []
            put(value, steps, index, into: &elements)
            tree = .array(elements)
        }
    }

    private static func put(
        _ value: JSONValue, _ steps: ArraySlice<Step>, _ index: Int, into elements: inout [JSONValue]
    ) {
        // A profile's path is short. One that skips a thousand elements is a mistake.
        guard index < 1000 else { return }
        while elements.count <= index { elements.append(.null) }
        put(value, steps.dropFirst(), into: &elements[index])
    }

    /// Sets the value at this path if it is missing or null.
    func fill(_ value: JSONValue?, into tree: inout JSONValue) {
        guard let value else { return }
        if let known = self.value(in: tree), known != .null { return }
        put(value, into: &tree)
    }
}

extension Array {
    fileprivate func at(_ index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}

extension JSONValue {
    /// The text of a string or a number, by which ids are compared; `nil` for an empty string and for other values.
    var plainText: String? {
        switch self {
        case .string(let text): text.isEmpty ? nil : text
        case .integer(let number): String(number)
        case .number, .text: raw.description
        case .null, .bool, .array, .object: nil
        }
    }
}
