import CWeirYAML

/// One event from libyaml's parser.
struct YAMLEvent {
    enum Kind {
        case documentStart
        case scalar(String, YAMLNode.Style)
        case sequenceStart
        case mappingStart
        case alias(String)
        /// The end of a sequence, a mapping or a document.
        case end
        case textEnd
    }

    var kind: Kind
    var position: YAMLPosition
    var anchor: String?
    /// The tag in its long form: `tag:yaml.org,2002:str` for `!!str`.
    var tag: String?
}

/// libyaml's parser over one text.
///
/// libyaml handles grammar, indentation and quoting; everything else is done by this module. The parser does not
/// recurse, and looks ahead at most a thousand characters.
struct YAMLEventReader: ~Copyable {
    private let parser: UnsafeMutablePointer<yaml_parser_t>
    /// The text. The parser reads this memory without copying it.
    private let input: UnsafeMutableBufferPointer<UInt8>
    private var cursor: TextCursor

    /// Creates a reader of UTF-8 text whose lines end with LF, without a byte order mark or NUL bytes.
    init(_ text: [UInt8]) {
        input = .allocate(capacity: max(1, text.count))
        _ = input.initialize(from: text)
        cursor = TextCursor(text)
        parser = .allocate(capacity: 1)
        precondition(yaml_parser_initialize(parser) == 1, "out of memory for a parser")
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        yaml_parser_set_input_string(parser, input.baseAddress, text.count)
    }

    deinit {
        yaml_parser_delete(parser)
        parser.deallocate()
        input.deallocate()
    }

    /// Returns the next event. Do not call it again after an error or after the end of the text.
    mutating func next() throws(YAMLError.Problem) -> YAMLEvent {
        var event = yaml_event_t()
        guard yaml_parser_parse(parser, &event) == 1 else { throw problem() }
        defer { yaml_event_delete(&event) }
        let position = cursor.position(ofScalar: event.start_mark.index)
        switch event.type {
        case YAML_STREAM_START_EVENT: return try next()
        case YAML_STREAM_END_EVENT: return YAMLEvent(kind: .textEnd, position: position)
        case YAML_DOCUMENT_START_EVENT: return YAMLEvent(kind: .documentStart, position: position)
        case YAML_ALIAS_EVENT:
            return YAMLEvent(kind: .alias(Self.text(event.data.alias.anchor) ?? ""), position: position)
        case YAML_SCALAR_EVENT:
            let scalar = event.data.scalar
            let text = String(decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self)
            return YAMLEvent(
                kind: .scalar(text, scalar.style == YAML_PLAIN_SCALAR_STYLE ? .plain : .quoted), position: position,
                anchor: Self.text(scalar.anchor), tag: Self.text(scalar.tag))
        case YAML_SEQUENCE_START_EVENT:
            let start = event.data.sequence_start
            return YAMLEvent(
                kind: .sequenceStart, position: position, anchor: Self.text(start.anchor), tag: Self.text(start.tag))
        case YAML_MAPPING_START_EVENT:
            let start = event.data.mapping_start
            return YAMLEvent(
                kind: .mappingStart, position: position, anchor: Self.text(start.anchor), tag: Self.text(start.tag))
        default: return YAMLEvent(kind: .end, position: position)
        }
    }

    private static func text(_ bytes: UnsafeMutablePointer<yaml_char_t>?) -> String? {
        bytes.map { String(cString: $0) }
    }

    /// Returns the error at which the parser stopped.
    private mutating func problem() -> YAMLError.Problem {
        let parser = parser.pointee
        if parser.error == YAML_READER_ERROR {
            return YAMLError.Problem(
                position: cursor.position(ofByte: parser.problem_offset),
                message: "a control character; in double quotes it is an escape")
        }
        let problem = parser.problem.map { String(cString: $0) } ?? "out of memory"
        var message = Self.plainWords[problem] ?? problem
        let position = cursor.position(ofScalar: parser.problem_mark.index)
        if let context = parser.context {
            let begin = cursor.position(ofScalar: parser.context_mark.index)
            if begin != position { message += " (\(String(cString: context)) that begins at \(begin))" }
        }
        return YAMLError.Problem(position: position, message: message)
    }

    /// The most common errors of libyaml, in plainer words.
    private static let plainWords = [
        "mapping values are not allowed in this context":
            "a value cannot begin here: check the indentation, and quote a text that holds ': '",
        "found character that cannot start any token":
            "a value cannot begin like this: indent with spaces, not tabs, and quote a text that begins with '@', '`' or '%'",
        "did not find expected key": "a key is expected here; check the indentation",
        "did not find expected '-' indicator": "'- ' is expected here; check the indentation",
        "could not find expected ':'": "':' is expected after the key",
        "did not find expected ',' or ']'": "',' or ']' is expected here",
        "did not find expected ',' or '}'": "',' or '}' is expected here",
        "did not find expected node content": "a value is expected here",
        "found unexpected end of stream": "the text ends inside quotes",
        "found unknown escape character": "no such escape; in single quotes a backslash is itself",
        "found invalid Unicode character escape code":
            "this escape is not a character; write one beyond U+FFFF as \\U and eight digits",
        "did not find expected <document start>": "the value has ended; nothing may follow it",
        "found undefined tag handle": "unknown tag",
        "found incompatible YAML document": "expected %YAML 1.2, or no such line",
    ]
}

/// Converts offsets in a text to lines and columns. The text's lines end with LF.
///
/// It moves forward and starts again for an earlier offset, so lookups in the order of the text are fast.
struct TextCursor {
    private let text: [UInt8]
    /// The current offset in bytes.
    private var offset = 0
    /// The current offset in Unicode scalars.
    private var index = 0
    private var position = YAMLPosition(line: 1, column: 1)

    init(_ text: [UInt8]) { self.text = text }

    /// Returns the position of the byte at an offset, or of the end of the text.
    mutating func position(ofByte wanted: Int) -> YAMLPosition {
        if wanted < offset { self = TextCursor(text) }
        while offset < wanted, step() {}
        return position
    }

    /// Returns the position of the Unicode scalar at an offset, or of the end of the text.
    mutating func position(ofScalar wanted: Int) -> YAMLPosition {
        if wanted < index { self = TextCursor(text) }
        while index < wanted, step() {}
        return position
    }

    /// Passes over one character. Returns false at the end of the text.
    private mutating func step() -> Bool {
        guard offset < text.count else { return false }
        let isLineEnd = text[offset] == UInt8(ascii: "\n")
        repeat { offset += 1 } while offset < text.count && text[offset] & 0xC0 == 0x80
        index += 1
        position =
            isLineEnd
            ? YAMLPosition(line: position.line + 1, column: 1)
            : YAMLPosition(line: position.line, column: position.column + 1)
        return true
    }
}

/// The C library of this room with its version.
package enum YAMLLibraries {
    /// The library with the version that runs, for `weir --version`.
    package static var versions: [(name: String, version: String)] {
        [("libyaml", String(cString: yaml_get_version_string()))]
    }
}
