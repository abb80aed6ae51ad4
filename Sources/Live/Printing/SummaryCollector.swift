import Network
public import Pipeline
public import SectionedModel

/// Counts the reports on their way to the printers. Any thread may read the counts.
public final class SummaryCollector: Outlet {
    private let counted = Monitor(Summary())

    /// Creates a collector without any counts.
    public init() {}

    /// A copy of the counts so far.
    public var summary: Summary { counted.change { $0 } }

    /// Only reports that are shown for the first time, so that nothing is counted twice.
    public var replayPart: ReplayPart { .shownOnce }

    /// Adds the reports to the counts.
    public func write(_ reports: [StampedReport]) throws(OutletError) {
        counted.change { summary in
            for report in reports { summary.add(report) }
        }
    }

    /// Learns the names in the model.
    public func begin(with model: SectionedCollection<Item>, of user: String?) {
        counted.change { $0.names.learn(from: model, of: user) }
    }

    /// Does nothing, because the collector buffers nothing.
    public func finish() throws(OutletError) {}
}
