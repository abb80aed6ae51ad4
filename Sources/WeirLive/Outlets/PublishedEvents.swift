import WeirJSON
import WeirNetwork
import WeirPipeline
import WeirRecording
import WeirThreads
import WeirWire

/// Publishes each event, and each change of the model, as a `--format json` object next to a recording in a stream. An
/// event's subject consists of its kind and the parts of its room; other objects are published under their type.
/// Clients of the cluster subscribe to the subjects they need.
package final class PublishedEvents: Outlet {
    private struct State: ~Copyable {
        var envelope = Envelope()
        var connection = 0
        /// The number of the last record. `place` is the index of the last object for that record.
        var record = 0
        var place = 0
        /// The output. It is kept after the recorder has ended.
        var output: (any RemoteOutput)?
    }

    private let path: String
    private let state = Monitor(State())

    /// Publishes next to the recording at a `nats://` URL. The recording must be in progress.
    package init(at path: String) { self.path = path }

    /// Publishes the reports. Waits while too many bytes are in flight.
    package func write(_ reports: [StampedReport]) throws(OutletError) {
        guard let output = output() else { return }
        do {
            try state.change { (state) throws(RecordingError) in
                for report in reports { try publish(report, &state, output) }
            }
        } catch {
            throw OutletError(error, path: path)
        }
    }

    private func publish(
        _ stamped: StampedReport, _ state: inout State, _ output: any RemoteOutput
    ) throws(RecordingError) {
        if case .connection(.connecting) = stamped.report { state.connection += 1 }
        state.envelope.append(stamped, connection: state.connection)
        let text = state.envelope.writer.bytes
        state.envelope.reset()
        guard !text.isEmpty, let words = Self.words(stamped.report) else { return }
        state.place = stamped.stamp.n == state.record ? state.place + 1 : 0
        state.record = stamped.stamp.n
        try output.publish(Array(text.dropLast()), under: words, id: "e\(state.record)-\(state.place)")
    }

    /// Returns the parts of the subject; `nil` for a report that is not published.
    private static func words(_ report: Report) -> [String]? {
        switch report {
        case .event(let event):
            let room = event.room.map { $0.split(separator: "/").map(String.init) } ?? []
            return [event.kind] + room.prefix(16)
        case .diff: return ["diff"]
        case .gap: return ["gap"]
        case .connection: return ["connection"]
        case .room(let room): return ["room"] + room.room.split(separator: "/").map(String.init).prefix(16)
        case .action, .emit, .refetch, .typing, .undecodable, .notice: return nil
        }
    }

    /// Publishes all reports, including those that a view hides.
    package func write(_ reports: [StampedReport], _ marks: [ViewMark]) throws(OutletError) { try write(reports) }

    /// Returns the output shared with the recorder; `nil` before the recording has begun.
    private func output() -> (any RemoteOutput)? {
        if let known = state.look({ $0.output }) { return known }
        guard let found = RemoteRecordings.output(path) else { return nil }
        found.expectTexts()
        state.change { $0.output = found }
        return found
    }

    /// Waits until everything is published.
    package func finish() throws(OutletError) {
        do throws(RecordingError) {
            try state.look { $0.output }?.finishTexts()
        } catch {
            throw OutletError(error, path: path)
        }
    }
}
