/// What of a screen only stands higher or lower in the next one: a terminal moves rows by itself, which is shorter than sending them anew.
struct TerminalScroll: Hashable {
    /// The rows that are moved, and what stands between them.
    var rows: Range<Int>
    /// So many rows up; down when it is negative. Never 0.
    var up: Int

    /// Fewer rows are not worth it.
    private static let fewest = 4

    /// How the numbered rows of a screen moved to the next one; nil when they stayed, went different ways, or it saves nothing.
    init?(from before: TerminalGrid, to after: TerminalGrid) {
        var places: [Int: Int] = [:]
        for (row, number) in before.numbers.enumerated() { if let number { places[number] = row } }
        guard !places.isEmpty else { return nil }
        var moves: [Int: Int] = [:]
        for (row, number) in after.numbers.enumerated() {
            guard let old = number.flatMap({ places[$0] }) else { continue }
            moves[old - row, default: 0] += 1
        }
        // The most of them; of as many the shorter way, and up rather than down.
        let best = moves.max { ($0.value, -abs($0.key), $0.key) < ($1.value, -abs($1.key), $1.key) }
        guard let best, best.key != 0, best.value >= Self.fewest else { return nil }
        let numbered = (0..<after.height).filter { before.numbers[$0] != nil || after.numbers[$0] != nil }
        guard let first = numbered.first, let last = numbered.last, abs(best.key) < last + 1 - first else { return nil }
        (rows, up) = (first..<last + 1, best.key)
        guard saved(from: before, to: after) > 0 else { return nil }
    }

    /// The row that stands in a row once it is moved; nil for one that is blank then.
    func source(of row: Int) -> Int? { rows.contains(row + up) ? row + up : nil }

    /// Cells that need not be sent, less those that must be sent for it.
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
    /// Has the terminal move what only stands higher or lower; gives what is on the screen then.
    mutating func scroll(_ before: TerminalGrid, to grid: TerminalGrid) -> TerminalGrid {
        guard let scroll = TerminalScroll(from: before, to: grid) else { return before }
        let lines = abs(scroll.up)
        // Only the rows between the margins move (DECSTBM), when something goes beyond the last of them, or the first.
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
