/// The sequences that begin and end a full-screen view. They are the same for every supported terminal.
package enum TerminalModes {
    /// Switches to the alternate screen, hides the cursor, and enables mouse reports and paste markers.
    package static let begin = Array("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?1002h\u{1B}[?1006h\u{1B}[?2004h".utf8)
    /// Restores the previous screen and its cursor. It is harmless without `begin`, or when sent twice.
    package static let end = Array(
        "\u{1B}[?2026l\u{1B}[?2004l\u{1B}[?1006l\u{1B}[?1002l\u{1B}[m\u{1B}[?25h\u{1B}[?1049l".utf8)
}
