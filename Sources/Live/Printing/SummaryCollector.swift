import Network
public import Pipeline
public import SectionedModel

/// Counts what passes on its way to the printers. Any thread may ask for what was counted so far.
public final class SummaryCollector: Outlet {
    private let counted = Monitor(Summary())

    /// Nothing counted yet.
    public init() {}

    /// What was counted so far.
    public var summary: Summary { counted.change { $0 } }

    /// Nothing is counted twice.
    public var replayPart: ReplayPart { .shownOnce }

    /// Counts the reports.
    public func write(_ reports: [StampedReport]) throws(OutletError) {
        counted.change { summary in
            for report in reports { summary.add(report) }
        }
    }

    /// Learns what is called how.
    public func begin(with model: SectionedCollection<Item>, of user: String?) {
        counted.change { $0.names.learn(from: model, of: user) }
    }

    /// Nothing is kept back, so there is nothing to do.
    public func finish() throws(OutletError) {}
}
