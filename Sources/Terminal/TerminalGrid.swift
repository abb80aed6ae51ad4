/// A screen as it is wanted: rows and columns of cells. Pure; whatever is written is escaped, and what does not fit is cut.
package struct TerminalGrid: Hashable, Sendable {
    /// The most rows or columns of a screen, whatever a terminal says of itself.
    package static let largest = 1000

    /// The columns, 1 at least.
    package let width: Int
    /// The rows, 1 at least.
    package let height: Int
    /// The cells, row by row.
    private(set) var cells: [TerminalCell]
    /// Where the cursor is seen; nil for nowhere.
    package var cursor: TerminalPlace?
    /// Rows that may stand higher or lower in another screen, by numbers: the same number stands for the same; nil for what does not move.
    private(set) var numbers: [Int?]

    /// An empty screen; sizes out of bounds are taken to the nearest that is not.
    package init(width: Int, height: Int) {
        self.width = min(max(width, 1), Self.largest)
        self.height = min(max(height, 1), Self.largest)
        cells = Array(repeating: .blank, count: self.width * self.height)
        numbers = Array(repeating: nil, count: self.height)
    }

    /// Says what a row shows, so that it is known again in another row of a later screen.
    package mutating func number(row: Int, _ number: Int) { if numbers.indices.contains(row) { numbers[row] = number } }

    /// Whether another screen looks the same.
    func looks(like other: TerminalGrid) -> Bool {
        width == other.width && height == other.height && cursor == other.cursor && cells == other.cells
    }

    /// The same with rows moved as a terminal moves them.
    func moved(_ scroll: TerminalScroll) -> TerminalGrid {
        var moved = self
        for row in scroll.rows {
            let source = scroll.source(of: row)
            for column in 0..<width {
                moved.cells[row * width + column] = source.map { cells[$0 * width + column] } ?? .blank
            }
        }
        return moved
    }

    /// The cell at a place; a blank one outside.
    package subscript(row: Int, column: Int) -> TerminalCell {
        guard (0..<height).contains(row), (0..<width).contains(column) else { return .blank }
        return cells[row * width + column]
    }

    /// The text of a row, without the blanks at its end.
    package func text(ofRow row: Int) -> String {
        guard (0..<height).contains(row) else { return "" }
        var text = ""
        for cell in cells[row * width..<(row + 1) * width] where cell.columns > 0 {
            text.unicodeScalars.append(cell.base)
            text.unicodeScalars.append(contentsOf: cell.marks)
        }
        while text.last == " " { text.removeLast() }
        return text
    }

    /// The part of the screen that is all of it.
    package var area: TerminalArea { TerminalArea(row: 0, column: 0, height: height, width: width) }

    // MARK: - Writing

    /// Makes the cells of an area blank.
    package mutating func clear(_ area: TerminalArea, _ appearance: TerminalAppearance = .plain) {
        let area = area.intersection(self.area)
        for row in area.rows {
            for column in area.columns { put(TerminalCell(" ", appearance), row, column) }
        }
    }

    /// Gives all cells of an area further attributes. What is reversed loses its colours, which would be patches in the bar that a
    /// selected row is.
    package mutating func add(_ attributes: TerminalAppearance.Attributes, in area: TerminalArea) {
        let area = area.intersection(self.area)
        for row in area.rows {
            for column in area.columns {
                let place = row * width + column
                let before = cells[place].appearance
                cells[place].appearance =
                    attributes.contains(.reversed)
                    ? TerminalAppearance(before.attributes.union(attributes).subtracting(.dim))
                    : before.adding(attributes)
            }
        }
    }

    /// Writes text in one row from a place on, escaped, in `area` at most; what is too long ends with an ellipsis. Gives the
    /// column behind it.
    @discardableResult
    package mutating func write(
        _ text: String, row: Int, column: Int, _ appearance: TerminalAppearance = .plain, in area: TerminalArea? = nil
    ) -> Int {
        write(TerminalLine(text, appearance), row: row, column: column, in: area)
    }

    /// Writes a line from a place on, in `area` at most; what is too long ends with an ellipsis. Gives the column behind it.
    @discardableResult
    package mutating func write(_ line: TerminalLine, row: Int, column: Int, in area: TerminalArea? = nil) -> Int {
        let area = (area ?? self.area).intersection(self.area)
        guard area.rows.contains(row), column < area.columns.upperBound else { return column }
        let end = area.columns.upperBound
        var place = column
        for cell in line.cells where cell.columns > 0 {
            guard place + Int(cell.columns) <= end else {
                cut(row, place, from: max(column, area.columns.lowerBound), end: end)
                return end
            }
            if place >= area.columns.lowerBound { put(cell, row, place) }
            place += Int(cell.columns)
        }
        return place
    }

    /// What follows does not fit: the last column says so.
    private mutating func cut(_ row: Int, _ place: Int, from start: Int, end: Int) {
        guard end > start else { return }
        let appearance = cells[row * width + max(place - 1, start)].appearance
        put(TerminalCell("…", appearance), row, end - 1)
        if end - 1 > place { for column in place..<end - 1 { put(TerminalCell(" ", appearance), row, column) } }
    }

    /// Puts a cell. Halves of what stood there before go.
    private mutating func put(_ cell: TerminalCell, _ row: Int, _ column: Int) {
        let start = row * width
        guard column + Int(max(cell.columns, 1)) <= width else { return }
        let last = column + Int(max(cell.columns, 1)) - 1
        if cells[start + column].columns == 0, column > 0 {
            cells[start + column - 1] = TerminalCell(" ", cells[start + column - 1].appearance)
        }
        if last + 1 < width, cells[start + last + 1].columns == 0 {
            cells[start + last + 1] = TerminalCell(" ", cells[start + last + 1].appearance)
        }
        cells[start + column] = cell
        if cell.columns == 2 { cells[start + column + 1] = .rightHalf(cell.appearance) }
    }
}

