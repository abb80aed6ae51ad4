import Glibc
import Terminal

/// Where a line can stand that tells how something is.
protocol StatusPlace {
    /// Takes the line away, so that something can be printed.
    mutating func erase()
    /// Draws the line; nothing happens when it stands there already.
    mutating func draw(_ text: String)
    /// Prints lines above it.
    mutating func print(_ lines: [String])
}

/// One line on a terminal that is drawn over again and again, below what is printed.
struct StatusLine: StatusPlace {
    private let writer: DescriptorWriter
    private var drawn: String?

    /// A line on a descriptor that stays the caller's.
    init(descriptor: Int32) { writer = DescriptorWriter(descriptor: descriptor, name: "the terminal") }

    /// Takes the line away, so that something can be printed. A terminal that is gone ends nothing.
    mutating func erase() {
        guard drawn != nil else { return }
        drawn = nil
        try? writer.write(Array("\r\u{1B}[K".utf8))
    }

    /// Draws the line; nothing happens when it stands there already.
    mutating func draw(_ text: String) {
        guard text != drawn else { return }
        let width = TerminalDevice.width(of: writer.descriptor) ?? 80
        let line = "\r" + TerminalText.truncated(text, to: max(width - 1, 1)) + "\u{1B}[K"
        drawn = text
        try? writer.write(Array(line.utf8))
    }

    /// Prints lines above it.
    mutating func print(_ lines: [String]) {
        erase()
        for line in lines { try? writer.write(Array((TerminalText.escaped(line) + "\n").utf8)) }
    }
}
