package import WeirJSON

/// A text with places to fill, such as `/rooms/{room}/messages`. `{{` and `}}` are literal braces.
package struct Template: Hashable, Sendable {
    package enum Part: Hashable, Sendable {
        case text(String)
        case place(String)
    }

    /// The error of a malformed template.
    package struct Malformed: Error, Hashable, Sendable {
        /// One sentence that describes the problem.
        package var message: String
    }

    /// The template as it was written.
    package let text: String
    /// The literal texts and places, in order.
    package private(set) var parts: [Part] = []

    /// Parses a template.
    ///
    /// - Throws: `Malformed` for a brace without its counterpart.
    package init(_ text: String) throws(Malformed) {
        self.text = text
        var literal = ""
        var rest = text[...]
        while let character = rest.popFirst() {
            switch character {
            case "{" where rest.first == "{", "}" where rest.first == "}":
                literal.append(character)
                rest.removeFirst()
            case "{":
                guard let end = rest.firstIndex(of: "}") else {
                    throw Malformed(message: "'{' without its '}'; write a brace itself as '{{'")
                }
                if !literal.isEmpty { parts.append(.text(literal)) }
                literal = ""
                parts.append(.place(String(rest[..<end])))
                rest = rest[rest.index(after: end)...]
            case "}": throw Malformed(message: "'}' without its '{'; write a brace itself as '}}'")
            default: literal.append(character)
            }
        }
        if !literal.isEmpty { parts.append(.text(literal)) }
    }

    /// The names of the places, in order.
    package var places: [String] { parts.compactMap { if case .place(let name) = $0 { name } else { nil } } }

    /// Returns the text with each place filled, or `nil` when a place has no value.
    package func filled(_ values: (String) -> String?, encoded: (String) -> String = { $0 }) -> String? {
        var result = ""
        for part in parts {
            switch part {
            case .text(let text): result += text
            case .place(let name):
                guard let value = values(name) else { return nil }
                result += encoded(value)
            }
        }
        return result
    }

    /// Returns the value of the template's only place in a text that the template produced; `nil` for any other text.
    func value(in text: String) -> String? {
        guard places.count == 1, let index = parts.firstIndex(where: { if case .place = $0 { true } else { false } })
        else { return nil }
        func literal(_ parts: ArraySlice<Part>) -> String {
            parts.reduce(into: "") { if case .text(let text) = $1 { $0 += text } }
        }
        let (before, after) = (literal(parts[..<index]), literal(parts[(index + 1)...]))
        guard text.utf8.count > before.utf8.count + after.utf8.count, text.hasPrefix(before), text.hasSuffix(after)
        else { return nil }
        return String(text.dropFirst(before.count).dropLast(after.count))
    }
}

/// A JSON value whose texts are templates. Values are escaped as JSON requires.
package struct JSONTemplate: Hashable, Sendable {
    private indirect enum Node: Hashable, Sendable {
        case template(Template)
        case array([Node])
        case object([Member])
        case other(JSONValue)
    }

    private struct Member: Hashable, Sendable {
        var key: String
        var value: Node
    }

    private let root: Node
    /// The value as it was written.
    package let json: JSONValue

    /// Parses all texts of a value as templates.
    package init(_ json: JSONValue) throws(Template.Malformed) {
        self.json = json
        root = try Self.node(json)
    }

    private static func node(_ json: JSONValue) throws(Template.Malformed) -> Node {
        switch json {
        case .string(let text): return .template(try Template(text))
        case .array(let elements):
            var nodes: [Node] = []
            for element in elements { nodes.append(try node(element)) }
            return .array(nodes)
        case .object(let members):
            var nodes: [Member] = []
            for member in members { nodes.append(Member(key: member.key, value: try node(member.value))) }
            return .object(nodes)
        case .null, .bool, .integer, .number, .text: return .other(json)
        }
    }

    /// The names of the places, in order.
    package var places: [String] { Self.templates(root).flatMap(\.places) }

    private static func templates(_ node: Node) -> [Template] {
        switch node {
        case .template(let template): [template]
        case .array(let nodes): nodes.flatMap(templates)
        case .object(let members): members.flatMap { templates($0.value) }
        case .other: []
        }
    }

    /// The names of the places that share their text with other parts.
    var mixedPlaces: [String] { Self.templates(root).filter { $0.parts.count > 1 }.flatMap(\.places) }

    /// Returns the value with each place filled, or `nil` when a place has no value.
    func filled(_ values: (String) -> String?) -> RawJSON? {
        var files: [RESTCall.File] = []
        return filled(values, as: { _ in nil }, &files)
    }

    /// A value other than text that fills a place. The place must be the whole text.
    enum Filling {
        /// The content of a file, encoded in base64.
        case file(path: String)
        case json(RawJSON)
    }

    /// Returns the value with each place filled, some of them with files or JSON.
    ///
    /// - Parameters:
    ///   - filling: Returns the value of a place that is not text.
    ///   - files: Receives the files, with the offsets at which their contents belong.
    func filled(
        _ values: (String) -> String?, as filling: (String) -> Filling?, _ files: inout [RESTCall.File]
    ) -> RawJSON? {
        var writer = JSONWriter()
        guard Self.write(root, values, filling, &writer, &files) else { return nil }
        return RawJSON(unchecked: writer.bytes[...])
    }

    private static func write(
        _ node: Node, _ values: (String) -> String?, _ filling: (String) -> Filling?, _ writer: inout JSONWriter,
        _ files: inout [RESTCall.File]
    ) -> Bool {
        switch node {
        case .template(let template):
            if case .place(let name)? = template.parts.first, template.parts.count == 1, let filling = filling(name) {
                switch filling {
                case .json(let value): writer.raw(value)
                case .file(let path):
                    writer.string("")
                    // The content belongs between the two quotes.
                    files.append(RESTCall.File(path: path, offset: writer.bytes.count - 1))
                }
                return true
            }
            guard let text = template.filled(values) else { return false }
            // Send a number of the server back as a number.
            if template.text == "{sequence}", let number = try? RawJSON(checking: Array(text.utf8)[...]) {
                writer.raw(number)
            } else {
                writer.string(text)
            }
        case .array(let nodes):
            writer.beginArray()
            for node in nodes { guard write(node, values, filling, &writer, &files) else { return false } }
            writer.endArray()
        case .object(let members):
            writer.beginObject()
            for member in members {
                writer.key(member.key)
                guard write(member.value, values, filling, &writer, &files) else { return false }
            }
            writer.endObject()
        case .other(let value): writer.value(value)
        }
        return true
    }
}

