/// One cell of a screen: its character and its appearance.
///
/// A character of two columns takes two cells. The second one has a `columns` of 0.
package struct TerminalCell: Hashable, Sendable {
    /// The character; a space in an empty cell.
    package var base: Unicode.Scalar
    /// The combining marks, and the other scalars that form one picture with the character.
    package var marks: [Unicode.Scalar]
    /// The number of columns, 1 or 2; 0 for the right half of the character in the previous cell.
    package var columns: UInt8
    /// The colours and attributes of the cell.
    package var appearance: TerminalAppearance

    package init(
        _ base: Unicode.Scalar, marks: [Unicode.Scalar] = [], columns: UInt8 = 1,
        _ appearance: TerminalAppearance = .plain
    ) {
        self.base = base
        self.marks = marks
        self.columns = columns
        self.appearance = appearance
    }

    /// An empty cell in the terminal's default appearance.
    package static let blank = TerminalCell(" ")

    /// Returns the right half of a character of two columns.
    static func rightHalf(_ appearance: TerminalAppearance) -> TerminalCell {
        TerminalCell(" ", columns: 0, appearance)
    }

    /// Whether all terminals agree on the cell's width. If not, the screen sets the position of the next cell
    /// explicitly.
    var isCertain: Bool {
        let value = base.value
        guard marks.allSatisfy({ (0x300...0x36F).contains($0.value) }) else { return false }
        switch value {
        // Latin, Greek, Cyrillic; punctuation, arrows, boxes and blocks; kana, ideographs, hangul.
        case 0x20..<0x530, 0x1E00..<0x2000, 0x2010..<0x2030, 0x2190..<0x21A9, 0x2500..<0x25A0, 0x3041...0x9FFF,
            0xAC00...0xD7A3:
            return true
        default: return false
        }
    }

    /// Appends the bytes that draw the cell, in UTF-8.
    func append(to bytes: inout [UInt8]) {
        if base.value < 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: base.value))
        } else {
            bytes.append(contentsOf: base.utf8)
        }
        for mark in marks { bytes.append(contentsOf: mark.utf8) }
    }

    /// The number of bytes that `append(to:)` appends.
    var byteCount: Int { marks.reduce(base.utf8.count) { $0 + $1.utf8.count } }
}
