import WeirEvents
package import WeirJSON
import WeirNetwork
import WeirPipeline
import WeirRecording
import WeirTerminal
import WeirWire

/// A room in a room list, with its wanted and its actual state.
package struct RoomRow: Hashable, Sendable {
    /// The room's name at the backend.
    package var room: String
    /// The title shown to users. Untrusted text.
    package var title: String?
    /// The kind of events in the room (`RoomFacts.kind`).
    package var kind: String
    /// The source of the subscription: `cli`, `list`, `ctl` or `pin`; empty for an unwanted room.
    package var source: String
    /// Whether the room is wanted: `yes`, `no`, or `limit` if only `--max-rooms` prevents it.
    package var want: String
    /// The state of the subscription: `wanted`, `joining`, `joined`, `refused`, `lost` (with the connection), `left`
    /// (excluded by a rule), `listed` for an unwanted room, or `former` if the user left the channel.
    package var state: String
    /// The server's reason for a refusal. Untrusted text.
    package var why: String?
    /// The rule that decided, as written; `nil` if no rule did.
    package var rule: String?
    /// The time of the join, or of its request while it is pending, in microseconds since 1970.
    package var since: Int64?
    /// The number of events in the room since the start of the tail.
    package var events = 0
    /// The events per second over roughly the last minute.
    package var rate = 0.0
    /// The time of the last event, in microseconds since 1970.
    package var last: Int64?
    /// The delay of the last event, in milliseconds.
    package var lag: Int64?
    /// The number of times the room was lost with its connection.
    package var gaps = 0
    /// The number of unread messages (`RoomFacts.unread`).
    package var unread: Int?
    /// The member of the group that holds the room; `nil` outside a group.
    package var member: String?
    /// Whether the view hides the room.
    package var isMuted = false

    /// Creates a row without figures.
    package init(room: String, kind: String = "room", source: String = "", want: String = "yes", state: String) {
        self.room = room
        self.kind = kind
        self.source = source
        self.want = want
        self.state = state
    }

    /// Writes the row as a JSON object. Unknown values are omitted.
    package func encode(into writer: inout JSONWriter) {
        writer.beginObject()
        for (key, value) in texts {
            guard let value else { continue }
            writer.key(key)
            writer.string(value)
        }
        for (key, value) in numbers {
            guard let value else { continue }
            writer.key(key)
            writer.integer(value)
        }
        writer.member("rate", (rate * 1000).rounded() / 1000)
        writer.member("muted", isMuted)
        writer.endObject()
    }

    private var texts: [(String, String?)] {
        [
            ("room", room), ("title", title), ("kind", kind), ("source", source), ("want", want), ("state", state),
            ("why", why), ("rule", rule), ("member", member),
        ]
    }

    private var numbers: [(String, Int64?)] {
        [
            ("since_us", since), ("events", Int64(events)), ("last_us", last), ("lag_ms", lag), ("gaps", Int64(gaps)),
            ("unread", unread.map { Int64($0) }),
        ]
    }

    /// Creates a row from the JSON that `encode` wrote, or returns `nil` for anything else.
    package init?(_ value: JSONValue) {
        func text(_ key: String) -> String? { if case .string(let text)? = value[key] { text } else { nil } }
        func number(_ key: String) -> Int64? { if case .integer(let number)? = value[key] { number } else { nil } }
        guard let room = text("room"), let state = text("state") else { return nil }
        self.room = room
        self.state = state
        title = text("title")
        kind = text("kind") ?? "room"
        source = text("source") ?? ""
        want = text("want") ?? "yes"
        why = text("why")
        rule = text("rule")
        member = text("member")
        since = number("since_us")
        events = Int(clamping: number("events") ?? 0)
        last = number("last_us")
        lag = number("lag_ms")
        gaps = Int(clamping: number("gaps") ?? 0)
        unread = number("unread").map { Int(clamping: $0) }
        switch value["rate"] {
        case .number(let rate)?: self.rate = rate
        case .integer(let rate)?: self.rate = Double(rate)
        case _: break
        }
        isMuted = value["muted"] == .bool(true)
    }
}

