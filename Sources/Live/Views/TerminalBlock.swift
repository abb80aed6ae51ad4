import Glibc
import Network

/// Some lines at the bottom of what was printed on a terminal that are drawn over again and again, without the alternate screen: what
/// is printed meanwhile stands above them, and scrolls as ever.
final class TerminalBlock: Sendable {
    private struct State {
        /// Lines that stand there; the cursor is below the last one, or behind a single one.
        var lines = 0
        var text: [UInt8] = []
    }

    private let writer: DescriptorWriter
    /// A status line stands where the cursor is, so that the terminal does not scroll for it.
    private let isSingle: Bool
    private let state = Monitor(State())

    init(descriptor: Int32, isSingle: Bool, patience: WritePatience? = nil) {
        writer = DescriptorWriter(descriptor: descriptor, name: "the terminal", patience: patience)
        self.isSingle = isSingle
    }

    /// Whether something stands there.
    var isDrawn: Bool { state.change { $0.lines > 0 } }

    /// Takes the lines away, so that something can be printed. A terminal that is gone ends nothing.
    func erase() {
        let bytes = state.change { state -> [UInt8] in
            guard state.lines > 0 else { return [] }
            defer { state = State() }
            return Array((Self.begin(over: isSingle ? 0 : state.lines) + "\u{1B}[J").utf8)
        }
        if !bytes.isEmpty { try? writer.write(bytes) }
    }

    /// Draws lines, each ended; nothing happens when they stand there already.
    func draw(_ text: [UInt8], lines: Int) {
        let bytes = state.change { state -> [UInt8] in
            guard state.text != text else { return [] }
            // Each line is written over the one that stands there and the rest of that cut off: nothing is ever blank in between.
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

    /// Leaves the lines where they are.
    func leave() { state.change { $0 = State() } }

    private static func begin(over lines: Int) -> String { lines > 0 ? "\r\u{1B}[\(lines)A" : "\r" }
}
