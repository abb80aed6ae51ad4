import Network
public import Pipeline
public import SectionedModel

/// Collects what a report tells, from what passes on its way to the printers.
public final class ReportCollector: Outlet {
    private let collected = Monitor(ReportFigures())

    /// Nothing collected yet.
    public init() {}

    /// Nothing is told twice.
    public var replayPart: ReplayPart { .shownOnce }

    /// Collects the reports.
    public func write(_ reports: [StampedReport]) throws(OutletError) {
        collected.change { figures in
            for report in reports { figures.add(report) }
        }
    }

    /// Learns what is called how.
    public func begin(with model: SectionedCollection<Item>, of user: String?) {
        collected.change { $0.begin(with: model, of: user) }
    }

    /// Nothing is kept back, so there is nothing to do.
    public func finish() throws(OutletError) {}

    /// The page of the run that ended so: HTML.
    public func page(_ facts: ReportFacts, _ summary: TailSummary) -> [UInt8] {
        ReportPage.bytes(collected.change { $0 }, facts, model: summary.model, requests: summary.requests)
    }
}
