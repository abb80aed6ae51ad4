import Live
import Terminal

/// Prints lines on standard output.
struct StandardOutput {
    private let writer = DescriptorWriter(descriptor: 1, name: "standard output")

    /// Prints each line unchanged, followed by a line feed.
    func write(_ lines: [String]) throws(OutletError) {
        guard !lines.isEmpty else { return }
        Progress.clear()
        try writer.write(Array((lines.joined(separator: "\n") + "\n").utf8))
    }

    /// Returns text that may come from a peer, escaped for the terminal.
    static func escaped(_ text: String) -> String { TerminalText.escaped(text) }
}
