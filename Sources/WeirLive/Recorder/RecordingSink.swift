import Glibc
import WeirNetwork
import WeirPipeline
import WeirRecording
import WeirThreads
import WeirWire

/// The current recording, if any. It can begin and end while the tail runs. Used on the recorder thread only.
final class RecordingSlot: Sendable {
    private struct State {
        var sink: RecordingSink?
        /// The secrets to remove from a recording that begins later.
        var secrets: [Secret] = []
    }

    private let state: Monitor<State>

    init(_ sink: RecordingSink?) { state = Monitor(State(sink: sink)) }

    /// Writes the recordable items of a batch. Calls `say` during the call.
    func write(_ batch: [OutletThread.Item], _ say: (RecordingSink.Word) -> Void) throws(OutletError) {
        try state.change { (state) throws(OutletError) in
            var start = batch.startIndex
            for (index, item) in batch.enumerated() {
                switch item {
                case .redact(let secret): if !state.secrets.contains(secret) { state.secrets.append(secret) }
                case .beginRecording(let start_, let answer):
                    try state.sink?.write(Array(batch[start..<index]), say)
                    start = index + 1
                    answer(begin(start_, &state))
                case .stopRecording(let stamp, let answer):
                    try state.sink?.write(Array(batch[start..<index]) + [.endRecording(.closed, stamp)], say)
                    start = index + 1
                    state.sink = nil
                    answer(nil)
                case .record, .leftOut, .report, .rotate, .flightPart, .dump, .settle, .endRecording, .attach, .wire,
                    .hold:
                    continue
                }
            }
            try state.sink?.write(start == 0 ? batch : Array(batch[start...]), say)
        }
    }

    private func begin(_ start: RecordingStart, _ state: inout State) -> RecordingError? {
        do throws(RecordingError) {
            state.sink = try RecordingSink(start, secrets: state.secrets)
            return nil
        } catch {
            return error
        }
    }
}

/// The settings and initial state of a recording that begins while the tail runs.
struct RecordingStart: Sendable {
    var path: String
    var plan: RecordingPlan
    var head: Record.Head
    /// The stamp of the beginning, with the number of the record before it.
    var stamp: Stamp
    var restatement: StatePreamble
}

/// The recording at the end of the queue. Used on the recorder thread only.
final class RecordingSink: Sendable {
    /// The messages from the recorder to the tail.
    enum Word: Sendable {
        /// The segment has reached its size or age. The tail knows how the next one begins.
        case rotationDue
        /// The flight recorder begins a new part and needs the state of the tail.
        case flightPartDue
        /// A notice for the user.
        case notice(Notice)
    }

    /// The records that could not be written.
    private struct Loss {
        var first: Stamp
        var last: Stamp
        var count = 0
        /// The time of the last attempt.
        var tried: Moment
    }

    private struct State: ~Copyable {
        var writer: SegmentedWriter
        var loss: Loss?
        var hasAsked = false
        var now = Moment.zero
    }

    /// The time between two attempts to write to a full disk.
    private static let pause: Duration = .seconds(1)

    private let path: String
    private let writeErrors: RecordingPlan.WriteErrors
    private let state: Monitor<State>

    /// Creates the file of a recording that begins with the tail.
    init(path: String, plan: RecordingPlan, head: Record.Head) throws(RecordingError) {
        self.path = path
        writeErrors = plan.writeErrors
        state = Monitor(State(writer: try SegmentedWriter(plan.segments(path: path), head: head)))
    }

    /// Creates the file of a recording that begins while the tail runs.
    init(_ start: RecordingStart, secrets: [Secret]) throws(RecordingError) {
        path = start.path
        writeErrors = start.plan.writeErrors
        state = Monitor(
            State(
                writer: try SegmentedWriter(
                    start.plan.segments(path: start.path), head: start.head, secrets: secrets, at: start.stamp,
                    restating: start.restatement.records)))
    }

    /// Writes the recordable items of a batch. Calls `say` during the call.
    func write(_ batch: [OutletThread.Item], _ say: (Word) -> Void) throws(OutletError) {
        do {
            try state.change { (state) throws(RecordingError) in
                for item in batch { try write(item, &state, say) }
                try attempt(&state, say) { (writer) throws(RecordingError) in try writer.flush() }
                if !state.hasAsked, state.writer.isRotationDue {
                    state.hasAsked = true
                    say(.rotationDue)
                }
                for warning in state.writer.warnings { say(.notice(Notice(.warning, warning))) }
                state.writer.warnings = []
            }
        } catch {
            throw OutletError(error, path: path)
        }
    }

    private func write(
        _ item: OutletThread.Item, _ state: inout State, _ say: (Word) -> Void
    ) throws(RecordingError) {
        switch item {
        case .record(let record, let stamp), .leftOut(_, remainder: let record, let stamp):
            try append(record, stamp, &state, say)
        case .report(let stamped):
            // A notice about the end itself arrives after the last record. It is only shown.
            guard case .notice(let notice) = stamped.report, notice.level != .info, state.writer.isOpen else { return }
            let note = Record.NoteRecord(level: notice.level.rawValue, message: notice.text)
            try append(.note(note), stamped.stamp, &state, say)
        case .flightPart, .dump, .beginRecording, .stopRecording, .attach, .wire, .hold: return
        case .redact(let secret): state.writer.redact(secret)
        case .settle(let stamp):
            guard state.loss == nil else { return }
            try attempt(&state, say) { (writer) throws(RecordingError) in try writer.flush(at: stamp.time) }
        case .rotate(let restatement, let stamp):
            state.hasAsked = false
            try attempt(&state, say) { (writer) throws(RecordingError) in
                try writer.rotate(at: stamp, restating: restatement.records)
            }
        case .endRecording(let why, let stamp):
            if state.loss != nil { try resume(at: stamp, &state, say, isLast: true) }
            try state.writer.close(why: why, at: stamp)
        }
    }

