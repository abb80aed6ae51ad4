import Network
import Pipeline
import Recording
import Wire

// Read-only views of the rooms of a running tail.
extension Tail {
    /// Returns the wanted rooms, or all known rooms if `all` is true, that match the pattern.
    func roomRows(matching pattern: RoomExpression?, all: Bool) -> [RoomRow] {
        session.roomViews.compactMap { view in
            guard all || view.entry != nil || view.isPassedOver else { return nil }
            if let pattern, !pattern.matches(view.facts) { return nil }
            return row(view)
        }
    }

    /// Returns the matching rooms of channels that the user left.
    func formerRows(matching pattern: RoomExpression?) -> [RoomRow] {
        session.formerRooms.filter { pattern?.matches($0) ?? true }.map { facts in
            var row = RoomRow(room: facts.name, kind: facts.kind, want: "no", state: "former")
            row.title = facts.title
            return row
        }
    }

    /// Returns the rooms that a join would affect, and the pattern for each, without joining any.
    func resolve(_ pattern: RoomExpression) -> RoomResolution {
        RoomResolution(of: pattern, among: session.roomViews.map { ($0.facts, row($0)) }) { [session] name in
            let facts = session.roomFacts(of: name)
            var row = RoomRow(room: name, kind: facts.kind, want: "no", state: "unknown")
            row.title = facts.title
            return row
        }
    }

    private func row(_ view: Session.RoomView) -> RoomRow {
        let name = view.facts.name
        let figures = traffic[name]
        var row = RoomRow(
            room: name, kind: view.facts.kind, source: view.entry?.source.rawValue ?? "",
            want: view.entry != nil ? "yes" : view.isPassedOver ? "limit" : "no",
            state: view.entry == nil ? (view.isExcluded ? "left" : "listed") : "wanted")
        row.title = view.facts.title
        row.rule = view.rule.map { (view.isExcluded ? "-" : "") + $0 }
        row.events = figures.events
        row.rate = figures.rate(at: loop.now)
        row.last = figures.last
        row.lag = figures.lag
        row.gaps = figures.gaps
        row.unread = view.facts.unread
        row.isMuted = mutes.isMuted(view.facts)
        switch view.entry?.state {
        case .wanted?: if figures.isLost { row.state = "lost" }
        case .joining(let since, _)?:
            row.state = "joining"
            row.since = wall(since)
        case .joined(let since)?:
            row.state = "joined"
            row.since = wall(since)
        case .refused(let why)?:
            row.state = "refused"
            row.why = why
        case nil: break
        }
        return row
    }

    private func wall(_ time: Moment) -> Int64 { journal.wallStart + time.microseconds }
}