/// A place on a screen, both from 0 on.
package struct TerminalPlace: Hashable, Sendable {
    /// The row.
    package var row: Int
    /// The column.
    package var column: Int
}

/// A rectangle of a screen; it may be empty.
package struct TerminalArea: Hashable, Sendable {
    /// Its rows.
    package var rows: Range<Int>
    /// Its columns.
    package var columns: Range<Int>

    /// A rectangle; sizes below 0 count as 0.
    package init(row: Int, column: Int, height: Int, width: Int) {
        rows = row..<row + max(height, 0)
        columns = column..<column + max(width, 0)
    }

    /// Whether nothing fits in.
    package var isEmpty: Bool { rows.isEmpty || columns.isEmpty }

    /// Whether a place is in it.
    package func contains(_ place: TerminalPlace) -> Bool { rows.contains(place.row) && columns.contains(place.column) }

    /// What both have.
    package func intersection(_ other: TerminalArea) -> TerminalArea {
        var area = self
        area.rows = rows.clamped(to: other.rows)
        area.columns = columns.clamped(to: other.columns)
        return area
    }

    /// Takes rows off its top; as many as there are.
    package mutating func takeTop(_ height: Int) -> TerminalArea {
        var taken = self
        taken.rows = rows.takeFirst(height)
        return taken
    }

    /// Takes rows off its bottom; as many as there are.
    package mutating func takeBottom(_ height: Int) -> TerminalArea {
        let cut = max(rows.upperBound - max(height, 0), rows.lowerBound)
        var taken = self
        taken.rows = cut..<rows.upperBound
        rows = rows.lowerBound..<cut
        return taken
    }

    /// Takes columns off its left side; as many as there are.
    package mutating func takeLeft(_ width: Int) -> TerminalArea {
        var taken = self
        taken.columns = columns.takeFirst(width)
        return taken
    }
}

extension Range<Int> {
    /// Takes so many off the front; as many as there are.
    fileprivate mutating func takeFirst(_ count: Int) -> Range<Int> {
        let cut = Swift.min(lowerBound + Swift.max(count, 0), upperBound)
        defer { self = cut..<upperBound }
        return lowerBound..<cut
    }
}