    private func append(
        _ record: Record, _ stamp: Stamp, _ state: inout State, _ say: (Word) -> Void
    ) throws(RecordingError) {
        state.now = stamp.time
        if state.loss != nil, try !resume(at: stamp, &state, say, isLast: false) {
            return lose(record, stamp, &state)
        }
        let isLost = try attempt(&state, say) { (writer) throws(RecordingError) in try writer.append(record, stamp) }
        // Records that the writer has already buffered are written once the disk has room.
        if isLost, state.writer.nextNumber <= stamp.n { lose(record, stamp, &state) }
    }

    private func lose(_ record: Record, _ stamp: Stamp, _ state: inout State) {
        guard !record.isUnnumbered, var loss = state.loss else { return }
        if loss.count == 0 { loss.first = stamp }
        loss.last = stamp
        loss.count += 1
        state.loss = loss
    }

    /// Runs an operation that may fail. Returns true if it failed and the tail continues nevertheless.
    @discardableResult
    private func attempt(
        _ state: inout State, _ say: (Word) -> Void, _ body: (inout SegmentedWriter) throws(RecordingError) -> Void
    ) throws(RecordingError) -> Bool {
        do throws(RecordingError) {
            try body(&state.writer)
            return false
        } catch {
            guard writeErrors == .continue else { throw error }
            guard state.loss == nil else { return true }
            let stamp = Stamp(n: 0, time: state.now, wall: 0)
            state.loss = Loss(first: stamp, last: stamp, tried: state.now)
            say(
                .notice(
                    Notice(
                        .error, "recording failed: \(OutletError(error, path: path).words); retrying every second"
                    )))
            return true
        }
    }

    /// Checks once a second whether the disk has room again; returns false if not. A `gap` record replaces the lost
    /// records.
    @discardableResult
    private func resume(
        at stamp: Stamp, _ state: inout State, _ say: (Word) -> Void, isLast: Bool
    ) throws(RecordingError) -> Bool {
        guard var loss = state.loss else { return true }
        guard isLast || stamp.time - loss.tried >= Self.pause else { return false }
        loss.tried = stamp.time
        state.loss = loss
        do throws(RecordingError) {
            try state.writer.flush()
        } catch {
            if isLast { throw error }
            return false
        }
        state.loss = nil
        if loss.count > 0 {
            let gap = Record.GapRecord(
                why: "unwritten", from: loss.first.time, to: loss.last.time, lost: loss.count, recovered: false)
            // The gap gets the number of the last missing record.
            try attempt(&state, say) { (writer) throws(RecordingError) in try writer.append(.gap(gap), loss.last) }
        }
        say(.notice(Notice(.warning, "recording resumed; \(loss.count) records are missing")))
        return true
    }
}

extension OutletError {
    /// Creates the tail's error for an error of the recording.
    init(_ error: RecordingError, path: String) {
        switch error {
        case .system("write", _, EPIPE): self = .closedByReader
        case .system(let operation, let path, let code): self = .system(operation: operation, path: path, code: code)
        case .exists: self = .system(operation: "create", path: path, code: EEXIST)
        case .notARecording, .unusable: self = .system(operation: "write", path: path, code: EINVAL)
        }
    }
}

/// The flight recorder at the end of the queue. Used on the recorder thread only.
final class FlightSink: Sendable {
    private struct State: ~Copyable {
        var ring: FlightRing
        var hasAsked = false
        var dumps = 0
    }

    private let plan: FlightPlan
    private let head: Record.Head
    private let options: RecordingWriter.Options
    private let state: Monitor<State>

    init(_ plan: FlightPlan, options: RecordingWriter.Options, head: Record.Head) {
        self.plan = plan
        self.head = head
        self.options = options
        state = Monitor(
            State(ring: FlightRing(window: plan.window, most: plan.most, options: options)))
    }

    /// Appends a batch to the ring. Calls `say` during the call.
    func write(_ batch: [OutletThread.Item], _ say: (RecordingSink.Word) -> Void) {
        state.change { state in
            for item in batch {
                switch item {
                case .record(let record, let stamp), .leftOut(let record, remainder: _, let stamp):
                    state.ring.append(record, stamp)
                case .report(let stamped):
                    guard case .notice(let notice) = stamped.report, notice.level != .info else { continue }
                    let note = Record.NoteRecord(level: notice.level.rawValue, message: notice.text)
                    state.ring.append(.note(note), stamped.stamp)
                case .redact(let secret): state.ring.redact(secret)
                case .flightPart(let restatement, let stamp):
                    state.hasAsked = false
                    state.ring.beginPart(at: stamp) { Array(restatement.records) }
                case .dump(let stamp): say(.notice(dump(&state, at: stamp)))
                case .rotate, .settle, .endRecording, .beginRecording, .stopRecording, .attach, .wire, .hold: continue
                }
            }
            if !state.hasAsked, state.ring.isPartDue {
                state.hasAsked = true
                say(.flightPartDue)
            }
        }
    }

    private func dump(_ state: inout State, at stamp: Stamp) -> Notice {
        state.dumps += 1
        let path = FlightRing.path(prefix: plan.prefix, wall: stamp.wall, number: state.dumps)
        do throws(RecordingError) {
            try state.ring.write(to: path, head: head, at: stamp, options: options)
            return Notice(.info, "wrote the last \(state.ring.span.components.seconds) s to \(path)")
        } catch {
            return Notice(.error, "the flight recorder cannot be written: \(OutletError(error, path: path).words)")
        }
    }
}
