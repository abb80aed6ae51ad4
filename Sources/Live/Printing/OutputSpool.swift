import Glibc
import Network

/// What nobody reads of an output while a recording is made. It waits in a file without a name beside the recording, so that a pager that is
/// not scrolled, or a terminal that is stopped, costs neither memory nor what comes meanwhile. A thread brings it out as it is read.
final class OutputSpool: Sendable {
    private struct State {
        var written: off_t = 0
        var read: off_t = 0
        var leftOut = 0
        /// Whether the thread runs, which is as long as something waits.
        var isRunning = false
        /// Whether bytes are on their way into the file: the thread does not end before them.
        var isKeeping = false
        var failure: OutletError?
    }

    /// So many bytes wait. What comes on top is left out: the recording has it.
    static let most: off_t = 1 << 30
    private static let piece = 1 << 16

    private let file: Int32
    private let target: DescriptorWriter
    private let most: off_t
    private let tell: @Sendable (String) -> Void
    private let state = Monitor(State())

    /// A spool of at most `most` bytes for `target`, whose reader is slow. `tell` gets a line that says how much was left out, on any thread.
    /// Nil where no such file can be made.
    init?(
        in folder: String, for target: DescriptorWriter, most: off_t = OutputSpool.most,
        tell: @escaping @Sendable (String) -> Void = {
            try? DescriptorWriter(descriptor: 2, name: "standard error").write(Array($0.utf8))
        }
    ) {
        // O_TMPFILE, a macro that Swift does not see.
        file = open(folder, 0o20_000_000 | O_DIRECTORY | O_RDWR | O_CLOEXEC, 0o600)
        (self.target, self.most, self.tell) = (target, most, tell)
        if file < 0 { return nil }
    }

    deinit { if file >= 0 { close(file) } }

    /// Whether something waits, so that what comes has to wait, too.
    var isWaiting: Bool { state.look { $0.isRunning || $0.failure != nil } }

    /// Takes bytes in; false where the disk does not take them: then what waits was brought out.
    func keep(_ bytes: UnsafeRawBufferPointer) throws(OutletError) -> Bool {
        try throwFailure()
        let (place, isNew) = state.change { state in
            defer { (state.isRunning, state.isKeeping) = (true, true) }
            return (state.written, !state.isRunning)
        }
        let isTaken = place + bytes.count <= most
        if isTaken, pwrite(file, bytes.baseAddress, bytes.count, place) != bytes.count {
            state.change { state in
                state.isKeeping = false
                if isNew { state.isRunning = false }
            }
            try drain()
            return false
        }
        state.change { state in
            state.isKeeping = false
            if isTaken { state.written += bytes.count } else { state.leftOut += bytes.count }
        }
        if isNew { runOnThread(named: "weir-spool") { [self] in bringOut() } }
        return true
    }

    /// Waits until all was brought out.
    func drain() throws(OutletError) {
        state.wait { $0.isRunning ? nil : () }
        try throwFailure()
    }

    private func throwFailure() throws(OutletError) {
        if let failure = state.look({ $0.failure }) { throw failure }
    }

    private func bringOut() {
        var piece = [UInt8](repeating: 0, count: Self.piece)
        while true {
            let (count, place) = state.wait { state in
                state.isKeeping && state.read == state.written
                    ? nil : (min(state.written - state.read, Self.piece), state.read)
            }
            let got = count > 0 ? pread(file, &piece, count, place) : 0
            do throws(OutletError) {
                if got > 0 { try target.write(Array(piece[..<got])) }
            } catch {
                return state.change { ($0.failure, $0.isRunning) = (error, false) }
            }
            let leftOut = state.change { state -> Int? in
                state.read += max(0, got)
                guard got <= 0 || state.read == state.written, !state.isKeeping else { return nil }
                if state.leftOut > 0 {
                    defer { state.leftOut = 0 }
                    return state.leftOut
                }
                ftruncate(file, 0)
                state = State()
                return 0
            }
            guard let leftOut else { continue }
            if leftOut == 0 { return }
            // Before the end, which the program may be waiting for.
            tell("weir: nobody read \(target.name): \(leftOut) bytes are left out; the recording has them\n")
        }
    }
}
