import JSONText

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
