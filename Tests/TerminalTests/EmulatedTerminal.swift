@testable import WeirTerminal

/// An emulation of the terminal features that a screen uses: the reference for `TerminalScreen`, written from ECMA-48
/// and xterm's behaviour, independently of the drawing code.
struct EmulatedTerminal {
    /// The look of a cell, as set by SGR sequences.
    struct Look: Hashable {
        var foreground: Int?
        var background: Int?
        var attributes: Set<Int> = []
    }

    /// The contents of a cell.
    struct Cell: Hashable {
        var text = " "
        /// 0 for the right half of a character of two columns.
        var columns = 1
        var look = Look()
    }

    let width: Int
    let height: Int
    private(set) var cells: [[Cell]]
    private(set) var row = 0
    private(set) var column = 0
    private(set) var showsCursor = true
    private(set) var isSynchronized = false
    /// The number of frames shown; output outside a synchronized update counts as one, too.
    private(set) var frames = 0
    /// The sequences that the terminal does not know.
    private(set) var complaints: [String] = []
    private var waitsAtEdge = false
    /// The rows that scroll; `nil` until margins are set.
    private var margins: Range<Int>?
    private var look = Look()

    init(width: Int, height: Int, filledWith text: String = "?") {
        (self.width, self.height) = (width, height)
        cells = Array(repeating: Array(repeating: Cell(text: text), count: width), count: height)
    }

