import Glibc
import Network

/// A spool for output that has no reader at the moment, while a recording is made.
///
/// The output waits in an unnamed file next to the recording. A pager that does not scroll, or a stopped terminal,
/// therefore costs no memory and does not stop the recording. A thread writes the output when the reader continues.
final class OutputSpool: Sendable {
    private struct State {
        var written: off_t = 0
        var read: off_t = 0
        var leftOut = 0
        /// Whether the writer thread runs. It runs as long as output waits.
        var isRunning = false
        /// Whether bytes are being added to the file. The writer thread does not end before they are.
        var isKeeping = false
        var failure: OutletError?
    }

    /// The maximum number of waiting bytes. Further output is dropped, because the recording contains it.
    static let most: off_t = 1 << 30
    private static let piece = 1 << 16

    private let file: Int32
    private let target: DescriptorWriter
    private let most: off_t
    private let tell: @Sendable (String) -> Void
    private let state = Monitor(State())

    /// Creates an empty spool. Returns `nil` when the file cannot be created.
    ///
    /// - Parameters:
    ///   - target: The writer for the slow reader.
    ///   - most: The maximum number of waiting bytes.
    ///   - tell: Prints a line about dropped output. May be called on any thread.
    init?(
        in folder: String, for target: DescriptorWriter, most: off_t = OutputSpool.most,
        tell: @escaping @Sendable (String) -> Void = {
            try? DescriptorWriter(descriptor: 2, name: "standard error").write(Array($0.utf8))
        }
    ) {
        // This is O_TMPFILE, a macro that Swift does not import.
        file = open(folder, 0o20_000_000 | O_DIRECTORY | O_RDWR | O_CLOEXEC, 0o600)
        (self.target, self.most, self.tell) = (target, most, tell)
        if file < 0 { return nil }
    }

    deinit { if file >= 0 { close(file) } }

    /// Whether output waits, so that new output must wait, too. Also `true` after a failure.
    var isWaiting: Bool { state.look { $0.isRunning || $0.failure != nil } }

    /// Adds bytes to the spool, or drops them when it is full. Returns `false` when the disk does not accept them; the
    /// spool is empty then, and the caller must write the bytes.
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

    /// Waits until the reader has taken all output.
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
            let code = errno
            do throws(OutletError) {
                if got > 0 { try target.write(Array(piece[..<got])) }
                if got < count, got <= 0 {
                    throw .system(
                        operation: "read back the output for", path: target.name, code: got < 0 ? code : EIO)
                }
            } catch {
                return state.change { ($0.failure, $0.isRunning) = (error, false) }
            }
            let leftOut = state.change { state -> Int? in
                state.read += got
                guard state.read == state.written, !state.isKeeping else { return nil }
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
            // The notice must precede the end of the thread, which the program may be waiting for.
            tell("weir: \(target.name) was not read: \(leftOut) bytes dropped; the recording contains them\n")
        }
    }
}
