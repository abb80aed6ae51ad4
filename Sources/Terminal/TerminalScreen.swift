/// A terminal's screen as it was drawn last, and how to make it what is wanted.
///
/// Each update is one synchronized frame without a visible cursor: what has not changed is not sent.
package struct TerminalScreen: Sendable {
    /// What stands on the screen; nil when nobody knows.
    private var drawn: TerminalGrid?
    /// How the terminal would show what is sent next.
    private var appearance = TerminalAppearance.plain
    /// Where what is sent next is shown; nil when terminals differ.
    private var place: TerminalPlace?
    private var bytes: [UInt8] = []
    /// The columns of the screen.
    private var width = 1

    /// A screen with unknown contents.
    package init() {}

    /// Nobody knows any more what is on the screen.
    package mutating func invalidate() { drawn = nil }

    /// What to send so that the screen shows `grid`; nothing when it does.
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

    /// What is on the screen; one of another size is wiped first.
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
        // Behind this, the row is blank.
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

    /// Whether a cell is to be drawn. The halves of one character are drawn together.
    private func differs(_ cells: ArraySlice<TerminalCell>, _ old: ArraySlice<TerminalCell>, _ index: Int) -> Bool {
        cells[index] != old[index] || (cells[index].columns == 2 && cells[index + 1] != old[index + 1])
    }

    /// Draws cells that differ, and what stands between them where that is shorter than going there. Gives the column behind.
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

    /// The next cell that differs, if what stands before it is cheap to send again.
    private func nextWorthReaching(
        from column: Int, to end: Int, _ cells: ArraySlice<TerminalCell>, _ old: ArraySlice<TerminalCell>, _ start: Int
    ) -> Int? {
        // As long as going there: ESC [ 1 2 C.
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

    /// Sends a cell; gives the columns it takes.
    private mutating func draw(_ cell: TerminalCell, _ row: Int, _ column: Int) -> Int {
        let columns = Int(max(cell.columns, 1))
        if place == nil { move(to: TerminalPlace(row: row, column: column)) }
        change(to: cell.appearance)
        cell.append(to: &bytes)
        // Behind the last column a terminal waits before it goes on to the next row.
        place = cell.isCertain && column + columns < width ? TerminalPlace(row: row, column: column + columns) : nil
        return columns
    }

    // MARK: - Sequences

    /// Sends a sequence after which nobody knows where the cursor is, and cells look plain.
    mutating func send(_ sequence: String) {
        bytes.append(contentsOf: sequence.utf8)
        (place, appearance) = (nil, .plain)
    }

    private mutating func change(to wanted: TerminalAppearance) {
        wanted.appendSequence(after: appearance, to: &bytes)
        appearance = wanted
    }

    /// Goes to a place by the shortest sequence.
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
