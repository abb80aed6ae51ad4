import Glibc
import WeirLive
import WeirNetwork
import WeirRecording
import WeirThreads
import WeirWire

/// Shows the progress of work that takes longer than two seconds, on one line of a terminal: the bytes read of the files, the rate, and the
/// remaining time. It shows nothing if standard error is not a terminal, or if the output goes to the same terminal.
final class Progress: Sendable {
    private struct State {
        /// Whether the line is on the terminal.
        var drawn = false
        var hasEnded = false
    }

    /// The progress that is shown at present; `nil` for none.
    private static let shown = Monitor<Progress?>(nil)
    private static let patience: Duration = .seconds(2)

    private let state = Monitor(State())
    private let size: Int?
    private let began = MachineClock.monotonic
    private let before = DiskFigures.read

    private init(size: Int?) { self.size = size }

    /// Runs `body`, which reads these files, and shows its progress. `prints` is whether it prints on standard output while it reads.
    static func showing<Result>(_ paths: [String], prints: Bool, _ body: () throws -> Result) rethrows -> Result {
        guard TerminalDevice.redraws(2), !prints || isatty(1) == 0 else { return try body() }
        let progress = Progress(size: size(of: paths))
        shown.change { $0 = progress }
        runOnThread(named: "weir-progress") {
            while !progress.state.look({ $0.hasEnded }) {
                if MachineClock.monotonic - progress.began >= patience { progress.draw() }
                usleep(200_000)
            }
        }
        defer {
            shown.change { $0 = nil }
            progress.end()
        }
        return try body()
    }

    /// Erases the line, because other output follows.
    static func clear() { shown.look { $0 }?.erase() }

    private func end() {
        state.change { $0.hasEnded = true }
        erase()
    }

    private func erase() {
        state.change { state in
            guard state.drawn else { return }
            state.drawn = false
            Self.put("\r\u{1B}[K")
        }
    }

    private func draw() {
        let words = Self.words(DiskFigures.read - before, of: size, after: MachineClock.monotonic - began)
        state.change { state in
            guard !state.hasEnded else { return }
            state.drawn = true
            Self.put("\r\(words)\u{1B}[K")
        }
    }

    private static func put(_ text: String) {
        try? DescriptorWriter(descriptor: 2, name: "the terminal").write(Array(text.utf8))
    }

    /// Returns the text of the line: `47 %  312 MB/s  1.2 of 2.0 GB  3s left`.
    static func words(_ done: Int, of size: Int?, after span: Duration) -> String {
        let seconds = max(Double(span.microseconds) / 1e6, 0.001)
        let speed = Double(done) / seconds
        var parts: [String] = []
        if let size, size > 0 { parts.append("\(min(done * 100 / size, 100)) %") }
        parts.append(bytes(Int(speed)) + "/s")
        parts.append(bytes(done) + (size.map { " of " + bytes($0) } ?? ""))
        if let size, done > 0, done < size {
            let left = Int((Double(size - done) / speed).rounded(.up))
            parts.append(left < 60 ? "\(left)s left" : "\(left / 60)m\(left % 60 < 10 ? "0" : "")\(left % 60)s left")
        }
        return parts.joined(separator: "  ")
    }

    private static func bytes(_ count: Int) -> String {
        switch count {
        case ..<1000: return "\(count) B"
        case ..<1_000_000: return "\(count / 1000) kB"
        case ..<1_000_000_000: return "\(count / 1_000_000) MB"
        default: return "\(count / 1_000_000_000).\(count / 100_000_000 % 10) GB"
        }
    }

    /// Returns the size of all files in bytes; `nil` if the size of one is not known.
    private static func size(of paths: [String]) -> Int? {
        var sum = 0
        for path in paths {
            var facts = stat()
            guard stat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return nil }
            sum += Int(facts.st_size)
        }
        return sum
    }
}
