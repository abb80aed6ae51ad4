/// What a terminal is told when a full-screen view begins and ends; the same for every terminal that such views know.
package enum TerminalModes {
    /// The alternate screen, with the cursor hidden, the mouse reported and pastes marked.
    package static let begin = Array("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?1002h\u{1B}[?1006h\u{1B}[?2004h".utf8)
    /// The screen that was there before, with its cursor. Harmless when nothing was begun, or twice.
    package static let end = Array(
        "\u{1B}[?2026l\u{1B}[?2004l\u{1B}[?1006l\u{1B}[?1002l\u{1B}[m\u{1B}[?25h\u{1B}[?1049l".utf8)
}
