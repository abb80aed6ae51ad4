import Network
import Recording

/// Tells outlets what was on the wire, as a recording of it would say it: a token that is hidden there is hidden from view. Used on the
/// outlet thread only.
final class WireSink: Sendable {
    private let outlets: [any Outlet]
    private let stream: Monitor<RecordingStream>
    private let carrier = Monitor(MessageCarrier())

    /// For those of the outlets that want it; nil when none does.
    init?(_ outlets: [any Outlet], hiding options: RecordingWriter.Options) {
        self.outlets = outlets.filter { $0.needsWire }
        if self.outlets.isEmpty { return nil }
        stream = Monitor(RecordingStream(options))
    }

    /// Tells what a batch says was on the wire.
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
