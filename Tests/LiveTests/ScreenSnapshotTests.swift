import Glibc
import Testing
import TestSupport
import WeirNetwork
import WeirPipeline
import WeirRecording
import WeirWire

@testable import WeirLive
@testable import WeirViews
@testable import WeirTerminal

/// Compares a recorded day in `tail` and in `watch`, on terminals of several sizes, in dark and light colours, with the
/// files in `Screens`. `Tests/screen-snapshots` rewrites the files after an intended change; review the diff.
@Suite("A screen of a recorded day") struct ScreenSnapshotTests {
    /// The screens by name, with the keys that open each in `watch`, or `nil` for the lines of `tail`.
    private static let screens: [(name: String, format: OutputFormat, keys: String?)] = [
        ("tail", .compact, nil), ("chat", .chat, nil), ("pretty", .pretty, nil), ("watch", .compact, ""),
        ("watch-chat", .compact, "M"), ("watch-detail", .compact, "\r"), ("watch-rooms", .compact, "r"),
        ("watch-graph", .compact, "v"), ("watch-help", .compact, "?"),
    ]
    private static let sizes = [(40, 10), (80, 24), (120, 40), (200, 50)]
    private static let folder = packageFolder + "/Tests/LiveTests/Screens"
    private static let renews = getenv("WEIR_RENEW_SCREENS") != nil

    @Test(arguments: sizes)
    func `the screen equals the reviewed snapshot`(width: Int, height: Int) throws {
        // Excludes the end of the connection.
        let reports = try played([packageFolder + "/samples/recordings/twake-day.weir.jsonl"]).reports.filter {
            if case .connection(.lost) = $0.report { false } else { true }
        }
        for (name, format, keys) in Self.screens {
            let grids = [TerminalTheme.Name.dark, .light].map { theme in
                let theme = TerminalTheme(theme)
                return keys.map { Self.watch(reports, width, height, theme, keys: $0) }
                    ?? Self.tail(reports, width, height, theme, format)
            }
            let shown = Self.text(dark: grids[0], light: grids[1])
            let path = "\(Self.folder)/\(name)-\(width)x\(height).txt"
            if Self.renews {
                try writeFile(path, shown)
            } else {
                let kept = String(decoding: try readFile(path), as: UTF8.self)
                let differing = zip(Self.lines(kept), Self.lines(shown)).first { $0 != $1 }
                #expect(kept == shown, "\(name): \(differing?.0 ?? "") is \(differing?.1 ?? "")")
            }
        }
    }

    private static func lines(_ text: String) -> [Substring] {
        text.split(separator: "\n", omittingEmptySubsequences: false)
    }

    private static func watch(
        _ reports: [StampedReport], _ width: Int, _ height: Int, _ theme: TerminalTheme, keys: String
    ) -> TerminalGrid {
        var screen = WatchedScreen(width: width, height: height, theme: theme)
        for report in reports {
            screen.now = report.stamp.time
            screen.tell(.reports([report]))
        }
        screen.type(keys)
        return screen.watch.grid
    }

    /// Returns the last lines of both outputs, above the status line.
    private static func tail(
        _ reports: [StampedReport], _ width: Int, _ height: Int, _ theme: TerminalTheme, _ format: OutputFormat
    ) -> TerminalGrid {
        var printing = Printing(.format(format), LineSettings())
        var status = StatusLines(quiet: false, showsGaps: false)
        var line = TailStatus(name: "chat.example.com", recording: nil)
        var lines: [TerminalLine] = []
        for report in reports {
            lines += TerminalLine.lines(of: printing.bytes(of: [report], [ViewMark()], width: width, theme))
            var buffer = TerminalBuffer(theme)
            status.append(report, to: &buffer)
            lines += TerminalLine.lines(of: buffer.bytes)
            line.take(report)
        }
        var grid = TerminalGrid(width: width, height: height)
        // An uncut line continues in the next row.
        for (row, line) in lines.flatMap({ $0.wrapped(to: width) }).suffix(height - 1).enumerated() {
            grid.write(line, row: row, column: 0)
        }
        var buffer = TerminalBuffer(theme)
        buffer.limit = width
        line.draw(TailStatus.Facts(), at: reports.last?.stamp.time ?? .zero, to: &buffer)
        for line in TerminalLine.lines(of: buffer.bytes) { grid.write(line, row: height - 1, column: 0) }
        return grid
    }

    // MARK: - As a text

    /// Returns the rows, then the look of each cell as a letter, then the meaning of the letters in dark and light
    /// colours.
    private static func text(dark: TerminalGrid, light: TerminalGrid) -> String {
        var looks: [[TerminalAppearance]] = []
        let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
        let styles = (0..<dark.height).map { row in
            let cells = (0..<dark.width).map { column -> Character in
                let pair = [dark[row, column].appearance, light[row, column].appearance]
                if pair == [.plain, .plain] { return "." }
                if !looks.contains(pair) { looks.append(pair) }
                return looks.firstIndex(of: pair).map { letters[min($0, letters.count - 1)] } ?? "."
            }
            return String(cells[..<(cells.lastIndex { $0 != "." }.map { $0 + 1 } ?? 0)])
        }
        let legend = zip(letters, looks).map { letter, looks in
            "\(letter)  " + looks.map(words).joined(separator: " | ")
        }
        let rows = (0..<dark.height).map { dark.text(ofRow: $0) }
        #expect(rows == (0..<light.height).map { light.text(ofRow: $0) })
        return [rows, ["---"], styles, ["--- dark | light"], legend].joined().map { $0 + "\n" }.joined()
    }

    private static func words(_ look: TerminalAppearance) -> String {
        var words: [String] = []
        for (attribute, name) in [
            (TerminalAppearance.Attributes.bold, "bold"), (.dim, "dim"), (.underlined, "underline"),
            (.reversed, "reverse"),
        ] where look.attributes.contains(attribute) { words.append(name) }
        if let index = look.foreground.index { words.append("\(index)") }
        if let index = look.background.index { words.append("on \(index)") }
        return words.joined(separator: " ")
    }
}
