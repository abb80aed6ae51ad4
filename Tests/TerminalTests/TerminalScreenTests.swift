import Testing
import WeirWire

@testable import WeirTerminal

@Suite("The terminal screen")
struct TerminalScreenTests {
    private static let words = [
        "a", "hello", "  ", "日本語", "👍", "❤\u{FE0F}", "e\u{301}", "🇩🇪", "\u{1B}[2J", "─│", "ก็", "한글", "👍🏽", "Žofie", "x y",
    ]

    private static func appearance(_ dice: inout RandomSource) -> TerminalAppearance {
        func colour(_ dice: inout RandomSource) -> TerminalAppearance.Colour {
            Bool.random(using: &dice) ? .own : .init(UInt8.random(in: 0...255, using: &dice))
        }
        return TerminalAppearance(
            foreground: colour(&dice), background: Int.random(in: 0..<5, using: &dice) == 0 ? colour(&dice) : .own,
            TerminalAppearance.Attributes(rawValue: UInt8.random(in: 0...15, using: &dice)))
    }

    /// Changes random parts of a screen.
    static func change(_ grid: inout TerminalGrid, _ dice: inout RandomSource) {
        for _ in 0..<Int.random(in: 0...6, using: &dice) {
            let row = Int.random(in: 0..<grid.height, using: &dice)
            let column = Int.random(in: -3..<grid.width, using: &dice)
            switch Int.random(in: 0..<8, using: &dice) {
            case 0:
                grid.clear(TerminalArea(row: row, column: max(column, 0), height: 2, width: grid.width))
            case 1:
                grid.add(.reversed, in: TerminalArea(row: row, column: max(column, 0), height: 1, width: 3))
            default:
                let count = Int.random(in: 1...4, using: &dice)
                let text = (0..<count).map { _ in words.randomElement(using: &dice) ?? "" }.joined()
                grid.write(text, row: row, column: column, appearance(&dice))
            }
        }
        grid.cursor =
            Bool.random(using: &dice)
            ? nil
            : TerminalPlace(
                row: Int.random(in: 0..<grid.height, using: &dice), column: Int.random(in: 0..<grid.width, using: &dice)
            )
    }

    /// The cells of a terminal that shows `grid`.
    static func expected(_ grid: TerminalGrid) -> [[EmulatedTerminal.Cell]] {
        (0..<grid.height).map { row in
            (0..<grid.width).map { column in
                let cell = grid[row, column]
                var text = String(cell.base)
                text.unicodeScalars.append(contentsOf: cell.marks)
                // The right half looks like the left one.
                let shown = cell.columns == 0 ? grid[row, column - 1].appearance : cell.appearance
                var look = EmulatedTerminal.Look(
                    foreground: shown.foreground.index.map(Int.init), background: shown.background.index.map(Int.init))
                for (attribute, number) in [
                    (TerminalAppearance.Attributes.bold, 1), (.dim, 2), (.underlined, 4), (.reversed, 7),
                ]
                where shown.attributes.contains(attribute) { look.attributes.insert(number) }
                return EmulatedTerminal.Cell(text: text, columns: Int(cell.columns), look: look)
            }
        }
    }

    @Test(
        "After an update the terminal shows the wanted screen, whatever it showed before",
        arguments: 0..<60 as Range<UInt64>)
    func reachesWhatIsWanted(seed: UInt64) {
        var dice = RandomSource(seed: seed)
        let width = Int.random(in: 1...40, using: &dice)
        let height = Int.random(in: 1...12, using: &dice)
        var terminal = EmulatedTerminal(width: width, height: height)
        var screen = TerminalScreen()
        var grid = TerminalGrid(width: width, height: height)
        for step in 0..<60 {
            Self.change(&grid, &dice)
            if step % 20 == 19 {
                screen.invalidate()
            }
            let bytes = screen.update(to: grid)
            terminal.take(bytes)
            #expect(terminal.complaints == [])
            #expect(terminal.cells == Self.expected(grid))
            #expect(terminal.showsCursor == (grid.cursor != nil) || bytes.isEmpty)
            if let cursor = grid.cursor, !bytes.isEmpty {
                #expect(terminal.row == cursor.row)
                #expect(terminal.column == cursor.column)
            }
            #expect(!terminal.isSynchronized)
        }
    }

    @Test("Unchanged cells are not sent again")
    func sendsOnlyChanges() {
        var screen = TerminalScreen()
        var grid = TerminalGrid(width: 80, height: 24)
        for row in 0..<24 { grid.write(String(repeating: "abcdefgh", count: 10), row: row, column: 0) }
        #expect(screen.update(to: grid).count < 2200)
        #expect(screen.update(to: grid) == [])
        grid.write("X", row: 5, column: 40)
        let text = String(decoding: screen.update(to: grid), as: UTF8.self)
        #expect(text == "\u{1B}[?2026h\u{1B}[?25l\u{1B}[6;41HX\u{1B}[?2026l")
        grid.write("Y", row: 5, column: 40)
        grid.write("Z", row: 5, column: 43)
        // Sending the two letters in between is cheaper than a cursor movement.
        #expect(String(decoding: screen.update(to: grid), as: UTF8.self).contains("HYbcZ\u{1B}[?2026l"))
        grid.clear(TerminalArea(row: 5, column: 10, height: 1, width: 70))
        #expect(String(decoding: screen.update(to: grid), as: UTF8.self).contains("\u{1B}[6;11H\u{1B}[K"))
    }

