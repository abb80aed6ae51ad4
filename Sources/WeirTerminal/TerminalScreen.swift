/// The last drawn content of a terminal's screen, and the encoder of updates to it.
///
/// Each update is one synchronized frame with a hidden cursor. Unchanged cells are not sent.
package struct TerminalScreen: Sendable {
    /// The content of the screen; `nil` when it is unknown.
    private var drawn: TerminalGrid?
    /// The appearance in which the terminal shows the next characters.
    private var appearance = TerminalAppearance.plain
    /// The position at which the next character appears; `nil` when terminals differ.
    private var place: TerminalPlace?
    private var bytes: [UInt8] = []
    /// The width of the screen in columns.
    private var width = 1

    /// Creates a screen with unknown content.
    package init() {}

    /// Marks the content of the screen as unknown.
    package mutating func invalidate() { drawn = nil }

    /// Returns the bytes that make the screen show `grid`; empty when it already does.
    package mutating func update(to grid: TerminalGrid) -> [UInt8] {
        if let drawn, drawn.looks(like: grid) {
            self.drawn = grid
            return []
        }
        bytes.removeAll(keepingCapacity: true)
        bytes.append(contentsOf: "\u{1B}[?2026h\u{1B}[?25l".utf8)
        let before = scroll(begin(grid), to: grid)
        for row in 0..<grid.height { draw(row, of: grid, over: before) }
        change(to: .plain)
        if let cursor = grid.cursor {
            place = nil
            move(to: TerminalPlace(row: min(cursor.row, grid.height - 1), column: min(cursor.column, grid.width - 1)))
            bytes.append(contentsOf: "\u{1B}[?25h".utf8)
        }
        bytes.append(contentsOf: "\u{1B}[?2026l".utf8)
        drawn = grid
        return bytes
    }

    /// Returns the content to update. A screen of another size is cleared first.
    private mutating func begin(_ grid: TerminalGrid) -> TerminalGrid {
        place = nil
        appearance = .plain
        width = grid.width
        if let drawn, drawn.width == grid.width, drawn.height == grid.height { return drawn }
        bytes.append(contentsOf: "\u{1B}[m\u{1B}[2J".utf8)
        return TerminalGrid(width: grid.width, height: grid.height)
    }

    // MARK: - One row

    private mutating func draw(_ row: Int, of grid: TerminalGrid, over before: TerminalGrid) {
        let start = row * grid.width
        let cells = grid.cells[start..<start + grid.width]
        let old = before.cells[start..<start + grid.width]
        if cells == old { return }
        // The rest of the row is blank.
        let inked = (cells.lastIndex { $0 != .blank } ?? start - 1) - start + 1
        let oldInked = (old.lastIndex { $0 != .blank } ?? start - 1) - start + 1
        let erases = oldInked - inked >= 4
        let end = erases ? inked : max(inked, oldInked)
        var column = 0
        while column < end {
            guard differs(cells, old, start + column) else {
                column += 1
                continue
            }
            column = drawRun(row, from: column, to: end, cells, old, start)
        }
        if erases {
            move(to: TerminalPlace(row: row, column: inked))
            change(to: .plain)
            bytes.append(contentsOf: "\u{1B}[K".utf8)
        }
    }

    /// Returns whether a cell must be drawn. Both halves of a wide character are drawn together.
    private func differs(_ cells: ArraySlice<TerminalCell>, _ old: ArraySlice<TerminalCell>, _ index: Int) -> Bool {
        cells[index] != old[index] || (cells[index].columns == 2 && cells[index + 1] != old[index + 1])
    }

    /// Draws cells that differ, and the cells between them if that is shorter than moving the cursor. Returns the
    /// column after the run.
    private mutating func drawRun(
        _ row: Int, from first: Int, to end: Int, _ cells: ArraySlice<TerminalCell>, _ old: ArraySlice<TerminalCell>,
        _ start: Int
    ) -> Int {
        var column = first
        move(to: TerminalPlace(row: row, column: column))
        while column < end {
            let cell = cells[start + column]
            if !differs(cells, old, start + column) {
                guard let next = nextWorthReaching(from: column, to: end, cells, old, start) else { return column }
                while column < next { column += draw(cells[start + column], row, column) }
                continue
            }
            if place == nil { move(to: TerminalPlace(row: row, column: column)) }
            column += draw(cell, row, column)
        }
        return column
    }

    /// Returns the next cell that differs if the cells before it are cheap to send again.
    private func nextWorthReaching(
        from column: Int, to end: Int, _ cells: ArraySlice<TerminalCell>, _ old: ArraySlice<TerminalCell>, _ start: Int
    ) -> Int? {
        // The length of the sequence that skips the cells: ESC [ n C.
        let worth = 4
        var cost = 0
        var column = column
        while column < end {
            let cell = cells[start + column]
            if differs(cells, old, start + column) { return column }
            guard cell.isCertain, cell.appearance == appearance else { return nil }
            cost += cell.columns == 0 ? 0 : cell.byteCount
            if cost > worth { return nil }
            column += 1
        }
        return nil
    }

    /// Sends a cell. Returns the number of columns it takes.
    private mutating func draw(_ cell: TerminalCell, _ row: Int, _ column: Int) -> Int {
        let columns = Int(max(cell.columns, 1))
        if place == nil { move(to: TerminalPlace(row: row, column: column)) }
        change(to: cell.appearance)
        cell.append(to: &bytes)
        // After the last column, a terminal delays the move to the next row.
        place = cell.isCertain && column + columns < width ? TerminalPlace(row: row, column: column + columns) : nil
        return columns
    }

    // MARK: - Sequences

    /// Appends a sequence that leaves the cursor at an unknown position and the appearance plain.
    mutating func send(_ sequence: String) {
        bytes.append(contentsOf: sequence.utf8)
        (place, appearance) = (nil, .plain)
    }

    private mutating func change(to wanted: TerminalAppearance) {
        wanted.appendSequence(after: appearance, to: &bytes)
        appearance = wanted
    }

    /// Moves the cursor by the shortest sequence.
    private mutating func move(to wanted: TerminalPlace) {
        defer { place = wanted }
        if place == wanted { return }
        if let place, place.row == wanted.row, wanted.column > place.column {
            let by = wanted.column - place.column
            bytes.append(contentsOf: (by == 1 ? "\u{1B}[C" : "\u{1B}[\(by)C").utf8)
            return
        }
        if let place, wanted.column == 0, wanted.row == place.row + 1 {
            bytes.append(contentsOf: "\r\n".utf8)
            return
        }
        let column = wanted.column == 0 ? "" : ";\(wanted.column + 1)"
        let row = wanted.row == 0 && wanted.column == 0 ? "" : "\(wanted.row + 1)"
        bytes.append(contentsOf: "\u{1B}[\(row)\(column)H".utf8)
    }
}

