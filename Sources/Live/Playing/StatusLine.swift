import Glibc
import Terminal

/// A place that shows one line of status text.
protocol StatusPlace {
    /// Removes the line, so that other text can be printed.
    mutating func erase()
    /// Draws the line. Does nothing if the text is unchanged.
    mutating func draw(_ text: String)
    /// Prints lines above the status line.
    mutating func print(_ lines: [String])
}

/// A status line on a terminal, redrawn below the printed text.
struct StatusLine: StatusPlace {
    private let writer: DescriptorWriter
    private var drawn: String?

    /// Creates a line on a descriptor, which the caller keeps and closes.
    init(descriptor: Int32) { writer = DescriptorWriter(descriptor: descriptor, name: "the terminal") }

    /// Removes the line, so that other text can be printed. Errors of a closed terminal are ignored.
    mutating func erase() {
        guard drawn != nil else { return }
        drawn = nil
        try? writer.write(Array("\r\u{1B}[K".utf8))
    }

    /// Draws the line, cut to the width of the terminal. Does nothing if the text is unchanged.
    mutating func draw(_ text: String) {
        guard text != drawn else { return }
        let width = TerminalDevice.width(of: writer.descriptor) ?? 80
        let line = "\r" + TerminalText.truncated(text, to: max(width - 1, 1)) + "\u{1B}[K"
        drawn = text
        try? writer.write(Array(line.utf8))
    }

    /// Prints lines above the status line. Control characters are escaped.
    mutating func print(_ lines: [String]) {
        erase()
        for line in lines { try? writer.write(Array((TerminalText.escaped(line) + "\n").utf8)) }
    }
}
