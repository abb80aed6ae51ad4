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
        /// One that the recording has only what remains of; whoever looks on has it whole.
        case leftOut(Record, remainder: Record, Stamp)
        case report(StampedReport)
        /// From here on this text may not reach the recording.
        case redact(Secret)
        /// The recording goes on in a new segment, which begins with this.
        case rotate(Restatement, Stamp)
        /// The flight recorder begins another part with this.
        case flightPart(Restatement, Stamp)
        /// The flight recorder writes what it has.
        case dump(Stamp)
        /// A recording begins here. The answer is given on the thread: why it cannot.
        case beginRecording(RecordingStart, @Sendable (RecordingError?) -> Void)
        /// The recording that is written ends; the tail goes on.
        case stopRecording(Stamp, @Sendable (RecordingError?) -> Void)
        /// A viewer begins here, with this.
        case attach(UInt, Restatement, Stamp)
        /// The recording ends, and so does everything else.
        case endRecording(Record.EndRecord.Why, Stamp)
    }

    /// Items that wait at most before the socket stops being read.
    static let highWater = 4096

    private let thread: BatchThread<Item>

    /// Starts the thread. `onError`, `onWord` (of the recording) and `onDrained` are called on it.
    init(
        outlets: [any Outlet], recording: RecordingSlot, flight: FlightSink?,
        attachments: AttachSink?, wire: WireSink?,
        onError: @escaping @Sendable (OutletError) -> Void,
        onWord: @escaping @Sendable (RecordingSink.Word) -> Void, onDrained: @escaping @Sendable () -> Void
    ) throws(NetworkError) {
        thread = try BatchThread(name: "weir-outlets", highWater: Self.highWater, onDrained: onDrained) { batch in
            do throws(OutletError) {
                try recording.write(batch, onWord)
                flight?.write(batch, onWord)
                attachments?.write(batch)
                try wire?.write(batch)
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
