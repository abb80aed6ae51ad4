import Glibc
import JSONText
import Network
public import Pipeline
public import SectionedModel
import Recording
import Wire
import Terminal

/// Prints what is not an event on a descriptor, usually standard error: notices, the state of the connection and the
/// rooms, what could not be decoded, gaps. A reader that is gone does not end anything.
public final class StatusPrinter: Outlet {
    private let writer: DescriptorWriter
    private let theme: TerminalTheme?
    private let lines: Monitor<StatusLines>
    /// Only the outlet thread touches it.
    private let lag = Monitor(LagWatch())

    /// Prints on `descriptor`, which stays the caller's. `quiet` leaves only warnings, errors and losses.
    /// `showsGaps` is for when the gap lines of standard output are not seen here as well; `showsIDs` shows rooms by their names on the
    /// wire rather than by their titles.
    public init(
        descriptor: Int32 = 2, colour: Bool, quiet: Bool = false, showsGaps: Bool = true, showsIDs: Bool = false,
        patience: WritePatience? = nil
    ) {
        self.writer = DescriptorWriter(descriptor: descriptor, name: "standard error", patience: patience)
        theme = colour ? TerminalDevice.theme : nil
        lines = Monitor(StatusLines(quiet: quiet, showsGaps: showsGaps, showsIDs: showsIDs))
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

    /// Prints lines of our own, escaped like everything else, each as one line.
    public func write(lines: [String]) throws(OutletError) {
        var buffer = TerminalBuffer(theme)
        for line in lines {
            buffer.append(line)
            buffer.endLine()
        }
        try writeUnlessClosed(buffer.bytes)
    }

    /// Prints a line of our own behind a badge, red when what is done there is seen by others.
    public func write(badge: String, isGrave: Bool, line: String) throws(OutletError) {
        var buffer = TerminalBuffer(theme)
        buffer.append(badge, isGrave ? .bad : .heading)
        buffer.append(" " + line)
        buffer.endLine()
        try writeUnlessClosed(buffer.bytes)
    }

    /// Learns what is called how.
    public func begin(with model: SectionedCollection<Item>, of user: String?) {
        lines.change { $0.names.learn(from: model, of: user) }
    }

    /// Waits until what was kept for the reader is written. One that is gone ends nothing.
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

/// The lines of `StatusPrinter`.
struct StatusLines {
    /// Columns of the time.
    static let timeWidth = 13

    /// Only warnings, errors and losses.
    let quiet: Bool
    /// Whether a gap is a line here.
    let showsGaps: Bool
    /// Whether rooms are shown by their names on the wire.
    let showsIDs: Bool
    fileprivate(set) var names: KnownNames
    private var clock = ZoneClock(.utc)

    init(quiet: Bool, showsGaps: Bool, showsIDs: Bool = false, _ names: KnownNames = KnownNames()) {
        (self.quiet, self.showsGaps, self.showsIDs, self.names) = (quiet, showsGaps, showsIDs, names)
    }

    mutating func append(_ stamped: StampedReport, to buffer: inout TerminalBuffer) {
        switch stamped.report {
        case .diff(let diff): return names.learn(from: diff)
        case .event, .refetch, .typing: return
        case .gap: if !showsGaps { return }
        case .undecodable: break
        case .connection(.lost): break
        case .connection(.connecting), .connection(.ready): if quiet { return }
        case .room(let room): if !isWorthALine(room) { return }
        case .action(let action): if action.change.why == nil { return }
        case .emit(let emit): if !emit.isProblem { return }
        case .notice(let notice): if quiet, notice.level == .info { return }
        }
        if let date = clock.newDate(stamped.stamp.wall) {
            buffer.append("── \(date) ──", .time)
            buffer.endLine()
        }
        buffer.append(TimeText.clock(wall: stamped.stamp.wall) + "  ", .time)
        switch stamped.report {
        case .event, .diff, .refetch, .typing: break
        case .gap(let gap): append("! gap  ", .bad, gap.sentence(showsIDs ? KnownNames() : names), to: &buffer)
        case .connection(let change): append(change, to: &buffer)
        case .room(let room): append(room, to: &buffer)
        case .action(let action): append(action, to: &buffer)
        case .emit(let emit): append("! emit  ", .bad, emit.sentence, to: &buffer)
        case .undecodable(let failure): append(failure, to: &buffer)
        case .notice(let notice): append(notice, to: &buffer)
        }
        buffer.endLine()
    }

    /// Wishes and requests in flight are the machine's business; what came of them is the reader's.
    private func isWorthALine(_ report: RoomReport) -> Bool {
        switch report.change {
        case .joined, .left: !quiet
        case .refused, .lost: true
        case .wanted, .joining, .leaving, .found: false
        }
    }

    private func append(_ label: String, _ style: TerminalStyle, _ text: String, to buffer: inout TerminalBuffer) {
        buffer.append(label, style)
        buffer.append(text)
    }

    private func append(_ change: ConnectionReport, to buffer: inout TerminalBuffer) {
        switch change {
        case .connecting(let attempt, let target):
            append("connecting  ", .faint, target + (attempt > 1 ? " (attempt \(attempt))" : ""), to: &buffer)
        case .ready(let spoken):
            append("connected  ", .good, spoken.description, to: &buffer)
        case .lost(let why, let retryIn):
            let next = retryIn.map { "; next attempt in " + TimeText.span(milliseconds: $0.microseconds / 1000) } ?? ""
            append("disconnected  ", .bad, why + next, to: &buffer)
        }
    }

    private mutating func append(_ report: RoomReport, to buffer: inout TerminalBuffer) {
        let why = report.why.map { ": " + $0 } ?? ""
        let room = showsIDs ? report.room : names.room(report.room).label
        switch report.change {
        case .joined: append("+ room  ", .good, room, to: &buffer)
        case .left: append("- room  ", .faint, room, to: &buffer)
        case .refused: append("! room  ", .bad, room + " refused" + why, to: &buffer)
        case .lost: append("! room  ", .bad, room + " lost" + why, to: &buffer)
        case .wanted, .joining, .leaving, .found: break
        }
    }

    /// What goes well is seen in the model.
    private func append(_ report: ActionReport, to buffer: inout TerminalBuffer) {
        let name = report.action.operation.name
        switch report.change {
        case .refused(let why, _): append("! \(name)  ", .bad, "refused: " + why, to: &buffer)
        case .delayed(let why, let retryIn):
            let next = TimeText.span(milliseconds: retryIn.microseconds / 1000)
            append("! \(name)  ", .caution, "waits: \(why); next attempt in \(next)", to: &buffer)
        case .queued, .sending, .done, .dropped: break
        }
    }

    private func append(_ report: UndecodableReport, to buffer: inout TerminalBuffer) {
        buffer.append("! cannot read \(report.layer.rawValue)  ", .bad)
        buffer.append(report.subject + ": " + report.message)
        if !report.excerpt.isEmpty {
            buffer.append("  " + String(decoding: RawJSON.readable(report.excerpt.prefix(200)), as: UTF8.self), .faint)
        }
    }

    private func append(_ notice: Notice, to buffer: inout TerminalBuffer) {
        switch notice.level {
        case .info: buffer.append(notice.text)
        case .warning: append("warning: ", .caution, notice.text, to: &buffer)
        case .error: append("error: ", .bad, notice.text, to: &buffer)
        }
    }
}
