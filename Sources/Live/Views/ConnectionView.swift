import Pipeline
import Recording
import Terminal
import Wire

/// The view `conn`: the past states of the connection in order, with the duration of each, and the gaps and refused or
/// lost rooms in between.
struct ConnectionView: LiveView {
    private struct Step: Sendable {
        var stamp: Stamp
        var state: String
        var style: TerminalStyle
        var text: String
        /// Whether the step is a state that lasts until the next one. Gaps and rooms are single moments.
        var lasts = true
    }

    private static let kept = 200
    private static let mostText = 200
    private var steps: [Step] = []
    private var dropped = 0
    private var events = 0

    mutating func take(_ stamped: StampedReport, _ names: KnownNames) {
        switch stamped.report {
        case .event: events += 1
        case .connection(.connecting(let attempt, let target)):
            note("connecting", .caution, "attempt \(attempt)  \(target)", stamped.stamp)
        case .connection(.ready(let spoken)):
            note("ready", .good, spoken.description, stamped.stamp)
        case .connection(.lost(let why, let retryIn)):
            let next = retryIn.map { "; next attempt in " + TimeText.span(milliseconds: $0.microseconds / 1000) } ?? ""
            note("lost", .bad, why + next, stamped.stamp)
        case .gap(let gap): note("gap", .bad, gap.sentence(names), stamped.stamp, lasts: false)
        case .room(let room) where room.change == .refused || room.change == .lost:
            let words = "\(room.room) \(room.change.rawValue)" + (room.why.map { ": " + $0 } ?? "")
            note("room", .caution, words, stamped.stamp, lasts: false)
        case .room, .diff, .action, .emit, .refetch, .typing, .undecodable, .notice: break
        }
    }

    private mutating func note(
        _ state: String, _ style: TerminalStyle, _ text: String, _ stamp: Stamp, lasts: Bool = true
    ) {
        let text = String(decoding: text.utf8.prefix(Self.mostText), as: UTF8.self)
        steps.append(Step(stamp: stamp, state: state, style: style, text: text, lasts: lasts))
        if steps.count > Self.kept {
            steps.removeFirst()
            dropped += 1
        }
    }

    func draw(_ place: ViewPlace, to buffer: inout TerminalBuffer) {
        let shown = steps.suffix(max(place.rows - 2, 1))
        let hidden = dropped + steps.count - shown.count
        if hidden > 0 {
            buffer.append("\(hidden) earlier steps", .faint)
            buffer.endLine()
        }
        for (index, step) in zip(shown.indices, shown) {
            buffer.append(TimeText.clock(wall: step.stamp.wall) + "  ", .time)
            buffer.append(step.state.padded(12), step.style)
            if step.lasts {
                let end = steps[(index + 1)...].first { $0.lasts }?.stamp.time ?? place.now
                let span = max((end - step.stamp.time).microseconds, 0) / 1000
                buffer.append(TimeText.span(milliseconds: span).leading(8), .heading)
            }
            buffer.pad(to: 37)
            buffer.append(place.naming(step.text))
            buffer.endLine()
        }
        buffer.append("\(events) events", .faint)
        buffer.endLine()
    }
}
