package import WeirJSON

/// A value in a YAML text, with its position. Aliases are resolved: each is replaced by a copy of its anchor's value.
///
/// Plain scalars have the meaning of YAML 1.2's core schema (`null`, `true`, `12`, `0x1F`, `1.5`; `no` is a string).
/// The accessors apply it.
package struct YAMLNode: Hashable, Sendable {
    /// The contents of a value, by kind.
    package enum Value: Hashable, Sendable {
        /// A scalar's text, with escapes and folded lines resolved.
        case scalar(String, Style)
        case sequence([YAMLNode])
        /// The members in the order of the text. The keys are scalars, and no two have the same text.
        case mapping([Member])
    }

    /// How a scalar is written in the text.
    package enum Style: Hashable, Sendable {
        /// Written without quotes: the text determines the type. An empty value is also a plain scalar.
        case plain
        /// Written in quotes, as a block (`|`, `>`) or with the tag `!!str`: always a string.
        case quoted
    }

    /// A key of a mapping and its value.
    package struct Member: Hashable, Sendable {
        package var key: YAMLNode
        package var value: YAMLNode
    }

    package var value: Value
    /// The position at which the value begins. A value copied for an alias has the alias's position; the values inside
    /// it keep their own.
    package var position: YAMLPosition

    package init(value: Value, position: YAMLPosition) {
        self.value = value
        self.position = position
    }
}

/// A position in a text, as people and editors count it.
package struct YAMLPosition: Hashable, Sendable, CustomStringConvertible {
    /// The line, counted from 1. Lines end with LF, CRLF or CR.
    package var line: Int
    /// The column in Unicode scalars, counted from 1. A byte order mark is not counted.
    package var column: Int

    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    package var description: String { "line \(line), column \(column)" }
}

/// All the errors found in a text, in the order of the text.
package struct YAMLError: Error, Hashable, Sendable, CustomStringConvertible {
    /// One error and its position.
    package struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
        package var position: YAMLPosition
        /// The error in plain words, without the position. Text quoted from the file is safe to print on a terminal.
        package var message: String

        package var description: String { "\(position): \(message)" }
    }

    /// The maximum number of errors kept for one text.
    package static let mostProblems = 100

    /// The errors: at least one, at most `mostProblems`.
    package internal(set) var problems: [Problem] = []

    /// All errors, one per line.
    package var description: String { problems.map(\.description).joined(separator: "\n") }

    mutating func add(_ problem: Problem) {
        if problems.count < Self.mostProblems { problems.append(problem) }
    }

    mutating func add(_ message: String, at position: YAMLPosition) {
        add(Problem(position: position, message: message))
    }
}

/// Limits on a text, so that no file can take much time or memory.
package enum YAMLLimits {
    /// The largest text, in bytes.
    package static let bytes = 1 << 20
    /// The deepest nesting of sequences and mappings.
    package static let levels = 64
    /// The largest number of values and keys, with aliases resolved.
    package static let nodes = 100_000
    /// The largest total size of all scalars in bytes, with aliases resolved.
    package static let resolvedBytes = 4 << 20
}

extension YAMLNode {
    /// Parses a text that contains exactly one document. It must be UTF-8, with or without a byte order mark, and
    /// within the limits. JSON is also YAML, and is read by the JSON reader.
    package static func parse(_ bytes: [UInt8]) throws(YAMLError) -> YAMLNode {
        let text = try decode(bytes)
        var json = JSONComposer(text)
        if let node = json.document(text) {
            if json.error.problems.isEmpty { return node }
            throw json.error
        }
        var composer = YAMLComposer(text)
        do throws(YAMLError.Problem) {
            let node = try composer.document()
            if composer.error.problems.isEmpty { return node }
        } catch {
            composer.error.add(error)
        }
        throw composer.error
    }

