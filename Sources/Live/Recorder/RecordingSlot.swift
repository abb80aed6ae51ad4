import Network
import Pipeline
import Recording
import Wire

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
