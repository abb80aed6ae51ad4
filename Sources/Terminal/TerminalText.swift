/// Functions that make text from a peer safe for a terminal.
///
/// A terminal obeys some characters, and others deceive the reader. Every character that is not plainly visible is
/// replaced by its escape, such as `\u{202E}`: C0 and C1 controls, ESC and DEL, line and paragraph separators,
/// bidirectional controls, zero-width and other default-ignorable characters, noncharacters, and marks without a base
/// or in excessive numbers. A backslash stays as it is, so an escape shows the original character but does not prove
/// it.
package enum TerminalText {
    /// Returns `text` with every character escaped that is not plainly visible. The result contains no line break.
    package static func escaped(_ text: String) -> String {
        var buffer = TerminalBuffer()
        buffer.append(text)
        return String(decoding: buffer.bytes, as: UTF8.self)
    }

    /// Returns the width of `text` after escaping, in columns.
    ///
    /// The width is an upper bound if terminals differ: an emoji with variation selector 16 counts as two columns, and
    /// an emoji sequence as the sum of its parts.
    package static func width(of text: String) -> Int {
        var buffer = TerminalBuffer()
        buffer.append(text)
        return buffer.columns
    }

    /// Returns `text` escaped and cut to at most `width` columns. One ellipsis replaces the rest.
    package static func truncated(_ text: String, to width: Int) -> String {
        var buffer = TerminalBuffer()
        buffer.limit = max(width, 0)
        buffer.append(text)
        return String(decoding: buffer.bytes, as: UTF8.self)
    }

    /// Returns `text` cut at its start to at most `width` columns, for names whose end is more informative. The result
    /// is not escaped.
    package static func keepingEnd(_ text: String, to width: Int) -> String {
        guard width > 0, self.width(of: text) > width else { return text }
        var kept: [Unicode.Scalar] = []
        var columns = 1
        for scalar in text.unicodeScalars.reversed() {
            let form = TerminalForm(of: scalar, after: nil)
            columns += form.columns
            if columns > width { break }
            kept.append(scalar)
        }
        var result = "…"
        result.unicodeScalars.append(contentsOf: kept.reversed())
        return result
    }
}
