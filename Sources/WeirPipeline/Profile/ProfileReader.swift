import WeirJSON
import WeirTerminal
import WeirWire
import WeirYAML

/// A type of value in a profile. It defines once how such values are read, written and described.
protocol ProfileValue: Hashable, Sendable {
    /// Reads a node, or returns `nil` after recording a problem.
    static func read(_ node: YAMLNode, _ reader: inout ProfileReader) -> Self?
    /// Writes the value so that it reads back equal.
    func write(into writer: inout JSONWriter)
    /// The JSON Schema of values of this type.
    static var schema: JSONValue { get }
}

/// A mapping with a fixed set of keys.
protocol ProfileObject: ProfileValue {
    init()
    /// The keys, in the order of the documentation.
    static var keys: [ProfileKey<Self>] { get }
    /// The key that a scalar in place of the mapping sets; `nil` when a scalar is not allowed.
    static var shortKey: String? { get }
    /// The places allowed in templates; `nil` for those of the enclosing object.
    static var places: [String]? { get }
}

/// A mapping whose own key is a name that the user chooses.
protocol NamedProfileObject: ProfileObject {
    var name: String { get set }
}

/// The kinds of objects that a name can refer to.
enum ProfileReference: String, Hashable, Sendable {
    case entity, read, write, service
}

/// One key of a mapping: how to read, write and describe it.
struct ProfileKey<Owner: ProfileObject>: Sendable {
    let name: String
    let meaning: String
    let isRequired: Bool
    let schema: @Sendable () -> JSONValue
    let read: @Sendable (YAMLNode, inout Owner, inout ProfileReader) -> Void
    /// Writes the key and its value, unless it has the default value.
    let write: @Sendable (Owner, inout JSONWriter) -> Void

    init<Value: ProfileValue>(
        _ name: String, _ path: any WritableKeyPath<Owner, Value> & Sendable, _ meaning: String,
        isRequired: Bool = false,
        names reference: ProfileReference? = nil
    ) {
        (self.name, self.meaning, self.isRequired) = (name, meaning, isRequired)
        schema = { Value.schema }
        read = { node, owner, reader in
            guard let value = Value.read(node, &reader) else { return }
            owner[keyPath: path] = value
            if let reference { reader.note(reference, node) }
        }
        write = { owner, writer in
            guard owner[keyPath: path] != Owner()[keyPath: path] || isRequired else { return }
            writer.key(name)
            owner[keyPath: path].write(into: &writer)
        }
    }

    /// Creates a key whose value maps names to objects.
    init<Value: NamedProfileObject>(
        _ name: String, named path: any WritableKeyPath<Owner, [Value]> & Sendable, _ meaning: String
    ) {
        (self.name, self.meaning, isRequired) = (name, meaning, false)
        schema = {
            .object([.init("type", .string("object")), .init("additionalProperties", Value.schema)])
        }
        read = { node, owner, reader in
            guard case .mapping(let members) = node.value else {
                return reader.problem(node, "names, each with a colon, are expected here, not \(node.kindName)")
            }
            for member in members {
                let (key, node) = (member.key, member.value)
                guard let word = ProfileReader.word(key, &reader), var value = Value.read(node, &reader) else {
                    continue
                }
                value.name = word
                owner[keyPath: path].append(value)
            }
        }
        write = { owner, writer in
            guard !owner[keyPath: path].isEmpty else { return }
            writer.key(name)
            writer.beginObject()
            for value in owner[keyPath: path] {
                writer.key(value.name)
                value.write(into: &writer)
            }
            writer.endObject()
        }
    }
}

extension ProfileObject {
    static var shortKey: String? { nil }
    static var places: [String]? { nil }

