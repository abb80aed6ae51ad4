import WeirJSON
import WeirPipeline
package import WeirTerminal
import WeirWire

/// Formats the lines of `StatusPrinter`. Pure.
package struct StatusLines {
    /// The width of the time, such as `08:05:01.532Z`.
    static let timeWidth = 13

    /// Whether to print only warnings, errors and losses.
    let quiet: Bool
    /// Whether a gap has a line.
    let showsGaps: Bool
    /// Whether to show rooms by their names on the wire.
    let showsIDs: Bool
    /// Whether the lines go to the journal, which stores their times itself.
    package var isForJournal = false
    package var names: KnownNames
    private var clock = ZoneClock(.utc)

    package init(quiet: Bool, showsGaps: Bool, showsIDs: Bool = false, _ names: KnownNames = KnownNames()) {
        (self.quiet, self.showsGaps, self.showsIDs, self.names) = (quiet, showsGaps, showsIDs, names)
    }

    package mutating func append(_ stamped: StampedReport, to buffer: inout TerminalBuffer) {
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
        if isForJournal {
            buffer.append(stamped.report.priority.prefix)
        } else {
            clock.appendNewDate(stamped.stamp.wall, to: &buffer)
            buffer.append(TimeText.clock(wall: stamped.stamp.wall) + "  ", .time)
        }
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

    /// Returns whether a room's change has a line. Requests in flight have none; only their results matter to the user.
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

    /// A successful action has no line, because the model shows its result.
    private func append(_ report: ActionReport, to buffer: inout TerminalBuffer) {
        let name = report.action.operation.name
        switch report.change {
        case .refused(let why, _): append("! \(name)  ", .bad, "refused: " + why, to: &buffer)
        case .delayed(let why, let retryIn):
            let next = TimeText.span(milliseconds: retryIn.microseconds / 1000)
            append("! \(name)  ", .caution, "waiting: \(why); next attempt in \(next)", to: &buffer)
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

/// The priorities of syslog(3), by their numbers.
package enum JournalPriority: Int {
    case error = 3, warning = 4, notice = 5, info = 6

    /// The prefix of a journal line: `<4>`.
    package var prefix: String { "<\(rawValue)>" }
}

extension Report {
    /// The priority of the line in the journal.
    fileprivate var priority: JournalPriority {
        switch self {
        case .gap(let gap): gap.isLoss ? .warning : .notice
        case .undecodable, .connection(.lost): .warning
        case .room(let room): room.change == .refused || room.change == .lost ? .warning : .info
        case .action, .emit: .warning
        case .notice(let notice):
            switch notice.level {
            case .info: .info
            case .warning: .warning
            case .error: .error
            }
        case .event, .diff, .connection, .refetch, .typing: .info
        }
    }
}
