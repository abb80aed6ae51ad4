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

/// A line of cells of any length. Its text is escaped and measured, in one or several appearances.
package struct TerminalLine: Hashable, Sendable {
    /// The cells. Each wide one is followed by its right half.
    package private(set) var cells: [TerminalCell] = []

    /// Creates a line without cells.
    package init() {}

    /// Creates a line of escaped text in one appearance.
    package init(_ text: String, _ appearance: TerminalAppearance = .plain) { append(text, appearance) }

    /// Converts the lines in a `TerminalBuffer` to cells, with its sequences as appearances. `bytes` must come from
    /// such a buffer.
    package static func lines(of bytes: [UInt8]) -> [TerminalLine] {
        var lines: [TerminalLine] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex
            lines.append(TerminalLine(rest[rest.startIndex..<end]))
            rest = rest[min(end + 1, rest.endIndex)...]
        }
        return lines
    }

    private init(_ bytes: ArraySlice<UInt8>) {
        var appearance = TerminalAppearance.plain
        var rest = bytes
        while !rest.isEmpty {
            let escape = rest.firstIndex(of: 0x1B) ?? rest.endIndex
            append(String(decoding: rest[rest.startIndex..<escape], as: UTF8.self), appearance)
            guard escape < rest.endIndex else { return }
            let end = rest[escape...].firstIndex(of: UInt8(ascii: "m")) ?? rest.endIndex
            if escape + 2 <= end { appearance.apply(rest[escape + 2..<end]) }
            rest = rest[min(end + 1, rest.endIndex)...]
        }
    }

    /// The width of the line in columns.
    package var columns: Int { cells.count }

    /// The line's text as it is shown.
    package var text: String {
        var text = ""
        for cell in cells where cell.columns > 0 {
            text.unicodeScalars.append(cell.base)
            text.unicodeScalars.append(contentsOf: cell.marks)
        }
        return text
    }

    /// Appends escaped text in one appearance.
    package mutating func append(_ text: String, _ appearance: TerminalAppearance = .plain) {
        var context: TerminalForm.Context?
        for scalar in text.unicodeScalars {
            if scalar.value >= 0x20, scalar.value < 0x7F {
                cells.append(TerminalCell(scalar, appearance))
                context = TerminalForm.Context(base: scalar)
                continue
            }
            switch TerminalForm(of: scalar, after: context) {
            case .escaped:
                for letter in TerminalForm.escape(of: scalar).unicodeScalars {
                    cells.append(TerminalCell(letter, appearance))
                }
                context = nil
            case .visible(let columns): append(scalar, columns, appearance, &context)
            }
        }
    }

    /// Appends a visible scalar: a character, a mark on the last character, or a scalar that forms one picture with it.
    private mutating func append(
        _ scalar: Unicode.Scalar, _ columns: Int, _ appearance: TerminalAppearance,
        _ context: inout TerminalForm.Context?
    ) {
        let isSelector = scalar == "\u{FE0F}" || scalar == "\u{FE0E}"
        let isFlag =
            Self.isRegional(scalar) && (cells.last.map { Self.isRegional($0.base) && $0.columns == 1 } ?? false)
        if columns == 0 || isSelector || isFlag, context != nil {
            if isSelector { context?.marks += 1 }
            if columns == 0, !isSelector { context?.marks += 1 }
            return join(scalar, columns, appearance)
        }
        cells.append(TerminalCell(scalar, columns: columns == 2 ? 2 : 1, appearance))
        if columns == 2 { cells.append(.rightHalf(appearance)) }
        context = TerminalForm.Context(base: scalar)
    }

    /// Joins a scalar to the last character. If `columns` is positive, the character becomes wide.
    private mutating func join(_ scalar: Unicode.Scalar, _ columns: Int, _ appearance: TerminalAppearance) {
        guard let place = cells.lastIndex(where: { $0.columns > 0 }) else { return }
        cells[place].marks.append(scalar)
        if columns > 0, cells[place].columns == 1 {
            cells[place].columns = 2
            cells.append(.rightHalf(appearance))
        }
    }

    private static func isRegional(_ scalar: Unicode.Scalar) -> Bool { (0x1F1E6...0x1F1FF).contains(scalar.value) }

    /// Adds attributes to the cells of a range. Columns outside the line are ignored.
    package mutating func add(_ attributes: TerminalAppearance.Attributes, in range: Range<Int>) {
        for index in range.clamped(to: cells.indices) { cells[index].appearance.attributes.formUnion(attributes) }
    }

    /// Splits the line into parts of at most `width` columns, and at least one part. Wide characters stay whole.
    package func wrapped(to width: Int) -> [TerminalLine] {
        let width = max(width, 2)
        guard cells.count > width else { return [self] }
        var parts: [TerminalLine] = []
        var start = 0
        while start < cells.count {
            var end = min(start + width, cells.count)
            if end < cells.count, cells[end].columns == 0 { end -= 1 }
            var part = TerminalLine()
            part.cells = Array(cells[start..<end])
            parts.append(part)
            start = end
        }
        return parts
    }
}

// Search within a line.
extension TerminalLine {
    /// Appends the cells of another line.
    package mutating func append(_ other: TerminalLine) { cells += other.cells }

    /// Returns the line without its first columns. Half a wide character becomes a space.
    package func dropping(_ columns: Int) -> TerminalLine {
        var line = TerminalLine()
        line.cells = Array(cells.dropFirst(max(columns, 0)))
        if line.cells.first?.columns == 0 { line.cells[0] = .blank }
        return line
    }

    /// Returns the columns of the first match of `text` at or after column `start`, comparing text as it is shown. A
    /// text without upper-case letters matches in any case. An empty text never matches.
    package func range(of text: String, from start: Int) -> Range<Int>? {
        let wanted = Array(text.unicodeScalars)
        guard !wanted.isEmpty, start >= 0 else { return nil }
        let ignoresCase = !wanted.contains { $0.properties.isUppercase }
        var shown: [(scalar: Unicode.Scalar, column: Int)] = []
        for (column, cell) in cells.enumerated().dropFirst(start) where cell.columns > 0 {
            shown.append((Self.folded(cell.base, ignoresCase), column))
            for mark in cell.marks { shown.append((mark, column)) }
        }
        guard shown.count >= wanted.count else { return nil }
        for first in 0...shown.count - wanted.count
        where wanted.indices.allSatisfy({ shown[first + $0].scalar == wanted[$0] }) {
            var end = shown[first + wanted.count - 1].column + 1
            while end < cells.count, cells[end].columns == 0 { end += 1 }
            return shown[first].column..<end
        }
        return nil
    }

    private static func folded(_ scalar: Unicode.Scalar, _ ignoresCase: Bool) -> Unicode.Scalar {
        guard ignoresCase else { return scalar }
        if scalar.value < 0x80 {
            return scalar.value >= 0x41 && scalar.value <= 0x5A ? Unicode.Scalar(UInt8(scalar.value) + 32) : scalar
        }
        let lower = scalar.properties.lowercaseMapping.unicodeScalars
        return lower.count == 1 ? lower.first ?? scalar : scalar
    }
}
