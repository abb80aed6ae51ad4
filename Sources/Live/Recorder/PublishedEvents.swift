import JSONText
import Network
import Pipeline
import Recording

/// Publishes each event, and each change of the model, as the JSON object of `--format json` beside a recording that lies in a stream:
/// events under their kind and the words of their room, everything else under its type. A client of the cluster subscribes to what it wants.
public final class PublishedEvents: Outlet {
    private struct State: ~Copyable {
        var envelope = Envelope()
        var connection = 0
        /// Number of the last record, and how many objects were printed for it.
        var record = 0
        var place = 0
        /// Kept also when the recorder has ended.
        var output: (any RemoteOutput)?
    }

    private let path: String
    private let state = Monitor(State())

    /// Publishes beside the recording at a `nats://` URL, which is being written.
    public init(at path: String) { self.path = path }

    /// Publishes them; waits while too much is on its way.
    public func write(_ reports: [StampedReport]) throws(OutletError) {
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

    /// The words of the subject.
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

    /// What a view hides is published nevertheless.
    public func write(_ reports: [StampedReport], _ marks: [ViewMark]) throws(OutletError) { try write(reports) }

    /// What both publish by; nil before the recording has begun.
    private func output() -> (any RemoteOutput)? {
        if let known = state.look({ $0.output }) { return known }
        guard let found = RemoteRecordings.output(path) else { return nil }
        found.expectTexts()
        state.change { $0.output = found }
        return found
    }

    /// Waits until all are published.
    public func finish() throws(OutletError) {
        do throws(RecordingError) {
            try state.look { $0.output }?.finishTexts()
        } catch {
            throw OutletError(error, path: path)
        }
    }
}
