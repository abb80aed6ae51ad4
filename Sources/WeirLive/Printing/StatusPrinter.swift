import Glibc
public import WeirModel
import WeirNetwork
public import WeirPipeline
import WeirTerminal
import WeirThreads
import WeirWire

/// Prints reports other than events to a descriptor, usually standard error: notices, states of the connection and of
/// rooms, undecodable data, and gaps. A missing reader does not end the run.
public final class StatusPrinter: Outlet {
    private let writer: DescriptorWriter
    private let theme: TerminalTheme?
    private let lines: Monitor<StatusLines>
    private let isJournal: Bool
    /// The watch for late events. Only the outlet thread uses it.
    private let lag = Monitor(LagWatch())

    /// Creates a printer for `descriptor`, which the caller continues to own.
    ///
    /// - Parameters:
    ///   - quiet: Whether to print only warnings, errors and losses.
    ///   - showsGaps: Whether to print gaps. Pass `false` when standard output shows them in the same place.
    ///   - showsIDs: Whether to show rooms by their names on the wire instead of their titles.
    package init(
        descriptor: Int32 = 2, colour: Bool, quiet: Bool = false, showsGaps: Bool = true, showsIDs: Bool = false,
        patience: WritePatience? = nil
    ) {
        self.writer = DescriptorWriter(descriptor: descriptor, name: "standard error", patience: patience)
        theme = colour ? TerminalDevice.theme : nil
        isJournal = JournalStream.isBehind(descriptor)
        var lines = StatusLines(quiet: quiet, showsGaps: showsGaps, showsIDs: showsIDs)
        lines.isForJournal = isJournal
        self.lines = Monitor(lines)
    }

    /// Prints the reports with one write.
    public func write(_ reports: [StampedReport]) throws(OutletError) {
        var buffer = TerminalBuffer(theme)
        lines.change { lines in
            for report in reports {
                lines.append(report, to: &buffer)
                guard let lag = report.lag, let notice = self.lag.change({ $0.note(lag) }) else { continue }
                lines.append(StampedReport(stamp: report.stamp, report: .notice(notice)), to: &buffer)
            }
        }
        try writeUnlessClosed(buffer.bytes)
    }

    /// Prints lines from the program itself. They are escaped as well, and each stays on one line.
    public func write(lines: [String]) throws(OutletError) {
        var buffer = TerminalBuffer(theme)
        for line in lines {
            if isJournal { buffer.append(JournalPriority.info.prefix) }
            buffer.append(line)
            buffer.endLine()
        }
        try writeUnlessClosed(buffer.bytes)
    }

    /// Prints a line from the program itself after a badge. The badge is red when `isGrave` is true.
    public func write(badge: String, isGrave: Bool, line: String) throws(OutletError) {
        var buffer = TerminalBuffer(theme)
        if isJournal { buffer.append((isGrave ? JournalPriority.error : .info).prefix) }
        buffer.append(badge, isGrave ? .bad : .heading)
        buffer.append(" " + line)
        buffer.endLine()
        try writeUnlessClosed(buffer.bytes)
    }

    /// Learns the names in the model.
    public func begin(with model: SectionedCollection<Item>, of user: String?) {
        lines.change { $0.names.learn(from: model, of: user) }
    }

    /// Waits until the reader has taken all buffered output. A missing reader is not an error.
    public func finish() throws(OutletError) { try? writer.finish() }

    private func writeUnlessClosed(_ bytes: [UInt8]) throws(OutletError) {
        guard !bytes.isEmpty else { return }
        do {
            try writer.write(bytes)
        } catch {
            switch error {
            case .closedByReader, .unread: return
            case .system(_, _, EIO), .system(_, _, EBADF): return
            case .system: throw error
            }
        }
    }
}