/// The current meaning of patterns: the rooms that each pattern matches, and the patterns that match no room.
package struct RoomResolution: Hashable, Sendable {
    /// A room that a pattern matches.
    package struct Found: Hashable, Sendable {
        /// The current state of the room.
        package var row: RoomRow
        /// The last pattern that matches the room.
        package var pattern: String
        /// The effect of a join: `join`, or `keep` for a room that is already wanted.
        package var effect: String
    }

    /// A pattern that matches no known room.
    package struct Unmatched: Hashable, Sendable {
        /// The pattern, as the user wrote it.
        package var pattern: String
        /// The name or title of a room that the user may have meant. Untrusted text.
        package var suggestion: String?
    }

    /// The matched rooms, in the order of the room list.
    package var found: [Found] = []
    /// The patterns without a match, in the order of the expression.
    package var unmatched: [Unmatched] = []

    /// Matches an expression against rooms. `unknown` creates the row of a room that the expression names exactly and
    /// that is not among `rooms`.
    init(of expression: RoomExpression, among rooms: [(RoomFacts, RoomRow)], unknown: (String) -> RoomRow) {
        let terms = expression.terms.map { (term: $0, alone: RoomExpression([.init($0.pattern)])) }
        var matched = Set<Int>()
        for (facts, row) in rooms {
            let hits = terms.indices.filter { terms[$0].alone.matches(facts) }
            matched.formUnion(hits)
            guard let last = hits.last, !terms[last].term.isExcluded else { continue }
            found.append(
                Found(
                    row: row, pattern: terms[last].term.pattern.description,
                    effect: row.want == "yes" ? "keep" : "join"))
        }
        for index in terms.indices where !matched.contains(index) {
            let pattern = terms[index].term.pattern
            let suggestion = Self.suggestion(for: pattern, among: rooms.map(\.0))
            if let name = pattern.exactName, !terms[index].term.isExcluded, suggestion == nil {
                found.append(Found(row: unknown(name), pattern: pattern.description, effect: "join"))
            } else {
                unmatched.append(Unmatched(pattern: pattern.description, suggestion: suggestion))
            }
        }
    }

    private static func suggestion(for pattern: RoomPattern, among rooms: [RoomFacts]) -> String? {
        switch pattern {
        case .exact(let name):
            if let title = rooms.first(where: { $0.title == name })?.title { return "#" + title }
            return Suggestion.nearest(to: name, among: rooms.map(\.name))
        case .title(let title):
            let titles = rooms.compactMap(\.title)
            return Suggestion.nearest(to: title.lowercased(), among: titles.map { $0.lowercased() }).flatMap { near in
                titles.first { $0.lowercased() == near }
            }.map { "#" + $0 }
        case .glob, .expression, .selector, .set, .group: return nil
        }
    }

    /// Writes the resolution as an object of two arrays.
    package func encode(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("rooms")
        writer.beginArray()
        for found in found {
            writer.beginObject()
            writer.member("pattern", found.pattern)
            writer.member("effect", found.effect)
            writer.key("room")
            found.row.encode(into: &writer)
            writer.endObject()
        }
        writer.endArray()
        writer.key("unmatched")
        writer.beginArray()
        for unmatched in unmatched {
            writer.beginObject()
            writer.member("pattern", unmatched.pattern)
            writer.member("suggestion", unmatched.suggestion)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
    }

    /// Creates a resolution from the JSON that `encode` wrote, or returns `nil` for anything else.
    package init?(_ value: JSONValue) {
        guard case .array(let rooms)? = value["rooms"], case .array(let others)? = value["unmatched"] else {
            return nil
        }
        for room in rooms {
            guard case .string(let pattern)? = room["pattern"], case .string(let effect)? = room["effect"],
                let row = room["room"].flatMap({ RoomRow($0) })
            else { continue }
            found.append(Found(row: row, pattern: pattern, effect: effect))
        }
        for other in others {
            guard case .string(let pattern)? = other["pattern"] else { continue }
            var suggestion: String?
            if case .string(let text)? = other["suggestion"] { suggestion = text }
            unmatched.append(Unmatched(pattern: pattern, suggestion: suggestion))
        }
    }
}

/// Counts the events of each room, for room lists. Bounded: at most `mostRooms` rooms are counted.
struct RoomTraffic {
    static let mostRooms = 10_000

    /// The figures of one room.
    struct Figures: Hashable {
        /// The number of events since the start of the tail.
        var events = 0
        /// The wall-clock time of the last event, in microseconds since 1970.
        var last: Int64?
        /// The delay of the last event against the server's time, in milliseconds.
        var lag: Int64?
        /// The number of times the room was lost with its connection.
        var gaps = 0
        /// Whether the room was lost and is not joined again yet.
        var isLost = false
        /// The current minute. `inMinute` and `inMinuteBefore` count the events in it and in the previous one.
        fileprivate var minute: Int64 = 0
        fileprivate var inMinute = 0
        fileprivate var inMinuteBefore = 0

        /// Returns the events per second over roughly the last minute.
        func rate(at now: Moment) -> Double {
            let minute = now.microseconds / 60_000_000
            let part = Double(now.microseconds % 60_000_000) / 60_000_000
            switch minute - self.minute {
            case 0: return (Double(inMinuteBefore) * (1 - part) + Double(inMinute)) / 60
            case 1: return Double(inMinute) * (1 - part) / 60
            default: return 0
            }
        }

        fileprivate mutating func count(at now: Moment) {
            let minute = now.microseconds / 60_000_000
            if minute != self.minute {
                inMinuteBefore = minute == self.minute + 1 ? inMinute : 0
                inMinute = 0
                self.minute = minute
            }
            inMinute += 1
            events += 1
        }
    }

    private var rooms: [String: Figures] = [:]

    /// Returns the figures of a room, all zero for an unknown one.
    subscript(room: String) -> Figures { rooms[room] ?? Figures() }

    /// Counts an event in its room.
    mutating func note(_ stamped: StampedReport) {
        guard case .event(let report) = stamped.report, let room = report.room,
            isKept(room)
        else { return }
        rooms[room, default: Figures()].count(at: stamped.stamp.time)
        rooms[room]?.last = stamped.stamp.wall
        if let lag = stamped.lag { rooms[room]?.lag = lag }
    }

    private func isKept(_ room: String) -> Bool {
        rooms.count < Self.mostRooms && room.utf8.count <= KnownNames.longestKept || rooms[room] != nil
    }

    /// Tracks whether a room is lost.
    mutating func note(_ report: RoomReport) {
        guard isKept(report.room) else { return }
        switch report.change {
        case .lost:
            rooms[report.room, default: Figures()].gaps += 1
            rooms[report.room]?.isLost = true
        case .joined, .refused, .leaving, .left: rooms[report.room]?.isLost = false
        case .wanted, .joining, .found: break
        }
    }
}

// Read-only views of the rooms of a running tail.
extension TailEngine {
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
        let figures = rooms.traffic[name]
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
        row.isMuted = rooms.mutes.isMuted(view.facts)
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