    /// Returns the text with LF at the end of each line.
    private static func decode(_ bytes: [UInt8]) throws(YAMLError) -> [UInt8] {
        let start = YAMLPosition(line: 1, column: 1)
        guard bytes.count <= YAMLLimits.bytes else {
            throw YAMLError("\(bytes.count) bytes; the limit is \(YAMLLimits.bytes)", at: start)
        }
        let text: [UInt8]
        do throws(PlainTextError) {
            text = Array(try PlainText.decode(bytes).utf8)
        } catch {
            let position = YAMLPosition(line: error.line, column: error.column)
            throw YAMLError("\(error.found); expected UTF-8 text", at: position)
        }
        // libyaml compares each directive with all earlier ones: a megabyte of them would take it seventeen seconds.
        if count("%TAG", in: text) > 100 { throw YAMLError("more than 100 times %TAG", at: start) }
        return text
    }

    private static func count(_ word: StaticString, in text: [UInt8]) -> Int {
        word.withUTF8Buffer { word in
            text.indices.count { text[$0] == word[0] && text[$0...].starts(with: word) }
        }
    }
}

extension YAMLError {
    fileprivate init(_ message: String, at position: YAMLPosition) { add(message, at: position) }
}

/// Builds a tree from a text that is JSON.
///
/// libyaml rejects some JSON or reads it differently: surrogate pairs, keys of a thousand characters, U+0085 in a
/// string.
private struct JSONComposer {
    /// The errors in text that is valid JSON.
    var error = YAMLError()
    private var cursor: TextCursor
    private var nodes = 0

    init(_ text: [UInt8]) { cursor = TextCursor(text) }

    /// Returns the value of `text`, which must be the text given to `init`.
    ///
    /// Returns `nil` if the text is not JSON or exceeds a limit. The YAML parser then reports the error.
    mutating func document(_ text: [UInt8]) -> YAMLNode? {
        do throws(JSONError) {
            var reader = JSONReader(text.span, maximumDepth: YAMLLimits.levels)
            let root = try node(&reader)
            try reader.end()
            return root
        } catch {
            return nil
        }
    }

    private mutating func node(_ reader: inout JSONReader) throws(JSONError) -> YAMLNode {
        let kind = try reader.peek()
        let position = cursor.position(ofByte: reader.offset)
        try count(at: reader.offset)
        switch kind {
        case .null, .bool, .number:
            return YAMLNode(value: .scalar(try reader.raw().description, .plain), position: position)
        case .string: return YAMLNode(value: try string(reader.stringRange(), reader), position: position)
        case .array:
            var elements: [YAMLNode] = []
            try reader.beginArray()
            while try reader.nextElement() { elements.append(try node(&reader)) }
            return YAMLNode(value: .sequence(elements), position: position)
        case .object:
            var mapping = YAMLMapping()
            try reader.beginObject()
            while let key = try reader.nextKey() {
                let start = key.range.range.lowerBound - 1
                try count(at: start)
                let position = cursor.position(ofByte: start)
                let name = YAMLNode(value: try string(key.range, reader), position: position)
                mapping.add(name, try node(&reader), &error)
            }
            return YAMLNode(value: .mapping(mapping.members), position: position)
        }
    }

    private func string(_ contents: JSONStringRange, _ reader: borrowing JSONReader) throws(JSONError) -> YAMLNode.Value
    {
        guard !contents.hasLoneSurrogate else { throw JSONError(.invalidString, at: contents.range.lowerBound) }
        return .scalar(reader.string(at: contents), .quoted)
    }

    private mutating func count(at offset: Int) throws(JSONError) {
        nodes += 1
        // The kind of error does not matter, because `document(_:)` discards it.
        if nodes > YAMLLimits.nodes { throw JSONError(.invalidNumber, at: offset) }
    }
}

// The meaning of scalars in the core schema (YAML 1.2.2, 10.3.2). A quoted scalar is always a string.
extension YAMLNode {
    /// The text of a scalar, quoted or plain, or `nil` for a sequence or a mapping.
    package var text: String? {
        guard case .scalar(let text, _) = value else { return nil }
        return text
    }

