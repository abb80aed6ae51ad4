/// Finds the place of a character in a text whose lines end with LF. It goes forward: places are asked for in the order of the text.
struct TextCursor {
    private let text: [UInt8]
    /// In bytes.
    private var offset = 0
    /// In Unicode scalars.
    private var index = 0
    private var position = YAMLPosition(line: 1, column: 1)

    init(_ text: [UInt8]) { self.text = text }

    /// The place of the byte at an offset, or of the text's end.
    mutating func position(ofByte wanted: Int) -> YAMLPosition {
        if wanted < offset { self = TextCursor(text) }
        while offset < wanted, step() {}
        return position
    }

    /// The place of a Unicode scalar, or of the text's end.
    mutating func position(ofScalar wanted: Int) -> YAMLPosition {
        if wanted < index { self = TextCursor(text) }
        while index < wanted, step() {}
        return position
    }

    /// Passes over one character, if one is left.
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
