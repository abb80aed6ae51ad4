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
    private let destinations: Monitor<Destinations>

    /// Starts the thread. `onError`, `onWord` (of the recording) and `onDrained` are called on it.
    init(
        outlets: [any Outlet], recording: RecordingSlot, flight: FlightSink?,
        attachments: AttachSink?, wire: WireSink?,
        onError: @escaping @Sendable (OutletError) -> Void,
        onWord: @escaping @Sendable (RecordingSink.Word) -> Void, onDrained: @escaping @Sendable () -> Void
    ) throws(NetworkError) {
        let destinations = Monitor(Destinations(recording: recording, wire: wire, outlets: outlets))
        self.destinations = destinations
        // Nobody else looks until the thread has ended, and writing may block.
        thread = try BatchThread(name: "weir-outlets", highWater: Self.highWater, onDrained: onDrained) { batch in
            var open = destinations.change { $0 }
            let known = open.failures.count
            open.record(batch, onWord)
            flight?.write(batch, onWord)
            attachments?.write(batch)
            open.show(batch)
            for failure in open.failures[known...] { onError(failure) }
            destinations.change { [open] in $0 = open }
            return true
        } atEnd: {
            var open = destinations.change { $0 }
            open.finish()
            destinations.change { [open] in $0 = open }
        }
    }

    /// Adds items; true when the queue is deep.
    func push(_ items: [Item]) -> Bool { thread.push(items) }

    /// Writes what is queued and ends. Gives all that failed, in order.
    func finish() -> [OutletError] {
        thread.finish()
        return destinations.change { $0.failures }
    }
}

/// Where the outlet thread writes. What fails is left alone from then on, and the others go on: a recording is whole also when nobody
/// reads the output any more.
private struct Destinations: Sendable {
    private var recording: RecordingSlot?
    private var wire: WireSink?
    private let outlets: [any Outlet]
    /// Those of the outlets, by index.
    private var failed: Set<Int> = []
    private(set) var failures: [OutletError] = []

    init(recording: RecordingSlot, wire: WireSink?, outlets: [any Outlet]) {
        (self.recording, self.wire, self.outlets) = (recording, wire, outlets)
    }

    mutating func record(_ batch: [OutletThread.Item], _ say: (RecordingSink.Word) -> Void) {
        do throws(OutletError) {
            try recording?.write(batch, say)
        } catch {
            recording = nil
            note(error)
        }
    }

    mutating func show(_ batch: [OutletThread.Item]) {
        do throws(OutletError) {
            try wire?.write(batch)
        } catch {
            wire = nil
            note(error)
        }
        let reports = batch.compactMap { if case .report(let report) = $0 { report } else { nil } }
        if !reports.isEmpty { attempt { (outlet) throws(OutletError) in try outlet.write(reports) } }
    }

    mutating func finish() {
        // Those that failed have said so already.
        for index in failed { try? outlets[index].finish() }
        attempt { (outlet) throws(OutletError) in try outlet.finish() }
    }

    private mutating func attempt(_ body: (any Outlet) throws(OutletError) -> Void) {
        for index in outlets.indices where !failed.contains(index) {
            do throws(OutletError) {
                try body(outlets[index])
            } catch {
                failed.insert(index)
                note(error)
            }
        }
    }

    /// Several may write to the same place.
    private mutating func note(_ error: OutletError) {
        if !failures.contains(error) { failures.append(error) }
    }
}
