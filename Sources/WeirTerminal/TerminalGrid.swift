/// The desired content of a screen, as rows and columns of cells. Pure. Written text is escaped, and text that does not
/// fit is cut.
package struct TerminalGrid: Hashable, Sendable {
    /// The maximum number of rows and of columns, whatever size a terminal reports.
    package static let largest = 1000

    /// The number of columns, at least 1.
    package let width: Int
    /// The number of rows, at least 1.
    package let height: Int
    /// The cells, row by row.
    private(set) var cells: [TerminalCell]
    /// The position of the visible cursor; `nil` to hide it.
    package var cursor: TerminalPlace?
    /// The identities of rows that may move between screens. Rows with the same number have the same content; `nil` is
    /// for a row that does not move.
    private(set) var numbers: [Int?]

    /// Creates an empty screen. Sizes are clamped to 1 and `largest`.
    package init(width: Int, height: Int) {
        self.width = min(max(width, 1), Self.largest)
        self.height = min(max(height, 1), Self.largest)
        cells = Array(repeating: .blank, count: self.width * self.height)
        numbers = Array(repeating: nil, count: self.height)
    }

    /// Identifies the content of a row by a number, so that the row is recognised at another position of a later
    /// screen.
    package mutating func number(row: Int, _ number: Int) { if numbers.indices.contains(row) { numbers[row] = number } }

    /// Returns whether another screen looks the same.
    func looks(like other: TerminalGrid) -> Bool {
        width == other.width && height == other.height && cursor == other.cursor && cells == other.cells
    }

    /// Returns this screen with rows moved as a terminal moves them.
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

    /// The cell at a position; a blank cell outside the screen.
    package subscript(row: Int, column: Int) -> TerminalCell {
        guard (0..<height).contains(row), (0..<width).contains(column) else { return .blank }
        return cells[row * width + column]
    }

    /// Returns the text of a row without trailing blanks.
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

    /// The area that covers the whole screen.
    package var area: TerminalArea { TerminalArea(row: 0, column: 0, height: height, width: width) }

    // MARK: - Writing

    /// Makes the cells of an area blank.
    package mutating func clear(_ area: TerminalArea, _ appearance: TerminalAppearance = .plain) {
        let area = area.intersection(self.area)
        for row in area.rows {
            for column in area.columns { put(TerminalCell(" ", appearance), row, column) }
        }
    }

    /// Adds attributes to all cells of an area. Reversed cells lose their colours, which would look like patches in the
    /// bar of a selected row.
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

    /// Writes escaped text in one row, from `column` on and within `area`. Text that is too long ends with an ellipsis.
    /// Returns the column after the text.
    @discardableResult
    package mutating func write(
        _ text: String, row: Int, column: Int, _ appearance: TerminalAppearance = .plain, in area: TerminalArea? = nil
    ) -> Int {
        write(TerminalLine(text, appearance), row: row, column: column, in: area)
    }

    /// Writes a line, from `column` on and within `area`. A line that is too long ends with an ellipsis. Returns the
    /// column after the line.
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

    /// Marks text that does not fit with an ellipsis in the last column.
    private mutating func cut(_ row: Int, _ place: Int, from start: Int, end: Int) {
        guard end > start else { return }
        let appearance = cells[row * width + max(place - 1, start)].appearance
        put(TerminalCell("…", appearance), row, end - 1)
        if end - 1 > place { for column in place..<end - 1 { put(TerminalCell(" ", appearance), row, column) } }
    }

    /// Writes a cell. If it overwrites half of a wide character, the other half becomes a space.
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

/// A position on a screen, with row and column counted from 0.
package struct TerminalPlace: Hashable, Sendable {
    package var row: Int
    package var column: Int
}

/// A rectangle of a screen, which may be empty.
package struct TerminalArea: Hashable, Sendable {
    package var rows: Range<Int>
    package var columns: Range<Int>

    /// Creates a rectangle. Negative sizes count as 0.
    package init(row: Int, column: Int, height: Int, width: Int) {
        rows = row..<row + max(height, 0)
        columns = column..<column + max(width, 0)
    }

    /// Whether the rectangle contains no cell.
    package var isEmpty: Bool { rows.isEmpty || columns.isEmpty }

    /// Returns whether the rectangle contains a position.
    package func contains(_ place: TerminalPlace) -> Bool { rows.contains(place.row) && columns.contains(place.column) }

    /// Returns the overlap of two rectangles.
    package func intersection(_ other: TerminalArea) -> TerminalArea {
        var area = self
        area.rows = rows.clamped(to: other.rows)
        area.columns = columns.clamped(to: other.columns)
        return area
    }

    /// Removes up to `height` rows from the top and returns them.
    package mutating func takeTop(_ height: Int) -> TerminalArea {
        var taken = self
        taken.rows = rows.takeFirst(height)
        return taken
    }

    /// Removes up to `height` rows from the bottom and returns them.
    package mutating func takeBottom(_ height: Int) -> TerminalArea {
        let cut = max(rows.upperBound - max(height, 0), rows.lowerBound)
        var taken = self
        taken.rows = cut..<rows.upperBound
        rows = rows.lowerBound..<cut
        return taken
    }

    /// Removes up to `width` columns from the left and returns them.
    package mutating func takeLeft(_ width: Int) -> TerminalArea {
        var taken = self
        taken.columns = columns.takeFirst(width)
        return taken
    }
}

extension Range<Int> {
    /// Removes up to `count` elements from the front and returns them.
    fileprivate mutating func takeFirst(_ count: Int) -> Range<Int> {
        let cut = Swift.min(lowerBound + Swift.max(count, 0), upperBound)
        defer { self = cut..<upperBound }
        return lowerBound..<cut
    }
}