    mutating func take(_ bytes: [UInt8]) {
        var rest = Array(String(decoding: bytes, as: UTF8.self).unicodeScalars)[...]
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\u{1B}": takeSequence(&rest)
            case "\r": (column, waitsAtEdge) = (0, false)
            case "\n":
                if row == margins.map({ $0.upperBound - 1 }) {
                    scroll(up: true)
                } else if row == height - 1 {
                    complaints.append("scrolled")
                } else {
                    row += 1
                }
                waitsAtEdge = false
            default: show(scalar)
            }
        }
    }

    private mutating func takeSequence(_ rest: inout ArraySlice<Unicode.Scalar>) {
        let kind = rest.popFirst()
        if kind == "M", row == margins?.lowerBound { return scroll(up: false) }
        guard kind == "[" else { return complaints.append("an escape without a bracket") }
        var parameters = ""
        while let scalar = rest.popFirst() {
            guard (0x40...0x7E).contains(scalar.value) else {
                parameters.unicodeScalars.append(scalar)
                continue
            }
            return perform(scalar, parameters)
        }
        complaints.append("a sequence without an end")
    }

    private mutating func perform(_ last: Unicode.Scalar, _ parameters: String) {
        let numbers = parameters.split(separator: ";", omittingEmptySubsequences: false).map { Int($0) }
        let first = numbers.first.flatMap { $0 } ?? 1
        switch (last, parameters) {
        case ("h", "?2026"): isSynchronized = true
        case ("l", "?2026"):
            isSynchronized = false
            frames += 1
        case ("h", "?25"): showsCursor = true
        case ("l", "?25"): showsCursor = false
        case ("J", "2"): for row in 0..<height { erase(row, from: 0) }
        case ("K", ""): erase(row, from: column)
        case ("C", _):
            if column + first >= width { complaints.append("moved out") }
            (column, waitsAtEdge) = (min(column + first, width - 1), false)
        case ("H", _):
            let second = numbers.count > 1 ? numbers[1] ?? 1 : 1
            if first > height || second > width { complaints.append("went out") }
            (row, column, waitsAtEdge) = (min(first, height) - 1, min(second, width) - 1, false)
        case ("r", ""): (margins, row, column, waitsAtEdge) = (nil, 0, 0, false)
        case ("r", _):
            let last = numbers.count > 1 ? numbers[1] ?? height : height
            if first < 1 || first >= last || last > height { return complaints.append("margins \(parameters)") }
            (margins, row, column, waitsAtEdge) = (first - 1..<last, 0, 0, false)
        case ("m", _): change(parameters.isEmpty ? [0] : numbers.map { $0 ?? 0 })
        default: complaints.append("unknown: \(parameters)\(last)")
        }
    }

    private mutating func change(_ numbers: [Int]) {
        var rest = numbers[...]
        while let number = rest.popFirst() {
            switch number {
            case 0: look = Look()
            case 1, 2, 4, 7: look.attributes.insert(number)
            case 30...37: look.foreground = number - 30
            case 90...97: look.foreground = number - 82
            case 40...47: look.background = number - 40
            case 100...107: look.background = number - 92
            case 38, 48:
                let (kind, index) = (rest.popFirst(), rest.popFirst())
                if kind != 5 { complaints.append("a colour of kind \(String(describing: kind))") }
                if number == 38 { look.foreground = index } else { look.background = index }
            default: complaints.append("unknown look \(number)")
            }
        }
    }

    /// Scrolls the rows between the margins by one; the new row is erased.
    private mutating func scroll(up: Bool) {
        guard let margins else { return complaints.append("scrolled") }
        cells.remove(at: up ? margins.lowerBound : margins.upperBound - 1)
        cells.insert(
            Array(repeating: Cell(look: look), count: width), at: up ? margins.upperBound - 1 : margins.lowerBound)
    }

    private mutating func erase(_ row: Int, from start: Int) {
        if cells[row][start].columns == 0 { cells[row][start - 1] = Cell() }
        for column in start..<width { cells[row][column] = Cell(look: look) }
    }

    private mutating func show(_ scalar: Unicode.Scalar) {
        let previous = waitsAtEdge ? column : column - 1
        let isMark: Bool =
            switch scalar.properties.generalCategory {
            case .nonspacingMark, .enclosingMark: true
            default: false
            }
        if isMark || scalar == "\u{FE0F}" || scalar == "\u{FE0E}" {
            guard previous >= 0 else { return complaints.append("a mark on nothing") }
            let base = cells[row][previous].columns == 0 ? previous - 1 : previous
            cells[row][base].text.unicodeScalars.append(scalar)
            if scalar == "\u{FE0F}", cells[row][base].columns == 1 { widen(base) }
            return
        }
        if isFlag(scalar, previous) {
            cells[row][previous].text.unicodeScalars.append(scalar)
            widen(previous)
            return
        }
        put(scalar)
    }

    private func isFlag(_ scalar: Unicode.Scalar, _ previous: Int) -> Bool {
        let letters: ClosedRange<Unicode.Scalar> = "\u{1F1E6}"..."\u{1F1FF}"
        guard letters.contains(scalar), previous >= 0, cells[row][previous].columns == 1 else { return false }
        let before = cells[row][previous].text.unicodeScalars
        return before.count == 1 && before.allSatisfy { letters.contains($0) }
    }

    /// Turns a character of one column into an emoji of two.
    private mutating func widen(_ base: Int) {
        guard base + 1 < width else { return complaints.append("a picture cut by the edge") }
        cells[row][base].columns = 2
        release(row, base + 1)
        cells[row][base + 1] = Cell(columns: 0, look: cells[row][base].look)
        column = min(base + 2, width - 1)
        waitsAtEdge = base + 2 >= width
    }

    private mutating func put(_ scalar: Unicode.Scalar) {
        let columns = TerminalForm.width(scalar)
        if waitsAtEdge || column + columns > width { return complaints.append("wrapped") }
        release(row, column)
        if columns == 2 { release(row, column + 1) }
        cells[row][column] = Cell(text: String(scalar), columns: columns, look: look)
        if columns == 2 { cells[row][column + 1] = Cell(columns: 0, look: look) }
        column += columns
        if column >= width { (column, waitsAtEdge) = (width - 1, true) }
    }

    /// Clears the other half of a wide character in this cell.
    private mutating func release(_ row: Int, _ column: Int) {
        if cells[row][column].columns == 0, column > 0 { cells[row][column - 1] = Cell() }
        if cells[row][column].columns == 2, column + 1 < width { cells[row][column + 1] = Cell() }
    }
}
