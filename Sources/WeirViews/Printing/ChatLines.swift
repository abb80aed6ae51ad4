import WeirEvents
import WeirModel
import WeirPipeline
import WeirTerminal
import WeirWire

/// Prints a conversation: one line for each message, edit and deletion, and for each member that joins or leaves. It
/// also prints gaps.
///
/// The lines come from changes of the model. They are therefore the same for every backend, and a fetched message has
/// its original time.
package struct ChatLines {
    let settings: LineSettings
    /// The columns of the terminal; `nil` for lines of any length.
    var width: Int?
    var names = KnownNames()
    private var clock: ZoneClock

    init(_ settings: LineSettings, width: Int? = nil) {
        self.settings = settings
        self.width = width
        clock = ZoneClock(settings.zone)
    }

    /// Appends the lines of a report. Most reports have none.
    mutating func append(_ stamped: StampedReport, _ mark: ViewMark = ViewMark(), to buffer: inout TerminalBuffer) {
        names.learn(from: stamped.report)
        guard mark.isShown else { return }
        buffer.limit = width
        switch stamped.report {
        case .diff(let diff):
            let rows = DiffRow.rows(of: diff.batch).compactMap { row in Self.verb(of: row).map { (row: row, verb: $0) }
            }
            // Sorts messages that were fetched together by their times.
            for (row, verb) in rows.sorted(by: { time(of: $0.row, stamped) < time(of: $1.row, stamped) }) {
                append(row, verb, at: time(of: row, stamped), mark, to: &buffer)
            }
        case .gap(let gap):
            appendTime(stamped.stamp.wall, to: &buffer)
            buffer.append("gap  ", .bad)
            buffer.append(gap.sentence(names))
            buffer.endLine()
        case .event, .connection, .room, .action, .emit, .refetch, .typing, .undecodable, .notice: break
        }
    }

    /// Returns whether a report has lines, regardless of the filter.
    static func tells(_ report: Report) -> Bool {
        switch report {
        case .diff(let diff): DiffRow.rows(of: diff.batch).contains { verb(of: $0) != nil }
        case .gap: true
        case .event, .connection, .room, .action, .emit, .refetch, .typing, .undecodable, .notice: false
        }
    }

    /// Returns the verb for a change of a row: empty for a new message, `nil` for a change without a line.
    private static func verb(of row: DiffRow) -> String? {
        let wasTakenBack = row.old?.entity.value.isTakenBack ?? false
        switch (row.item.id.kind, row.operation) {
        case (.message, .insert): return row.item.entity.value.isTakenBack ? nil : ""
        case (.message, .delete): return wasTakenBack || row.item.delivery != nil ? nil : "deleted"
        case (.message, .update), (.message, .move):
            guard !wasTakenBack else { return nil }
            if row.item.entity.value.isTakenBack { return "deleted" }
            let (old, new) = (row.old.map { ItemFacts($0).label }, ItemFacts(row.item).label)
            return old == new ? nil : "edited"
        case (.member, .insert): return "joined"
        case (.member, .delete): return "left"
        default: return nil
        }
    }

    /// Returns the time of a new message, or the time at which another change was seen: wall clock in microseconds
    /// since 1970.
    private func time(of row: DiffRow, _ stamped: StampedReport) -> Int64 {
        guard row.operation == .insert, let said = row.item.saidAt else { return stamped.stamp.wall }
        return said.milliseconds * 1000
    }

    private mutating func append(
        _ row: DiffRow, _ verb: String, at time: Int64, _ mark: ViewMark, to buffer: inout TerminalBuffer
    ) {
        appendTime(time, to: &buffer)
        // The line shows the channel that the member joins, not the section of its members.
        let channel = row.item.id.kind == .member ? row.item.sectionKey.parent : nil
        let place = channel.flatMap { names.name($0.description) } ?? names.place(of: row.item)
        let end = buffer.columns + settings.roomWidth(in: width)
        buffer.append(ShortName.room(place, width: settings.roomWidth(in: width)), TerminalStyle.room(place))
        buffer.pad(to: end)
        buffer.append("  ")
        let isForUser = verb != "deleted" && names.isUser(among: row.item.entity.value.mentions)
        if isForUser, buffer.theme == nil { buffer.append("@ ") }
        buffer.isHighlighted = isForUser || mark.isHighlighted
        let label = names.label(of: row.item, ItemFacts(row.item)) ?? row.item.id.shortText
        if row.item.id.kind == .member {
            buffer.append(label + " " + verb, .faint)
        } else {
            if !verb.isEmpty { buffer.append(verb + "  ", .faint) }
            let sender = names.sender(of: row.item) ?? ""
            buffer.append(sender, .actor)
            buffer.append(String(label.dropFirst(sender.count)), verb == "deleted" ? .faint : .plain)
        }
        buffer.isHighlighted = false
        buffer.endLine()
    }

    private mutating func appendTime(_ wall: Int64, to buffer: inout TerminalBuffer) {
        guard settings.time != .none else { return }
        clock.appendNewDate(wall, to: &buffer)
        buffer.append(clock.time(wall, columns: ZoneClock.columns(of: 5, settings.zone)) + "  ", .time)
    }
}