    static func read(_ node: YAMLNode, _ reader: inout ProfileReader) -> Self? {
        let around = reader.places
        reader.places = places ?? around
        defer { reader.places = around }
        var value = Self()
        let known = keys
        if node.isNull, !known.contains(where: \.isRequired) { return value }
        if case .scalar = node.value, let short = shortKey, let key = known.first(where: { $0.name == short }) {
            key.read(node, &value, &reader)
            return value
        }
        guard case .mapping(let members) = node.value else {
            let names = known.map(\.name).joined(separator: ", ")
            reader.problem(node, "keys are expected here (\(names)), not \(node.kindName)")
            return nil
        }
        for member in members {
            let (name, node) = (member.key, member.value)
            guard let text = name.text, let key = known.first(where: { $0.name == text }) else {
                reader.unknown(name, among: known.map(\.name), what: "key")
                continue
            }
            key.read(node, &value, &reader)
        }
        for key in known where key.isRequired && !members.contains(where: { $0.key.text == key.name }) {
            reader.problem(node, "the key '\(key.name)' is missing: \(key.meaning)")
        }
        return value
    }

    func write(into writer: inout JSONWriter) {
        writer.beginObject()
        for key in Self.keys { key.write(self, &writer) }
        writer.endObject()
    }

    static var schema: JSONValue {
        let known = keys
        var members: [JSONValue.Member] = [
            .init("type", .string("object")), .init("additionalProperties", .bool(false)),
            .init("properties", .object(known.map { .init($0.name, $0.schema().described($0.meaning)) })),
        ]
        let required = known.filter(\.isRequired).map { JSONValue.string($0.name) }
        if !required.isEmpty { members.append(.init("required", .array(required))) }
        var forms = [JSONValue.object(members)]
        if let short = known.first(where: { $0.name == shortKey }) { forms.insert(short.schema(), at: 0) }
        if required.isEmpty { forms.append(.object([.init("type", .string("null"))])) }
        return forms.count == 1 ? forms[0] : .object([.init("anyOf", .array(forms))])
    }
}

extension JSONValue {
    /// Returns the schema with a description.
    fileprivate func described(_ meaning: String) -> JSONValue {
        guard case .object(let members) = self else { return self }
        return .object([Member("description", .string(meaning))] + members)
    }
}

// MARK: - Reading

/// Reads the nodes of a profile and collects all problems.
struct ProfileReader {
    /// The problems, in the order of discovery.
    private(set) var problems: [ProfileProblem] = []
    /// The places that templates may contain at the current position.
    var places: [String] = []
    /// The names that refer to other parts of the profile.
    private(set) var references: [(kind: ProfileReference, name: String, node: YAMLNode)] = []

    mutating func problem(_ node: YAMLNode, _ message: String) {
        problems.append(ProfileProblem(message, at: node.position))
    }

    /// Records one or several names, which are looked up after everything is read.
    mutating func note(_ kind: ProfileReference, _ node: YAMLNode) {
        if case .sequence(let nodes) = node.value {
            for node in nodes { note(kind, node) }
        } else if let name = node.text {
            references.append((kind, name, node))
        }
    }

    mutating func unknown(_ node: YAMLNode, named name: String? = nil, among words: [String], what: String) {
        let text = name ?? node.text ?? ""
        let shown = TerminalText.truncated(text, to: 40)
        let near = Suggestion.phrase(for: text, among: words)
        problem(
            node, "unknown \(what) '\(shown)'" + (near.isEmpty ? "; allowed: " + words.joined(separator: ", ") : near))
    }

    /// The places that the enclosing object does not allow, with those it allows.
    private var otherPlaces: [(place: String, node: YAMLNode, places: [String])] = []

    /// Checks the places of a template against those that are allowed here.
    mutating func check(_ used: [String], at node: YAMLNode) {
        for place in used where !places.contains(place) { otherPlaces.append((place, node, places)) }
    }