    @Test(
        "A scrolling list is moved by the terminal, whatever changes next to it",
        arguments: 0..<40 as Range<UInt64>)
    func scrolls(seed: UInt64) {
        var dice = RandomSource(seed: seed)
        let width = Int.random(in: 1...60, using: &dice)
        let height = Int.random(in: 2...30, using: &dice)
        let top = Int.random(in: 0..<height, using: &dice)
        let area = TerminalArea(
            row: top, column: Int.random(in: 0..<width, using: &dice), height: height - top, width: width)
        var terminal = EmulatedTerminal(width: width, height: height)
        var screen = TerminalScreen()
        var beside = TerminalGrid(width: width, height: height)
        var position = 100
        for _ in 0..<40 {
            Self.change(&beside, &dice)
            position += Int.random(in: -3...5, using: &dice)
            var grid = beside
            grid.clear(area)
            for row in area.rows {
                var line = RandomSource(seed: UInt64(position + row))
                grid.write(
                    (Self.words.randomElement(using: &line) ?? "") + " \(position + row)", row: row,
                    column: area.columns.lowerBound, in: area)
                grid.number(row: row, position + row)
            }
            terminal.take(screen.update(to: grid))
            #expect(terminal.complaints == [])
            #expect(terminal.cells == Self.expected(grid))
        }
    }

    @Test("One more line of a long list costs little more than that line")
    func scrollsCheaply() {
        var screen = TerminalScreen()
        func grid(_ position: Int) -> TerminalGrid {
            var grid = TerminalGrid(width: 200, height: 50)
            for row in 0..<50 {
                grid.write(String(repeating: "\(position + row) ", count: 60), row: row, column: 0)
                grid.number(row: row, position + row)
            }
            return grid
        }
        let whole = screen.update(to: grid(1000)).count
        #expect(screen.update(to: grid(1001)).count < whole / 20)
        #expect(screen.update(to: grid(999)).count < whole / 20)
        // After a jump this far, no row can be reused.
        #expect(screen.update(to: grid(2000)).count > whole / 2)
    }

    @Test("Text that does not fit ends with an ellipsis, and a wide character is never halved")
    func cuts() {
        var grid = TerminalGrid(width: 5, height: 1)
        grid.write("日本語", row: 0, column: 0)
        #expect(grid.text(ofRow: 0) == "日本…")
        grid.write("ab日本", row: 0, column: 0)
        #expect(grid.text(ofRow: 0) == "ab日…")
        grid.write("x", row: 0, column: 3)
        #expect(grid.text(ofRow: 0) == "ab x…")
        grid.write("日本", row: 0, column: 0)
        grid.write("a", row: 0, column: 0)
        #expect(grid.text(ofRow: 0) == "a 本…")
    }

    @Test("A selected row is one bar: reversed text loses its colours")
    func selects() {
        var grid = TerminalGrid(width: 6, height: 1)
        grid.write("ab", row: 0, column: 0, TerminalTheme(.dark)[.bad].adding([.bold, .dim]))
        grid.add(.underlined, in: grid.area)
        #expect(grid[0, 0].appearance == TerminalTheme(.dark)[.bad].adding([.bold, .dim, .underlined]))
        grid.add(.reversed, in: grid.area)
        #expect(grid[0, 0].appearance == TerminalAppearance([.bold, .underlined, .reversed]))
    }

    @Test("The lines of a buffer keep their styles")
    func readsLines() {
        let theme = TerminalTheme(.dark)
        var buffer = TerminalBuffer(theme)
        buffer.append("plain ")
        buffer.append("bad\u{1B}", .bad)
        buffer.append(" room", .room("general"))
        buffer.endLine()
        buffer.append("next", .heading)
        let lines = TerminalLine.lines(of: buffer.bytes)
        #expect(lines.map(\.text) == ["plain bad\\u{1B} room", "next"])
        #expect(lines[0].cells[6].appearance == theme[.bad])
        #expect(lines[0].cells[16].appearance == theme[.room("general")])
        #expect(lines[1].cells[0].appearance == theme[.heading])
    }

    @Test(
        "A line has as many columns as measured, wrapped or not",
        arguments: 0..<50 as Range<UInt64>)
    func measuresAlike(seed: UInt64) {
        var dice = RandomSource(seed: seed)
        let words = (0..<8).map { _ in Self.words.filter { $0 != "🇩🇪" }.randomElement(using: &dice) ?? "" }
        let text = words.joined(separator: " ")
        let line = TerminalLine(text)
        #expect(line.columns == TerminalText.width(of: text))
        #expect(line.text == TerminalText.escaped(text))
        let parts = line.wrapped(to: 7)
        #expect(parts.allSatisfy { $0.columns <= 7 })
        #expect(parts.map(\.text).joined() == line.text)
    }

    @Test("An impossible size is clamped to a possible one")
    func sizes() {
        #expect(TerminalGrid(width: 0, height: -3).area == TerminalArea(row: 0, column: 0, height: 1, width: 1))
        #expect(TerminalGrid(width: .max, height: .max).width == TerminalGrid.largest)
        var grid = TerminalGrid(width: 1, height: 1)
        grid.write("日", row: 0, column: 0)
        #expect(grid.text(ofRow: 0) == "…")
        grid.write("x", row: 7, column: 9)
        grid.clear(TerminalArea(row: -5, column: -5, height: 100, width: 100))
        #expect(grid.text(ofRow: 0) == "")
    }
}
