import Events
import JSONText
import Pipeline
import Recording
import Terminal
import Wire

/// The view `top`: the busiest rooms, actors and kinds, with the rates of the last ten seconds and the lag.
struct TopView: LiveView {
    private struct Traffic: Sendable {
        var events = 0
        var rate = RateHistory()
        var bytes = RateHistory()
        /// The smoothed lag in milliseconds; `nil` while no event had a server time.
        var lag: Double?

        mutating func add(_ stamped: StampedReport, bytes size: Int) {
            events += 1
            rate.add(1, at: stamped.stamp.time)
            bytes.add(size, at: stamped.stamp.time)
            guard let new = stamped.lag else { return }
            lag = lag.map { $0 + (Double(new) - $0) / 8 } ?? Double(new)
        }
    }

    private static let span = 10
    private var rooms = NamedBook(Traffic())
    private var actors = NamedBook(Traffic())
    private var kinds = NamedBook(limit: 200, Traffic())
    private var all = Traffic()

    mutating func take(_ stamped: StampedReport, _ names: KnownNames) {
        guard case .event(let report) = stamped.report else { return }
        let size = report.payload.bytes.count
        all.add(stamped, bytes: size)
        kinds.change(report.kind) { $0.add(stamped, bytes: size) }
        if let room = report.room { rooms.change(room) { $0.add(stamped, bytes: size) } }
        // Some events identify a person by id, others by name.
        if report.actor != nil, let actor = names.actor(of: report) {
            actors.change(actor) { $0.add(stamped, bytes: size) }
        }
    }

    func draw(_ place: ViewPlace, to buffer: inout TerminalBuffer) {
        buffer.append("".padded(place.roomWidth) + "  EVENT/S   BYTE/S      LAG   EVENTS", .heading)
        buffer.endLine()
        append("all", .plain, all, place, to: &buffer)
        // Rooms get half of the free lines; actors and kinds get a quarter each.
        let room = max(place.rows - 5, 3)
        draw("ROOMS", rooms, room / 2, place, to: &buffer)
        draw("ACTORS", actors, room / 4, place, to: &buffer)
        draw("KINDS", kinds, room / 4, place, to: &buffer)
    }

    private func draw(
        _ title: String, _ book: NamedBook<Traffic>, _ most: Int, _ place: ViewPlace, to buffer: inout TerminalBuffer
    ) {
        guard book.count > 0 else { return }
        buffer.append(title, .heading)
        buffer.endLine()
        let sorted = book.sorted { $0.rate.rate(over: Self.span, at: place.now) * 1e6 + Double($0.events) / 1e6 }
        let fits = sorted.count <= most && !book.hasOthers
        let shown = fits || most < 2 ? most : most - 1
        for (name, traffic) in sorted.prefix(shown) {
            let label =
                title == "ACTORS"
                ? TerminalText.truncated(place.naming(name), to: place.roomWidth) : place.label(ofRoom: name)
            append(label, title == "ROOMS" ? TerminalStyle.room(name) : .plain, traffic, place, to: &buffer)
        }
        if fits || most < 2 { return }
        let rest = sorted.dropFirst(shown).reduce(book.others.events) { $0 + $1.entry.events }
        buffer.append("… \(max(book.count - shown, 0)) more: \(rest) events", .faint)
        buffer.endLine()
    }

    private func append(
        _ name: String, _ style: TerminalStyle, _ traffic: Traffic, _ place: ViewPlace, to buffer: inout TerminalBuffer
    ) {
        buffer.append(name, style)
        buffer.pad(to: place.roomWidth)
        let rate = traffic.rate.rate(over: Self.span, at: place.now).rateText
        let bytes = traffic.bytes.rate(over: Self.span, at: place.now).rateText
        let lag = traffic.lag.map { TimeText.span(milliseconds: Int64(max(min($0, 1e15), -1e15))) } ?? ""
        buffer.append(rate.leading(9) + bytes.leading(9) + lag.leading(9) + String(traffic.events).leading(9))
        buffer.endLine()
    }
}
