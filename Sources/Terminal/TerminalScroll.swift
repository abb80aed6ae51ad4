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
