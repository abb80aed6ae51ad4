import JSONText
import Pipeline

/// The way to a value in a tree, by which a value can be put there, too: a path of a profile, inverted.
struct JSONPlace: Hashable, Sendable {
    enum Step: Hashable, Sendable {
        case key(String)
        case element(Int)
    }

    private(set) var steps: [Step]

    init(_ steps: [Step]) { self.steps = steps }

    /// In a value.
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

    /// In the payload of an event, a list with its name: a key begins in the first argument. A message of a plain
    /// WebSocket has no name.
    init(_ path: ProfilePath, inEventWithName isNamed: Bool) {
        self.init(path)
        guard isNamed else { return }
        if case .element? = steps.first { return }
        steps.insert(.element(1), at: 0)
    }

    /// Where `other` leads from here.
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

    /// Puts a value there; what is not there on the way is made.
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
        // A path of a profile's is short; one that skips a thousand elements is a mistake.
        guard index < 1000 else { return }
        while elements.count <= index { elements.append(.null) }
        put(value, steps.dropFirst(), into: &elements[index])
    }

    /// Puts a value there where there is none, or null.
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
    /// A text's value, and the digits of a number: what an id is compared by.
    var plainText: String? {
        switch self {
        case .string(let text): text.isEmpty ? nil : text
        case .integer(let number): String(number)
        case .number, .text: raw.description
        case .null, .bool, .array, .object: nil
        }
    }
}
