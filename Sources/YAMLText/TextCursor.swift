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
