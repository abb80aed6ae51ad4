/// A table of figures, with columns as wide as their contents.
struct Table {
    private var rows: [[String]]

    init(_ headings: [String]) { rows = [headings] }

    mutating func add(_ cells: [String]) { rows.append(cells) }

    /// The lines of the table. The first column is left-aligned, the others are right-aligned.
    var lines: [String] {
        let widths = rows.reduce(into: [Int]()) { widths, row in
            for (column, cell) in row.enumerated() {
                if column == widths.count { widths.append(0) }
                widths[column] = max(widths[column], cell.count)
            }
        }
        return rows.map { row in
            row.enumerated().map { column, cell in
                column == 0 ? cell.padded(to: widths[column]) : cell.indented(to: widths[column])
            }.joined(separator: "  ")
        }
    }
}
