import Glibc
import Network
import Pipeline
import Recording
import Wire

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
