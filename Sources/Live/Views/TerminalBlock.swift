import Glibc
import Network

/// A block of lines below the printed text that is redrawn in place, without the alternate screen. Printed text goes
/// above it and scrolls as usual.
final class TerminalBlock: Sendable {
    private struct State {
        /// The number of lines on the screen. The cursor is below the last line, or at the end of a single one.
        var lines = 0
        var text: [UInt8] = []
    }

    private let writer: DescriptorWriter
    /// Whether the block is a single status line. The cursor stays on that line, so that the terminal does not scroll
    /// for it.
    private let isSingle: Bool
    private let state = Monitor(State())

    init(descriptor: Int32, isSingle: Bool, patience: WritePatience? = nil) {
        writer = DescriptorWriter(descriptor: descriptor, name: "the terminal", patience: patience)
        self.isSingle = isSingle
    }

    /// Whether the block is on the screen.
    var isDrawn: Bool { state.change { $0.lines > 0 } }

    /// Erases the block, so that something can be printed. Errors are ignored: a terminal that is gone does not end the
    /// run.
    func erase() {
        let bytes = state.change { state -> [UInt8] in
            guard state.lines > 0 else { return [] }
            defer { state = State() }
            return Array((Self.begin(over: isSingle ? 0 : state.lines) + "\u{1B}[J").utf8)
        }
        if !bytes.isEmpty { try? writer.write(bytes) }
    }

    /// Draws the lines of `text`, each ended by a line feed. Does nothing when they are already on the screen.
    func draw(_ text: [UInt8], lines: Int) {
        let bytes = state.change { state -> [UInt8] in
            guard state.text != text else { return [] }
            // Each line overwrites the old one and erases the rest of it, so that nothing flickers.
            var bytes = Array(Self.begin(over: isSingle ? 0 : state.lines).utf8)
            for byte in text {
                if byte == UInt8(ascii: "\n") { bytes.append(contentsOf: "\u{1B}[K".utf8) }
                if byte != UInt8(ascii: "\n") || !isSingle { bytes.append(byte) }
            }
            if lines < state.lines { bytes.append(contentsOf: "\u{1B}[J".utf8) }
            state = State(lines: lines, text: text)
            return bytes
        }
        if !bytes.isEmpty { try? writer.write(bytes) }
    }

    /// Leaves the lines on the screen and forgets them.
    func leave() { state.change { $0 = State() } }

    private static func begin(over lines: Int) -> String { lines > 0 ? "\r\u{1B}[\(lines)A" : "\r" }
}
