import Events
import Pipeline
import Recording
import Terminal
import Wire

/// The view `latest`: one line for each room, with its last event, the age of that event and the number of events. The
/// most recently active room comes first.
struct LatestView: LiveView {
    private struct Last: Sendable {
        var events = 0
        var time = Moment.zero
        var lag: Int64?
        var kind = ""
        var text = ""
    }

    /// The maximum number of bytes kept of an event's text.
    private static let mostText = 240
    private var rooms = NamedBook(Last())

    mutating func take(_ stamped: StampedReport, _ names: KnownNames) {
        guard case .event(let report) = stamped.report else { return }
        let event = report.event
        rooms.change(event.room ?? report.namespace) { last in
            last.events += 1
            last.time = stamped.stamp.time
            last.lag = stamped.lag
            last.kind = event.kind
            last.text = String(decoding: event.summary.utf8.prefix(Self.mostText), as: UTF8.self)
        }
    }

    func draw(_ place: ViewPlace, to buffer: inout TerminalBuffer) {
        let sorted = rooms.sorted { $0.time.microseconds }
        buffer.append("ROOM".padded(place.roomWidth) + "      AGO  EVENTS  KIND              LAST", .heading)
        buffer.endLine()
        for (name, last) in sorted.prefix(max(place.rows - 2, 0)) {
            let isFresh = place.now - last.time < .seconds(1)
            buffer.append(place.label(ofRoom: name), TerminalStyle.room(name))
            buffer.pad(to: place.roomWidth)
            let ago = TimeText.span(milliseconds: max((place.now - last.time).microseconds, 0) / 1000)
            buffer.append(ago.leading(9) + String(last.events).leading(8) + "  ", isFresh ? .heading : .plain)
            buffer.append(TerminalText.truncated(last.kind, to: 16))
            buffer.pad(to: place.roomWidth + 37)
            let text = name.contains("/") ? last.text.replacing(name, with: place.label(ofRoom: name)) : last.text
            buffer.append(place.naming(text), isFresh ? .heading : .plain)
            buffer.endLine()
        }
        let hidden = sorted.count - max(place.rows - 2, 0)
        if hidden > 0 || rooms.hasOthers {
            let more = rooms.hasOthers ? ", and others with \(rooms.others.events) events" : ""
            buffer.append("\(max(hidden, 0)) more rooms\(more)", .faint)
            buffer.endLine()
        }
    }
}

extension String {
    /// Returns the string padded with trailing spaces to a width. Only for ASCII text of our own, since it counts
    /// bytes.
    func padded(_ width: Int) -> String { self + String(repeating: " ", count: max(width - utf8.count, 0)) }

    /// Returns the string padded with leading spaces to a width. Only for ASCII text of our own, since it counts bytes.
    func leading(_ width: Int) -> String { String(repeating: " ", count: max(width - utf8.count, 0)) + self }
}
