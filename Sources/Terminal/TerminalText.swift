/// Text from a peer, made safe for a terminal.
///
/// A terminal obeys some of the characters it is shown, and a reader is deceived by others. What is not simply visible
/// is replaced by its escape, `\u{202E}`: C0 and C1 controls, ESC and DEL, line and paragraph separators, bidirectional
/// controls, zero-width and other default-ignorable characters, noncharacters, and marks piled up without end or with
/// nothing to stand on. A backslash stays as it is, so an escape shows what was there but does not prove it.
package enum TerminalText {
    /// `text` with everything that is not plainly visible escaped. It holds no line break.
    package static func escaped(_ text: String) -> String {
        var buffer = TerminalBuffer()
        buffer.append(text)
        return String(decoding: buffer.bytes, as: UTF8.self)
    }

    /// The columns `text` takes on a terminal after escaping.
    ///
    /// An upper bound where terminals differ: an emoji with variation selector 16 counts as two columns, an emoji
    /// sequence as its parts.
    package static func width(of text: String) -> Int {
        var buffer = TerminalBuffer()
        buffer.append(text)
        return buffer.columns
    }

    /// `text` escaped and cut to at most `width` columns; what is cut is replaced by one ellipsis.
    package static func truncated(_ text: String, to width: Int) -> String {
        var buffer = TerminalBuffer()
        buffer.limit = max(width, 0)
        buffer.append(text)
        return String(decoding: buffer.bytes, as: UTF8.self)
    }

    /// `text` cut at its start to at most `width` columns, for names whose end tells more than their beginning. Not
    /// escaped.
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
