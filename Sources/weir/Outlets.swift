import Glibc
import Live

/// Where the reports of one run go, made from its options.
struct Outlets {
    /// All of them, in the order they are written.
    let all: [any Outlet]
    private let collector = SummaryCollector()
    private let status: StatusPrinter
    private let quiet: Bool

    init(_ options: OutputOptions) throws(OutletError) {
        let format = options.format
        let showsLines = format == .compact || format == .pretty
        status = StatusPrinter(
            colour: TerminalDevice.showsColour(2), quiet: options.quiet, showsGaps: !showsLines || isatty(1) == 0,
            shortensIDs: isatty(2) == 1)
        quiet = options.quiet
        var outlets: [any Outlet] = []
        if let path = options.diffLog {
            outlets.append(try DiffLogFile(creating: path, reversible: options.reversible))
        }
        outlets.append(collector)
        outlets.append(status)
        if let format {
            outlets.append(
                EventPrinter(
                    format: format, colour: TerminalDevice.showsColour(1), width: nil, followsTerminal: true,
                    settings: options.lines))
        }
        all = outlets
    }

    /// Says how the run ended and what was seen, and gives the code to exit with.
    func conclude(_ summary: TailSummary) -> ExitCode {
        let end = Ending(summary)
        var lines: [String] = []
        if let words = end.words { lines.append("weir: " + words) }
        if !quiet, end.hasSummary {
            lines += collector.summary.lines(model: summary.sections)
        }
        try? status.write(lines: lines)
        return end.code
    }
}
