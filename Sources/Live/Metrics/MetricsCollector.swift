import Network
import Pipeline

/// Measures what passes on its way to the printers.
public final class MetricsCollector: Outlet {
    private struct State {
        var metrics = Metrics()
        /// Nil where nobody traces.
        var spans: SpanBook?
    }

    private let state: Monitor<State>

    /// Nothing measured yet. With `traces`, requests and actions become spans, which wait to be taken.
    public init(traces: Bool = false) {
        state = Monitor(State(spans: traces ? SpanBook() : nil))
    }

    /// Nothing is measured twice.
    public var replayPart: ReplayPart { .shownOnce }

    /// Measures the reports.
    public func write(_ reports: [StampedReport]) throws(OutletError) {
        state.change { state in
            for report in reports {
                state.metrics.add(report)
                state.spans?.add(report)
            }
        }
    }

    /// Nothing is kept back, so there is nothing to do.
    public func finish() throws(OutletError) {}

    /// Everything that is measured. Any thread.
    func families(_ gauges: MetricGauges) -> [MetricFamily] { state.look { $0.metrics }.families(gauges) }

    /// The spans that wait; they are taken when somebody has them. Any thread.
    var spans: [TraceSpan] { state.look { $0.spans?.finished ?? [] } }

    /// So many of the oldest spans need wait no more. Any thread.
    func takeSpans(_ count: Int) { state.change { $0.spans?.take(count) } }
}
