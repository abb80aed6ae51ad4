import Network
import Recording

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
