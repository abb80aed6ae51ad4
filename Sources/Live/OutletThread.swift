import Glibc
import Network
import Pipeline
import Recording
import Wire

/// The one bounded queue between the session and everything that is written: the recording first, then the outlets, in order,
/// on one thread.
final class OutletThread: Sendable {
    /// What is written.
    enum Item: Sendable {
        case record(Record, Stamp)
        case report(StampedReport)
        /// From here on this text may not reach the recording.
        case redact(Secret)
        /// The recording ends.
        case endRecording(Record.EndRecord.Why, Stamp)
    }

    /// Items that wait at most before the socket stops being read.
    static let highWater = 4096

    private let thread: BatchThread<Item>

    /// Starts the thread. `onError` and `onDrained` are called on it.
    init(
        outlets: [any Outlet], recording: RecordingSink?, onError: @escaping @Sendable (OutletError) -> Void,
        onDrained: @escaping @Sendable () -> Void
    ) throws(NetworkError) {
        thread = try BatchThread(name: "weir-outlets", highWater: Self.highWater, onDrained: onDrained) { batch in
            do throws(OutletError) {
                try recording?.write(batch)
                let reports = batch.compactMap { if case .report(let report) = $0 { report } else { nil } }
                if !reports.isEmpty {
                    for outlet in outlets { try outlet.write(reports) }
                }
                return true
            } catch {
                onError(error)
                return false
            }
        } atEnd: {
            for outlet in outlets {
                // An outlet that failed has said so already.
                try? outlet.finish()
            }
        }
    }

    /// Adds items; true when the queue is deep.
    func push(_ items: [Item]) -> Bool { thread.push(items) }

    /// Writes what is queued and ends.
    func finish() { thread.finish() }
}

/// The recording at the end of the queue. Used on the outlet thread only.
final class RecordingSink: Sendable {
    private let path: String
    private let writer: Monitor<RecordingWriter?>

    /// Creates the file.
    init(path: String, head: Record.Head) throws(RecordingError) {
        self.path = path
        writer = Monitor(try RecordingWriter(creating: path, head: head))
    }

    /// Writes what is to be recorded of a batch.
    func write(_ batch: [OutletThread.Item]) throws(OutletError) {
        do {
            try writer.change { (writer) throws(RecordingError) in
                for item in batch {
                    switch item {
                    case .record(let record, let stamp): try writer?.append(record, stamp)
                    case .redact(let secret): writer?.redact(secret)
                    case .endRecording(let why, let stamp): try writer.take()?.close(why: why, at: stamp)
                    case .report: break
                    }
                }
                try writer?.flush()
            }
        } catch {
            throw OutletError(error, path: path)
        }
    }
}

extension OutletError {
    /// What an error of the recording means to the tail.
    init(_ error: RecordingError, path: String) {
        switch error {
        case .system(let operation, let path, let code): self = .system(operation: operation, path: path, code: code)
        case .exists: self = .system(operation: "create", path: path, code: EEXIST)
        case .notARecording: self = .system(operation: "write", path: path, code: EINVAL)
        }
    }
}