    /// Reports every place that nothing fills.
    ///
    /// - Parameter isKnown: Whether the profile's actions fill a place.
    mutating func checkPlaces(_ isKnown: (String) -> Bool) {
        for (place, node, places) in otherPlaces where !isKnown(place) {
            let near = Suggestion.phrase(for: place, among: places)
            let allowed =
                places.isEmpty
                ? "; nothing can be filled in here" : "; allowed: {" + places.joined(separator: "}, {") + "}"
            problem(
                node, "unknown place '{\(TerminalText.truncated(place, to: 40))}'" + (near.isEmpty ? allowed : near))
        }
    }

    /// Reads a name chosen by the user: a letter, then letters, digits, `_` and `-`, 64 characters at most.
    static func word(_ node: YAMLNode, _ reader: inout ProfileReader) -> String? {
        guard let text = node.text, let first = text.utf8.first, isLetter(first), text.utf8.count <= 64,
            text.utf8.allSatisfy({ isLetter($0) || (0x30...0x39).contains($0) || $0 == 0x5F || $0 == 0x2D })
        else {
            reader.problem(
                node,
                "invalid name '\(TerminalText.truncated(node.text ?? "", to: 40))'; a name is a letter, then letters, digits, '_' and '-'"
            )
            return nil
        }
        return text
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
}

/// A problem in a profile, with its position.
package struct ProfileProblem: Error, Hashable, Sendable {
    /// The line, counted from 1.
    package var line: Int
    /// The column, counted from 1.
    package var column: Int
    /// One sentence that describes the problem and the allowed values.
    package var message: String

    init(_ message: String, at position: YAMLPosition) {
        (line, column, self.message) = (position.line, position.column, message)
    }
}

extension YAMLNode {
    /// The value of a key; `nil` when the node is not a mapping or lacks the key.
    subscript(key: String) -> YAMLNode? {
        guard case .mapping(let members) = value else { return nil }
        return members.first { $0.key.text == key }?.value
    }

