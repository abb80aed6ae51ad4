import WeirJSON
import WeirNetwork
import WeirPipeline
import WeirRecording
import WeirThreads
import WeirWire

/// Two threads that write a tail's output in sequence: the first records, the second shows.
///
/// An output that is not read therefore never delays the recording. Nothing is shown before it was passed to the system
/// with write(2), so a killed process loses only what is between the socket and the first thread.
final class OutletThread: Sendable {
    /// A unit of work for the threads, in the order in which they must see it.
    enum Item: Sendable {
        case record(Record, Stamp)
        /// A record that the recording reduces to `remainder`. Viewers and the flight recorder receive it whole.
        case leftOut(Record, remainder: Record, Stamp)
        case report(StampedReport)
        /// From here on the recording must not contain this text.
        case redact(Secret)
        /// The recording continues in a new segment, which begins with this state.
        case rotate(StatePreamble, Stamp)
        /// The flight recorder begins another part with this state.
        case flightPart(StatePreamble, Stamp)
        /// The flight recorder writes what it holds.
        case dump(Stamp)
        /// Nothing was recorded for a while, so the unfinished chunk is written. Only the time in the stamp is used.
        case settle(Stamp)
        /// A recording begins here. The callback is called on the thread, with the error if it cannot begin.
        case beginRecording(RecordingStart, @Sendable (RecordingError?) -> Void)
        /// The current recording ends, and the tail goes on.
        case stopRecording(Stamp, @Sendable (RecordingError?) -> Void)
        /// A viewer is attached here, and begins with this state.
        case attach(UInt, StatePreamble, Stamp)
        /// A packet of the transport, which is not recorded.
        case wire(WireUnit)
        /// A hold on the memory of the preceding answer. It is released when the batch has been written.
        case hold(HTTPBodyHold)
        /// The recording and all other output end.
        case endRecording(Record.EndRecord.Why, Stamp)
    }

    /// The maximum number of items waiting for a thread before the socket is no longer read.
    static let highWater = 4096
    /// The maximum number of bytes held by waiting items before the socket is no longer read.
    static let mostBytes = Limits.waiting

    /// The recording thread; `nil` if nothing is recorded now or later.
    private let recorder: BatchThread<Item>?
    private let shower: BatchThread<Item>
    private let recorderFailures = Monitor<[OutletError]>([])
    private let destinations: Monitor<Destinations>

    /// Starts the threads. All callbacks are called on them.
    ///
    /// - Parameters:
    ///   - onError: Called when an output fails.
    ///   - onWord: Called with messages of the recording.
    ///   - onChange: Called when `lateWords` may have changed.
    init(
        outlets: [any Outlet], recording: RecordingSlot?, flight: FlightSink?,
        attachments: AttachSink?, wire: WireSink?,
        onError: @escaping @Sendable (OutletError) -> Void,
        onWord: @escaping @Sendable (RecordingSink.Word) -> Void, onChange: @escaping @Sendable () -> Void
    ) throws(ThreadError) {
        let destinations = Monitor(Destinations(wire: wire, outlets: outlets))
        self.destinations = destinations
        // The value is copied out, because writing may block. No other code reads it until the thread has ended.
        let shower = try BatchThread<Item>(
            name: "weir-outlets", highWater: Self.highWater, mostBytes: Self.mostBytes, weigh: \.weight,
            onDrained: onChange
        ) { batch in
            var open = destinations.change { $0 }
            let known = open.failures.count
            open.show(batch)
            for failure in open.failures[known...] { onError(failure) }
            destinations.change { [open] in $0 = open }
            return true
        } atEnd: {
            var open = destinations.change { $0 }
            open.finish()
            destinations.change { [open] in $0 = open }
        }
        self.shower = shower
        guard let recording else {
            recorder = nil
            return
        }
        let failures = recorderFailures
        recorder = try BatchThread(
            name: "weir-recorder", highWater: Self.highWater, mostBytes: Self.mostBytes, weigh: \.weight,
            onDrained: onChange
        ) { batch in
            // A failed recording is not written any more, but the output goes on.
            if failures.look({ $0.isEmpty }) {
                do throws(OutletError) {
                    try recording.write(batch, onWord)
                } catch {
                    failures.change { $0.append(error) }
                    onError(error)
                }
            }
            flight?.write(batch, onWord)
            attachments?.write(batch)
            if shower.push(batch) { onChange() }
            return true
        } atEnd: {
        }
    }

