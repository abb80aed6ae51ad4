import Network
import Pipeline

/// An outlet that counts the reports of a tail for its metrics and traces.
public final class MetricsCollector: Outlet {
    private struct State {
        var metrics = Metrics()
        /// The book of spans; `nil` without tracing.
        var spans: SpanBook?
    }

    private let state: Monitor<State>

    /// Creates an empty collector. With `traces`, requests and actions become spans, which wait for `takeSpans(_:)`.
    public init(traces: Bool = false) {
        state = Monitor(State(spans: traces ? SpanBook() : nil))
    }

    /// A replay feeds each report to the collector once, so that it counts no report twice.
    public var replayPart: ReplayPart { .shownOnce }

    /// Adds the reports to the counters and, with tracing, to the spans. Any thread.
    public func write(_ reports: [StampedReport]) throws(OutletError) {
        state.change { state in
            for report in reports {
                state.metrics.add(report)
                state.spans?.add(report)
            }
        }
    }

    /// Does nothing, since the collector buffers nothing.
    public func finish() throws(OutletError) {}

    /// Returns all families. Any thread.
    func families(_ gauges: MetricGauges) -> [MetricFamily] { state.look { $0.metrics }.families(gauges) }

    /// The finished spans, which stay until `takeSpans(_:)` removes them. Any thread.
    var spans: [TraceSpan] { state.look { $0.spans?.finished ?? [] } }

    /// Removes the oldest `count` spans, after a collector has accepted them. Any thread.
    func takeSpans(_ count: Int) { state.change { $0.spans?.take(count) } }
}
