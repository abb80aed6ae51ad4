import JSONText
import Network
import Pipeline
import Recording
import Wire

/// What is written, on two threads that pass it on: one records, the other shows. So an output that nobody reads never keeps from the
/// recording what was received, and nothing is shown before it was given to the system with write(2): a process that is killed loses only
/// what is between the socket and the first thread.
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
        /// Nothing was recorded for a while: what still waits for its chunk to end is written. Needs the time only.
        case settle(Stamp)
        /// A recording begins here. The answer is given on the thread: why it cannot.
        case beginRecording(RecordingStart, @Sendable (RecordingError?) -> Void)
        /// The recording that is written ends; the tail goes on.
        case stopRecording(Stamp, @Sendable (RecordingError?) -> Void)
        /// A viewer begins here, with this.
        case attach(UInt, Restatement, Stamp)
        /// A packet of the transport, which goes into no recording.
        case wire(WireUnit)
        /// Memory that the answer before it takes: it is free when the batch was written.
        case hold(HTTPBodyHold)
        /// The recording ends, and so does everything else.
        case endRecording(Record.EndRecord.Why, Stamp)
    }

    /// Items that wait for a thread at most before the socket stops being read.
    static let highWater = 4096
    /// Bytes that items hold at most before the socket stops being read.
    static let mostBytes = Limits.waiting

    /// The first thread; nil where nothing is recorded, now or later.
    private let recorder: BatchThread<Item>?
    private let shower: BatchThread<Item>
    private let recorderFailures = Monitor<[OutletError]>([])
    private let destinations: Monitor<Destinations>

    /// Starts the threads. `onError`, `onWord` (of the recording) and `onChange` (`lateWords` may have changed) are called on them.
    init(
        outlets: [any Outlet], recording: RecordingSlot?, flight: FlightSink?,
        attachments: AttachSink?, wire: WireSink?,
        onError: @escaping @Sendable (OutletError) -> Void,
        onWord: @escaping @Sendable (RecordingSink.Word) -> Void, onChange: @escaping @Sendable () -> Void
    ) throws(NetworkError) {
        let destinations = Monitor(Destinations(wire: wire, outlets: outlets))
        self.destinations = destinations
        // Nobody else looks until the thread has ended, and writing may block.
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
            // A recording that failed is left alone; what is shown goes on.
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

    /// Adds items.
    func push(_ items: [Item]) { _ = (recorder ?? shower).push(items) }

    /// What is so far behind that the socket should not be read, for people; nil when nothing is.
    var lateWords: String? {
        if shower.isDeep { return "the output does not keep up" }
        return recorder?.isDeep == true ? "the recording does not keep up" : nil
    }

    /// Writes what is queued and ends. Gives all that failed, in order.
    func finish() -> [OutletError] {
        recorder?.finish()
        shower.finish()
        let failures = recorderFailures.look { $0 }
        return failures + destinations.change { $0.failures }.filter { !failures.contains($0) }
    }
}

/// What is shown, and where. What fails is left alone from then on, and the others go on.
private struct Destinations: Sendable {
    private var wire: WireSink?
    private let outlets: [any Outlet]
    /// Those of the outlets, by index.
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

extension OutletThread.Item {
    /// Bytes that the item holds, as far as a server decides on them.
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

extension Report {
    /// Bytes that it holds, as far as a server decides on them. The rows of a diff are the model's, or came with an event.
    var heldBytes: Int {
        switch self {
        case .event(let event): event.source.heldBytes
        case .emit(let emit): emit.name.utf8.count + emit.outcome.heldBytes
        case .diff, .connection(.ready): 0
        case .gap(let gap): gap.refetching.heldBytes
        case .connection(.connecting(attempt: _, let text)), .connection(.lost(let text, retryIn: _)): text.utf8.count
        case .room(let room): room.room.utf8.count + (room.why?.utf8.count ?? 0)
        case .action(let action):
            switch action.change {
            case .refused(let why, status: _), .delayed(let why, retryIn: _): why.utf8.count
            case .queued, .sending, .done, .dropped: 0
            }
        case .refetch(let refetch): refetch.resource.utf8.count
        case .typing(let typing): typing.typing.heldBytes
        case .undecodable(let text): text.subject.utf8.count + text.message.utf8.count + text.excerpt.count
        case .notice(let notice): notice.text.utf8.count
        }
    }
}

extension EmitReport.Outcome {
    fileprivate var heldBytes: Int {
        switch self {
        case .answered(let answer): answer.attachments.reduce(answer.arguments.bytes.count) { $0 + $1.count }
        case .lost(let why), .refused(let why): why.utf8.count
        case .sent, .timedOut: 0
        }
    }
}

extension [String] {
    fileprivate var heldBytes: Int { reduce(0) { $0 + $1.utf8.count } }
}

extension Record {
    /// Bytes that it holds, as far as a server decides on them.
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