    /// A description of the node for error messages.
    var kindName: String {
        switch value {
        case .scalar: isNull ? "nothing" : "the value '\(TerminalText.truncated(text ?? "", to: 40))'"
        case .sequence: "a list"
        case .mapping: "keys"
        }
    }
}

// MARK: - Values

extension String: ProfileValue {
    static func read(_ node: YAMLNode, _ reader: inout ProfileReader) -> String? {
        guard let text = node.text, !node.isNull else {
            reader.problem(node, "a text is expected here, not \(node.kindName)")
            return nil
        }
        return text
    }
    func write(into writer: inout JSONWriter) { writer.string(self) }
    static var schema: JSONValue { .object([.init("type", .string("string"))]) }
}

extension Bool: ProfileValue {
    static func read(_ node: YAMLNode, _ reader: inout ProfileReader) -> Bool? {
        if let truth = node.truth { return truth }
        reader.problem(node, "true or false is expected here, not \(node.kindName)")
        return nil
    }
    func write(into writer: inout JSONWriter) { writer.value(.bool(self)) }
    static var schema: JSONValue { .object([.init("type", .string("boolean"))]) }
}

extension Int: ProfileValue {
    static func read(_ node: YAMLNode, _ reader: inout ProfileReader) -> Int? {
        if let number = node.integer, (0...1_000_000).contains(number) { return Int(number) }
        reader.problem(node, "a whole number from 0 to 1000000 is expected here, not \(node.kindName)")
        return nil
    }
    func write(into writer: inout JSONWriter) { writer.integer(self) }
    static var schema: JSONValue {
        .object([
            .init("type", .string("integer")), .init("minimum", .integer(0)), .init("maximum", .integer(1_000_000)),
        ])
    }
}

extension Duration: ProfileValue {
    static func read(_ node: YAMLNode, _ reader: inout ProfileReader) -> Duration? {
        if let text = node.text, let span = Duration(typed: text), span > .zero { return span }
        reader.problem(node, "invalid duration '\(node.text ?? "")'; write it like 500ms, 2s, 1.5m or 1h")
        return nil
    }
    func write(into writer: inout JSONWriter) {
        writer.string(TypedAmount.text(of: microseconds, in: TypedAmount.spanUnits))
    }
    static var schema: JSONValue { .object([.init("type", .string("string"))]) }
}

extension Optional: ProfileValue where Wrapped: ProfileValue {
    static func read(_ node: YAMLNode, _ reader: inout ProfileReader) -> Wrapped?? {
        Wrapped.read(node, &reader).map { .some($0) }
    }
    func write(into writer: inout JSONWriter) { if let self { self.write(into: &writer) } }
    static var schema: JSONValue { Wrapped.schema }
}

/// A list. A single value is read as a list of one element.
extension Array: ProfileValue where Element: ProfileValue {
    static func read(_ node: YAMLNode, _ reader: inout ProfileReader) -> [Element]? {
        guard case .sequence(let nodes) = node.value else { return Element.read(node, &reader).map { [$0] } }
        return nodes.compactMap { Element.read($0, &reader) }
    }
    func write(into writer: inout JSONWriter) {
        writer.beginArray()
        for element in self { element.write(into: &writer) }
        writer.endArray()
    }
    static var schema: JSONValue {
        .object([
            .init(
                "anyOf",
                .array([.object([.init("type", .string("array")), .init("items", Element.schema)]), Element.schema]))
        ])
    }
}

/// A value that is one of a fixed set of words.
protocol ProfileWord: ProfileValue, RawRepresentable, CaseIterable where RawValue == String {}

extension ProfileWord {
    static func read(_ node: YAMLNode, _ reader: inout ProfileReader) -> Self? {
        if let word = node.text.flatMap(Self.init(rawValue:)) { return word }
        reader.unknown(node, among: allCases.map(\.rawValue), what: "word")
        return nil
    }
    func write(into writer: inout JSONWriter) { writer.string(rawValue) }
    static var schema: JSONValue { .object([.init("enum", .array(allCases.map { .string($0.rawValue) }))]) }
}

extension Template: ProfileValue {
    static func read(_ node: YAMLNode, _ reader: inout ProfileReader) -> Template? {
        guard let text = String.read(node, &reader) else { return nil }
        do throws(Malformed) {
            let template = try Template(text)
            reader.check(template.places, at: node)
            return template
        } catch {
            reader.problem(node, error.message)
            return nil
        }
    }
    func write(into writer: inout JSONWriter) { writer.string(text) }
    static var schema: JSONValue { String.schema }
}

extension JSONTemplate: ProfileValue {
    static func read(_ node: YAMLNode, _ reader: inout ProfileReader) -> JSONTemplate? {
        do throws(Template.Malformed) {
            let template = try JSONTemplate((try? JSONValue(parsing: node.json.bytes)) ?? .null)
            reader.check(template.places, at: node)
            return template
        } catch {
            reader.problem(node, error.message)
            return nil
        }
    }
    func write(into writer: inout JSONWriter) { writer.value(json) }
    static var schema: JSONValue { .object([]) }
}

extension ProfilePath: ProfileValue {
    static func read(_ node: YAMLNode, _ reader: inout ProfileReader) -> ProfilePath? {
        if let path = node.text.flatMap(ProfilePath.init) { return path }
        reader.problem(
            node,
            (node.text.map { "invalid path '\(TerminalText.truncated($0, to: 40))'" }
                ?? "a path is expected here, not \(node.kindName)")
                + "; write it like data.user.name or list[0].id, or '.' for all of it")
        return nil
    }
    func write(into writer: inout JSONWriter) { writer.string(text) }
    static var schema: JSONValue { String.schema }
}

extension ProfileCondition: ProfileValue {
    static func read(_ node: YAMLNode, _ reader: inout ProfileReader) -> ProfileCondition? {
        guard let text = String.read(node, &reader) else { return nil }
        do throws(FilterError) { return try ProfileCondition(text) } catch {
            reader.problem(node, "invalid condition: \(error.message)")
            return nil
        }
    }
    func write(into writer: inout JSONWriter) { writer.string(text) }
    static var schema: JSONValue { String.schema }
}
