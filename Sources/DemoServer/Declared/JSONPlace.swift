import JSONText
import Pipeline

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
