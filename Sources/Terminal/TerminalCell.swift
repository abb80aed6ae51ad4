/// One cell of a screen: what stands in it, and how it looks.
///
/// Characters of two columns take two cells: the second one has no columns of its own.
package struct TerminalCell: Hashable, Sendable {
    /// The character, a space where there is none.
    package var base: Unicode.Scalar
    /// The marks on it, and what else makes one picture with it.
    package var marks: [Unicode.Scalar]
    /// 1 or 2; 0 for the right half of what stands in the cell before.
    package var columns: UInt8
    /// How it looks.
    package var appearance: TerminalAppearance

    /// A cell of a character.
    package init(
        _ base: Unicode.Scalar, marks: [Unicode.Scalar] = [], columns: UInt8 = 1,
        _ appearance: TerminalAppearance = .plain
    ) {
        self.base = base
        self.marks = marks
        self.columns = columns
        self.appearance = appearance
    }

    /// An empty cell.
    package static let blank = TerminalCell(" ")

    /// The right half of a character of two columns.
    static func rightHalf(_ appearance: TerminalAppearance) -> TerminalCell {
        TerminalCell(" ", columns: 0, appearance)
    }

    /// Whether every terminal agrees about its columns. Where they may not, the next cell is drawn at a place that is said.
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

    /// What is sent for it, UTF-8.
    func append(to bytes: inout [UInt8]) {
        if base.value < 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: base.value))
        } else {
            bytes.append(contentsOf: base.utf8)
        }
        for mark in marks { bytes.append(contentsOf: mark.utf8) }
    }

    /// The bytes of that.
    var byteCount: Int { marks.reduce(base.utf8.count) { $0 + $1.utf8.count } }
}
