package import WeirJSON
public import WeirModel
import WeirNetwork
public import WeirPipeline
import WeirRecording
import WeirThreads

/// An outlet that collects the reports of a run for an HTML report.
package final class ReportCollector: Outlet {
    private let collected = Monitor(ReportFigures(scrubbing: SecretScrubber().scrubbed))

    /// Creates a collector without any reports.
    package init() {}

    /// A replay feeds each report to the collector once, so that the page shows no report twice.
    package var replayPart: ReplayPart { .shownOnce }

    /// Adds the reports to the figures of the page. Any thread.
    package func write(_ reports: [StampedReport]) throws(OutletError) {
        collected.change { figures in
            for report in reports { figures.add(report) }
        }
    }

    /// Learns the names of rooms and people from the model.
    package func begin(with model: SectionedCollection<Item>, of user: String?) {
        collected.change { $0.begin(with: model, of: user) }
    }

    /// Does nothing, since the collector buffers nothing.
    package func finish() throws(OutletError) {}

    /// Returns the HTML page of a run, with the model and the requests of its summary.
    package func page(_ facts: ReportFacts, _ summary: TailSummary) -> [UInt8] {
        ReportPage.bytes(
            collected.change { $0 }, facts, model: summary.model, requests: summary.requests,
            digest: TextDigest.base64)
    }
}

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

extension Summary {
    /// Writes the summary as one line: an object of type `summary` of `schemas/envelope.schema.json`.
    ///
    /// - Parameters:
    ///   - end: The figures of the finished run.
    ///   - words: The reason for the end; `nil` for none.
    ///   - code: The exit code of the process.
    ///   - filtered: The counts of reports that were not shown.
    package func write(
        _ end: TailSummary, words: String?, code: Int, filtered: FilterTally, into writer: inout JSONWriter
    ) {
        write(
            end.requests, end.sections, context: end.context, words: words, code: code, filtered: filtered,
            into: &writer)
    }
}
