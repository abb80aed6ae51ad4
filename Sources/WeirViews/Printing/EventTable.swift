import WeirEvents
import WeirPipeline
import WeirTerminal

/// Prints events and the gaps between them as table rows. The columns never move, for readers and for `cut`.
package struct EventTable {
    private static let kind = 18
    private static let actor = 18
    private let settings: LineSettings
    private let roomWidth: Int
    var lines: EventLines
    private var hasHeading = false

    init(_ settings: LineSettings) {
        self.settings = settings
        roomWidth = settings.roomWidth(in: nil)
        lines = EventLines(isCompact: true, width: nil, settings)
    }

    mutating func append(
        _ stamped: StampedReport, _ mark: ViewMark = ViewMark(), width: Int?, to buffer: inout TerminalBuffer
    ) {
        buffer.limit = width
        lines.learn(from: stamped.report)
        guard mark.isShown else { return }
        switch stamped.report {
        case .event(let report):
            appendHeading(to: &buffer)
            lines.appendDate(stamped.stamp, to: &buffer)
            let event = report.event
            let isForUser = lines.names.isUser(among: report.mentions)
            lines.appendTime(stamped, to: &buffer)
            cell(
                event.room.map { lines.label(of: $0, width: roomWidth) } ?? "", roomWidth,
                event.room.map { .room(lines.names.room($0).label) } ?? .plain, to: &buffer)
            cell(event.kind, Self.kind, event.isKnown ? .kind : .caution, to: &buffer)
            let (_, summary) = lines.words(of: event)
            cell(event.actor.map { lines.name(of: $0) } ?? "", Self.actor, .plain, to: &buffer)
            if isForUser { lines.appendMentionMark(to: &buffer) }
            buffer.isHighlighted = isForUser || mark.isHighlighted
            buffer.append(summary)
            buffer.isHighlighted = false
            buffer.endLine()
        case .gap(let gap):
            appendHeading(to: &buffer)
            lines.appendDate(stamped.stamp, to: &buffer)
            lines.appendTime(stamped, to: &buffer)
            cell("", roomWidth, .plain, to: &buffer)
            cell("gap", Self.kind, .bad, to: &buffer)
            cell("", Self.actor, .plain, to: &buffer)
            buffer.append(gap.sentence(lines.names))
            buffer.endLine()
        case .diff, .connection, .room, .action, .emit, .refetch, .typing, .undecodable, .notice: break
        }
    }

    private mutating func appendHeading(to buffer: inout TerminalBuffer) {
        guard !hasHeading else { return }
        hasHeading = true
        if settings.time != .none { cell("TIME", lines.columns.time, .heading, to: &buffer) }
        cell("   LAG", 6, .heading, to: &buffer)
        cell("ROOM", roomWidth, .heading, to: &buffer)
        cell("KIND", Self.kind, .heading, to: &buffer)
        cell("ACTOR", Self.actor, .heading, to: &buffer)
        buffer.append("WHAT", .heading)
        buffer.endLine()
    }

    private func cell(_ text: String, _ width: Int, _ style: TerminalStyle, to buffer: inout TerminalBuffer) {
        let end = buffer.columns + width
        buffer.append(TerminalText.truncated(text, to: width), style)
        buffer.pad(to: end)
        buffer.append("  ")
    }
}