/// The path of a value, in the filter language without `payload`: `data.user.name`, `list[0].id`, or `.` for the whole
/// value.
package struct ProfilePath: Hashable, Sendable {
    /// The path as it was written.
    package let text: String
    /// The path within an event's payload. It starts at the first argument; `[0]` is the event's name.
    let inEvent: JSONPath
    /// The path within any other value.
    let inValue: JSONPath

    /// Parses a path; returns `nil` for an invalid one.
    package init?(_ text: String) {
        let way = Self.way(text)
        guard !text.isEmpty, let event = JSONPath(way, beginsInArguments: true),
            let value = JSONPath(way, beginsInArguments: false)
        else { return nil }
        self.text = text
        (inEvent, inValue) = (way.isEmpty ? .firstArgument : event, value)
    }

    /// The part of the path that follows `payload` in a filter.
    var way: String { Self.way(text) }

    private static func way(_ text: String) -> String {
        text == "." ? "" : text.hasPrefix("[") || text.hasPrefix(".") ? text : "." + text
    }

    /// The path of the whole value, written as `.`.
    static let whole = ProfilePath(".")!

    /// Returns the text at the path in an answer, or `nil` when there is none.
    func words(in body: ArraySlice<UInt8>) -> String? {
        (try? RawJSON(checking: body)).flatMap { inValue.value(in: $0)?.plainText }
    }

    /// Returns the value at the path in an event's payload. The path `.` means the first argument.
    func value(inEvent payload: RawJSON) -> RawJSON? { inEvent.value(in: payload) }
}

extension RawJSON {
    /// The arguments of a Socket.IO event, without its name; for any other value, the value itself.
    var arguments: [RawJSON] { bytes.first == UInt8(ascii: "[") ? Array(elements.dropFirst()) : [self] }
}

/// A condition on a JSON value, in the filter language: `payload.data.type = message`. It may only test `payload`.
package struct ProfileCondition: Hashable, Sendable {
    /// The condition as it was written.
    package let text: String
    private let question: Question

    private indirect enum Question: Sendable {
        case test(FilterMatcher, isNegative: Bool)
        case not(Question)
        case all([Question])
        case any([Question])
    }

    /// Parses a condition.
    ///
    /// - Throws: `FilterError` for a syntax error, or for a test of a field other than `payload`.
    package init(_ text: String) throws(FilterError) {
        let expression = try FilterParser.parse(text)
        for test in expression.tests {
            if case .payload = test.field { continue }
            throw FilterError(
                message: "a profile can use only payload.…, not \(test.field)", source: text, range: 0..<0)
        }
        self.text = text
        question = Self.question(expression)
    }

    private static func question(_ expression: FilterExpression) -> Question {
        switch expression {
        case .test(let test): .test(FilterMatcher(test), isNegative: test.operation.isNegative)
        case .not(let inner): .not(question(inner))
        case .all(let parts): .all(parts.map(question))
        case .any(let parts): .any(parts.map(question))
        }
    }

    /// Whether the condition holds for a payload or another value.
    package func holds(of value: RawJSON) -> Bool { Self.holds(question, value) }

    private static func holds(_ question: Question, _ value: RawJSON) -> Bool {
        switch question {
        case .test(let test, let isNegative): test.matches(value) != isNegative
        case .not(let inner): !holds(inner, value)
        case .all(let parts): parts.allSatisfy { holds($0, value) }
        case .any(let parts): parts.contains { holds($0, value) }
        }
    }

    /// Whether both conditions have the same text.
    package static func == (a: Self, b: Self) -> Bool { a.text == b.text }
    /// Hashes the text of the condition.
    package func hash(into hasher: inout Hasher) { hasher.combine(text) }
}