/// A block of rows that only moves up or down between two screens. A terminal moves rows itself, which takes fewer
/// bytes than sending them again.
struct TerminalScroll: Hashable {
    /// The rows that move, and those between them.
    var rows: Range<Int>
    /// The number of rows to move up; negative to move down. Never 0.
    var up: Int

    /// The minimum number of moved rows for which scrolling is worthwhile.
    private static let fewest = 4

    /// Finds how the numbered rows of a screen moved to the next one. Returns `nil` when they did not move, moved by
    /// different distances, or when scrolling saves nothing.
    init?(from before: TerminalGrid, to after: TerminalGrid) {
        var places: [Int: Int] = [:]
        for (row, number) in before.numbers.enumerated() { if let number { places[number] = row } }
        guard !places.isEmpty else { return nil }
        var moves: [Int: Int] = [:]
        for (row, number) in after.numbers.enumerated() {
            guard let old = number.flatMap({ places[$0] }) else { continue }
            moves[old - row, default: 0] += 1
        }
        // The most frequent move wins. Among equals, the shorter one wins, then up before down.
        let best = moves.max { ($0.value, -abs($0.key), $0.key) < ($1.value, -abs($1.key), $1.key) }
        guard let best, best.key != 0, best.value >= Self.fewest else { return nil }
        let numbered = (0..<after.height).filter { before.numbers[$0] != nil || after.numbers[$0] != nil }
        guard let first = numbered.first, let last = numbered.last, abs(best.key) < last + 1 - first else { return nil }
        (rows, up) = (first..<last + 1, best.key)
        guard saved(from: before, to: after) > 0 else { return nil }
    }

    /// Returns the row whose content moves to `row`; `nil` when `row` becomes blank.
    func source(of row: Int) -> Int? { rows.contains(row + up) ? row + up : nil }

    /// Returns the cells that need not be sent, minus the cells that must be sent because of the move.
    private func saved(from before: TerminalGrid, to after: TerminalGrid) -> Int {
        var saved = 0
        for row in rows {
            let source = source(of: row)
            for column in 0..<after.width {
                let wanted = after[row, column]
                if wanted != before[row, column] { saved += 1 }
                if wanted != (source.map { before[$0, column] } ?? .blank) { saved -= 1 }
            }
        }
        return saved
    }
}

extension TerminalScreen {
    /// Makes the terminal move rows that only changed position. Returns the content of the screen after the move.
    mutating func scroll(_ before: TerminalGrid, to grid: TerminalGrid) -> TerminalGrid {
        guard let scroll = TerminalScroll(from: before, to: grid) else { return before }
        let lines = abs(scroll.up)
        // Only the rows between the margins move (DECSTBM), when the cursor moves beyond the last or the first of them.
        var sequence = "\u{1B}[m\u{1B}[\(scroll.rows.lowerBound + 1);\(scroll.rows.upperBound)r"
        if scroll.up > 0 {
            sequence += "\u{1B}[\(scroll.rows.upperBound)H" + String(repeating: "\n", count: lines)
        } else {
            sequence += "\u{1B}[\(scroll.rows.lowerBound + 1)H" + String(repeating: "\u{1B}M", count: lines)
        }
        send(sequence + "\u{1B}[r")
        return before.moved(scroll)
    }
}

/// The sequences that begin and end a full-screen view. They are the same for every supported terminal.
package enum TerminalModes {
    /// Switches to the alternate screen, hides the cursor, and enables mouse reports and paste markers.
    package static let begin = Array("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?1002h\u{1B}[?1006h\u{1B}[?2004h".utf8)
    /// Restores the previous screen and its cursor. It is harmless without `begin`, or when sent twice.
    package static let end = Array(
        "\u{1B}[?2026l\u{1B}[?2004l\u{1B}[?1006l\u{1B}[?1002l\u{1B}[m\u{1B}[?25h\u{1B}[?1049l".utf8)
}
