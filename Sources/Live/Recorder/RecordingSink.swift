import Glibc
import Network
import Pipeline
import Recording
import Wire

/// The recording at the end of the queue. Used on the recorder thread only.
final class RecordingSink: Sendable {
    /// What it has to say to the tail.
    enum Word: Sendable {
        /// The segment is large or old enough: the tail knows what the next one begins with.
        case rotationDue
        /// The flight recorder begins another part, with what the tail knows.
        case flightPartDue
        /// The user is to be told.
        case notice(Notice)
    }

    /// Records that could not be written.
    private struct Loss {
        var first: Stamp
        var last: Stamp
        var count = 0
        /// When it was tried last.
        var tried: Moment
    }

    private struct State: ~Copyable {
        var writer: SegmentedWriter
        var loss: Loss?
        var hasAsked = false
        var now = Moment.zero
    }

    /// A disk that is full is tried again after so long.
    private static let pause: Duration = .seconds(1)

    private let path: String
    private let writeErrors: RecordingPlan.WriteErrors
    private let state: Monitor<State>

    /// Creates the file.
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

    /// Writes what is to be recorded of a batch; `say` is called during the call.
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
            // A notice about the end itself comes after the last record: it is shown only.
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
        // What is gathered already goes out when there is room.
        if isLost, state.writer.nextNumber <= stamp.n { lose(record, stamp, &state) }
    }

    private func lose(_ record: Record, _ stamp: Stamp, _ state: inout State) {
        guard !record.isAside, var loss = state.loss else { return }
        if loss.count == 0 { loss.first = stamp }
        loss.last = stamp
        loss.count += 1
        state.loss = loss
    }

    /// Does something that may fail; true when it did, and the tail goes on nevertheless.
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
                        .error, "nothing is recorded: \(OutletError(error, path: path).words); trying again each second"
                    )))
            return true
        }
    }

    /// Tries whether there is room again, once a second; false when not. What was not written is told in its place.
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
            // It takes the number of the last record that is missing.
            try attempt(&state, say) { (writer) throws(RecordingError) in try writer.append(.gap(gap), loss.last) }
        }
        say(.notice(Notice(.warning, "recording again; \(loss.count) records are missing")))
        return true
    }
}

extension OutletError {
    /// What an error of the recording means to the tail.
    init(_ error: RecordingError, path: String) {
        switch error {
        case .system("write", _, EPIPE): self = .closedByReader
        case .system(let operation, let path, let code): self = .system(operation: operation, path: path, code: code)
        case .exists: self = .system(operation: "create", path: path, code: EEXIST)
        case .notARecording, .unusable: self = .system(operation: "write", path: path, code: EINVAL)
        }
    }
}