    /// Adds items to the queue of the first thread.
    func push(_ items: [Item]) { _ = (recorder ?? shower).push(items) }

    /// A message about the thread that lags so far that the socket should not be read; `nil` if the threads keep up.
    var lateWords: String? {
        if shower.isDeep { return "the output is too slow" }
        return recorder?.isDeep == true ? "the recording is too slow" : nil
    }

    /// The number of items and bytes in the queue of each thread. Any thread.
    var depths: [(name: String, items: Int, bytes: Int)] {
        let threads: [(name: String, depth: (count: Int, bytes: Int)?)] = [
            ("recorder", recorder?.depth), ("outlets", shower.depth),
        ]
        return threads.compactMap { thread in thread.depth.map { (thread.name, $0.count, $0.bytes) } }
    }

    /// Writes everything queued and ends the threads. Returns all errors, in order.
    func finish() -> [OutletError] {
        recorder?.finish()
        shower.finish()
        let failures = recorderFailures.look { $0 }
        return failures + destinations.change { $0.failures }.filter { !failures.contains($0) }
    }
}

/// The outputs of the second thread. An output that fails is not used again, and the others go on.
private struct Destinations: Sendable {
    private var wire: WireSink?
    private let outlets: [any Outlet]
    /// The indices of the failed outlets.
    private var failed: Set<Int> = []
    private(set) var failures: [OutletError] = []

    init(wire: WireSink?, outlets: [any Outlet]) { (self.wire, self.outlets) = (wire, outlets) }

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
        // Failed outlets have already reported their error.
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

    /// Notes an error once, since several outlets may write to the same destination.
    private mutating func note(_ error: OutletError) {
        if !failures.contains(error) { failures.append(error) }
    }
}

extension OutletThread.Item {
    /// The bytes that the item holds, as far as a server controls them.
    var weight: Int {
        switch self {
        case .record(let record, _), .leftOut(let record, remainder: _, _): record.heldBytes
        case .report(let stamped): stamped.report.heldBytes
        case .wire(let unit): unit.bytes.count
        case .redact, .rotate, .flightPart, .dump, .settle, .beginRecording, .stopRecording, .attach, .hold,
            .endRecording:
            0
        }
    }
}

extension Record {
    /// The bytes that the record holds, as far as a server controls them.
    var heldBytes: Int {
        switch self {
        case .frame(let frame): return frame.message.bytes.count
        case .http(let exchange):
            if case .response(_, let body, _) = exchange.phase { return body.count }
            return 0
        case .head, .connection, .subscription, .gap, .token, .action, .memory, .state, .mark, .clock, .note, .sync,
            .index, .end, .unknown:
            return 0
        }
    }
}

/// Passes wire units to the outlets that need them. A unit shows only what a recording would show: a token that the
/// recording hides stays hidden. Used on the outlet thread only.
final class WireSink: Sendable {
    private let outlets: [any Outlet]
    private let stream: Monitor<RecordingStream>
    private let carrier = Monitor(MessageCarrier())

    /// Creates a sink for the outlets that need wire units; `nil` when none does.
    init?(_ outlets: [any Outlet], hiding options: RecordingWriter.Options) {
        self.outlets = outlets.filter { $0.needsWire }
        if self.outlets.isEmpty { return nil }
        stream = Monitor(RecordingStream(options))
    }

    /// Passes on the wire units of a batch.
    func write(_ batch: [OutletThread.Item]) throws(OutletError) {
        let units = stream.change { stream in
            var units: [WireUnit] = []
            for item in batch {
                switch item {
                case .record(let record, let stamp), .leftOut(let record, remainder: _, let stamp):
                    guard let shown = stream.shown(record, stamp) else { continue }
                    let unit = carrier.change { carrier in
                        carrier.note(shown)
                        return carrier.unit(of: shown, stamp)
                    }
                    if let unit { units.append(unit) }
                case .wire(let unit): units.append(unit)
                case .redact(let secret): stream.redact(secret)
                case .report, .rotate, .flightPart, .dump, .settle, .beginRecording, .stopRecording, .attach, .hold,
                    .endRecording:
                    continue
                }
            }
            return units
        }
        guard !units.isEmpty else { return }
        for outlet in outlets { try outlet.write(units: units) }
    }
}