    private var plain: String? {
        guard case .scalar(let text, .plain) = value else { return nil }
        return text
    }

    /// Whether this is null, either spelled out or empty.
    package var isNull: Bool { plain.map { ["", "~", "null", "Null", "NULL"].contains($0) } ?? false }

    /// The Boolean value, or `nil`. Only `true` and `false` count (in lower, upper or title case); `yes` and `no` do
    /// not.
    package var truth: Bool? {
        switch plain {
        case "true", "True", "TRUE": true
        case "false", "False", "FALSE": false
        default: nil
        }
    }

    /// The value of an integer that fits `Int64`: decimal, `0x…` or `0o…`.
    package var integer: Int64? {
        guard let plain else { return nil }
        // The initializer would also accept a sign after the prefix.
        let digits = plain.dropFirst(2)
        let isSigned = digits.hasPrefix("+") || digits.hasPrefix("-")
        if plain.hasPrefix("0x") { return isSigned ? nil : Int64(digits, radix: 16) }
        if plain.hasPrefix("0o") { return isSigned ? nil : Int64(digits, radix: 8) }
        return Int64(plain)
    }

    /// The value of a number, which may be an integer. Infinite for `.inf` and for numbers that are too large.
    package var number: Double? {
        guard let plain else { return nil }
        switch plain {
        case ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF": return .infinity
        case "-.inf", "-.Inf", "-.INF": return -.infinity
        case ".nan", ".NaN", ".NAN": return .nan
        default: return Self.isDecimal(plain) ? Double(plain) : integer.map(Double.init)
        }
    }

    /// Returns whether a text matches `[-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?`.
    private static func isDecimal(_ text: String) -> Bool {
        var rest = Array(text.utf8)[...]
        func take(_ either: UInt8, _ or: UInt8) -> Bool {
            guard let first = rest.first, first == either || first == or else { return false }
            rest.removeFirst()
            return true
        }
        func takeDigits() -> Bool {
            let digits = rest.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
            rest.removeFirst(digits.count)
            return !digits.isEmpty
        }
        let (plus, minus, point) = (UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."))
        _ = take(plus, minus)
        let hasWhole = takeDigits()
        let hasFraction = take(point, point) && takeDigits()
        guard hasWhole || hasFraction else { return false }
        guard take(UInt8(ascii: "e"), UInt8(ascii: "E")) else { return rest.isEmpty }
        _ = take(plus, minus)
        return takeDigits() && rest.isEmpty
    }

    /// The value as JSON text; see `JSONWriter.value(_:)`.
    package var json: RawJSON {
        var writer = JSONWriter()
        writer.value(self)
        return RawJSON(unchecked: writer.bytes[...])
    }
}

extension JSONWriter {
    /// Writes a YAML value as JSON.
    ///
    /// A plain scalar is written with its meaning in the core schema. A number keeps its spelling if that is valid
    /// JSON. Any other scalar becomes a string, and so do numbers that JSON cannot represent (`.inf`, `.nan`).
    package mutating func value(_ node: YAMLNode) {
        switch node.value {
        case .scalar(let text, .quoted): string(text)
        case .scalar(let text, .plain): plain(text, of: node)
        case .sequence(let elements):
            beginArray()
            for element in elements { value(element) }
            endArray()
        case .mapping(let members):
            beginObject()
            for member in members {
                key(member.key.text ?? "")
                value(member.value)
            }
            endObject()
        }
    }

    private mutating func plain(_ text: String, of node: YAMLNode) {
        if node.isNull { return null() }
        if let truth = node.truth { return bool(truth) }
        guard let number = node.number else { return string(text) }
        if let spelled = try? RawJSON(checking: Array(text.utf8)[...]) { return raw(spelled) }
        if let integer = node.integer { return self.integer(integer) }
        number.isFinite ? self.number(number) : string(text)
    }
}
