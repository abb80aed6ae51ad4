import WeirEvents
import WeirJSON
package import WeirModel
package import WeirPipeline
import WeirWire

/// The figures of an HTML report, collected from the reports of one run. Pure, and of a bounded size: invented names and endless failures
/// of a peer fill tables of a fixed size.
package struct ReportFigures: Sendable {
    /// An event in the page's list.
    struct Event: Sendable {
        var n: Int
        var wall: Int64
        /// The lag in milliseconds; `nil` if it is not known.
        var lag: Int64?
        var room: String?
        var kind: String
        /// The event's line: untrusted text, without secrets.
        var text: String
    }

    /// A gap and its repair.
    struct Gap: Sendable {
        var report: GapReport
        var sentence: String
        /// When the refetches of the gap were done, and how many messages the gap had missed; `nil` until then.
        var repair: (at: Moment, missed: Int)?
    }

    /// A change of the connection.
    struct Connection: Sendable {
        /// The new state of the connection.
        enum Change: String, Sendable { case connecting, connected, lost }
        var time: Moment
        var change: Change
        var words: String
    }

    /// A request for a resource, with its result.
    struct Refetch: Sendable {
        var time: Moment
        var resource: String
        var outcome: RefetchReport.Outcome
        var status: Int?
        var duration: Duration
    }

    /// Errors with the same title.
    struct Trouble: Sendable {
        var title: String
        var count = 0
        /// The first errors of the title, at most `mostExamples`.
        var examples: [(time: Moment, text: String)] = []
    }

    static let mostEvents = 5000
    static let mostGaps = 200
    static let mostConnections = 500
    static let mostRefetches = 15
    static let mostTroubles = 40
    static let mostExamples = 3
    static let mostMarks = 100
    /// The longest text that is kept, in bytes.
    private static let longestText = 240

    private(set) var summary = Summary()
    private(set) var history = ReportHistory()
    /// The number of events by their name on the wire, as `weir file info` counts them.
    private(set) var wireNames = Tally(limit: 10_000)
    private(set) var events: [Event] = []
    private(set) var gaps: [Gap] = []
    private(set) var gapCauses: [GapReport.Cause: Int] = [:]
    private(set) var connections: [Connection] = []
    /// The number of all changes of the connection, also of those that the list leaves out.
    private(set) var connectionChanges = 0
    /// The slowest requests, in descending order of duration.
    private(set) var refetches: [Refetch] = []
    private(set) var refetchOutcomes: [RefetchReport.Outcome: Int] = [:]
    private(set) var refetchTimes = LatencyHistogram()
    private(set) var troubles: [Trouble] = []
    private(set) var marks: [(time: Moment, label: String)] = []
    /// The stamp of the first report.
    private(set) var first: Stamp?
    /// The stamp of the last report.
    private(set) var last: Stamp?
    private var lines = EventLines(isCompact: true, width: nil)
    /// Removes secrets from a text.
    private let scrub: @Sendable (String) -> String

    package init(scrubbing scrub: @escaping @Sendable (String) -> String) { self.scrub = scrub }

    /// The names of rooms, people and rows.
    var names: KnownNames {
        get { summary.names }
        _modify { yield &summary.names }
    }

    /// Adds a report to the figures of its type.
    package mutating func add(_ stamped: StampedReport) {
        summary.add(stamped)
        if first == nil { first = stamped.stamp }
        if stamped.stamp.time >= last?.time ?? .zero { last = stamped.stamp }
        let time = stamped.stamp.time
        switch stamped.report {
        case .event(let report): add(report, stamped)
        case .diff(let diff): if events.count < Self.mostEvents { lines.names.learn(from: diff) }
        case .gap(let gap): add(gap, at: time)
        case .connection(let change): add(change, at: time)
        case .refetch(let refetch): add(refetch, at: time)
        case .undecodable, .room, .action, .emit, .notice: addTrouble(stamped.report, at: time)
        case .typing: break
        }
    }

    /// Learns the names of rooms and people from the model.
    package mutating func begin(with model: SectionedCollection<Item>, of user: String?) {
        names.learn(from: model, of: user)
        lines.names.learn(from: model, of: user)
    }

    private mutating func add(_ report: EventReport, _ stamped: StampedReport) {
        let lag = stamped.lag
        // Without a vocabulary, only the name on the wire distinguishes events of Socket.IO.
        let kind = report.event.socketIO == nil ? report.kind : report.wireName
        history.add(kind: kind, room: report.room, lag: lag, at: stamped.stamp.time)
        wireNames.add(report.wireName)
        guard events.count < Self.mostEvents else { return }
        let (actor, words) = lines.words(of: report.event)
        let text = actor.map { words.contains($0) ? words : "\($0)  \(words)" } ?? words
        events.append(
            Event(
                n: stamped.stamp.n, wall: stamped.stamp.wall, lag: lag, room: report.room, kind: kind,
                text: inert(text)))
    }

    private mutating func add(_ gap: GapReport, at time: Moment) {
        if let missed = gap.missed {
            // A repair belongs to the gap that began at the same moment. If several gaps are open, it belongs to the oldest one.
            let open = gaps.indices.filter { gaps[$0].repair == nil && gaps[$0].report.cause == .reconnect }
            if let index = open.first(where: { gaps[$0].report.from == gap.from }) ?? open.first {
                gaps[index].repair = (time, missed)
            }
            return
        }
        gapCauses[gap.cause, default: 0] += 1
        if gaps.count < Self.mostGaps { gaps.append(Gap(report: gap, sentence: inert(gap.sentence(names)))) }
    }

    private mutating func add(_ change: ConnectionReport, at time: Moment) {
        connectionChanges += 1
        let new: Connection
        switch change {
        case .connecting(let attempt, let target):
            new = Connection(time: time, change: .connecting, words: "attempt \(attempt): \(inert(target))")
        case .ready(let spoken): new = Connection(time: time, change: .connected, words: inert(spoken.description))
        case .lost(let why, let retryIn):
            let next = retryIn.map { "; next attempt in " + TimeText.span(milliseconds: $0.microseconds / 1000) } ?? ""
            new = Connection(time: time, change: .lost, words: inert(why) + next)
            note("connection lost", why, at: time)
        }
        if connections.count < Self.mostConnections { connections.append(new) }
    }

    private mutating func add(_ report: RefetchReport, at time: Moment) {
        refetchOutcomes[report.outcome, default: 0] += 1
        refetchTimes.add(report.duration.microseconds)
        switch report.outcome {
        case .fetched, .outdated, .missing: break
        case .refused, .unreadable, .delayed, .failed:
            let status = report.status.map { ", status \($0)" } ?? ""
            note("request \(report.outcome.rawValue)\(status)", names.naming(resource: report.resource), at: time)
        }
        guard refetches.count < Self.mostRefetches || report.duration > refetches[refetches.count - 1].duration else {
            return
        }
        let new = Refetch(
            time: time, resource: inert(names.naming(resource: report.resource)), outcome: report.outcome,
            status: report.status, duration: report.duration)
        let place = refetches.firstIndex { $0.duration < report.duration } ?? refetches.endIndex
        refetches.insert(new, at: place)
        if refetches.count > Self.mostRefetches { refetches.removeLast() }
    }

    private mutating func addTrouble(_ report: Report, at time: Moment) {
        switch report {
        case .undecodable(let failure):
            let excerpt = String(decoding: RawJSON.readable(failure.excerpt.prefix(200)), as: UTF8.self)
            note(
                "cannot read \(failure.layer.rawValue)", "\(failure.subject): \(failure.message)  \(excerpt)", at: time)
        case .room(let room):
            guard room.change == .refused || room.change == .lost else { return }
            let why = room.why.map { ": " + $0 } ?? ""
            note("room \(room.change.rawValue)", names.look(at: room.room).label + why, at: time)
        case .action(let action):
            if case .refused(let why, _) = action.change {
                note("\(action.action.operation.name) refused", why, at: time)
            }
        case .emit(let emit): if emit.isProblem { note("emit", emit.sentence, at: time) }
        case .notice(let notice):
            if let mark = notice.mark {
                if marks.count < Self.mostMarks { marks.append((time, inert(mark.label))) }
            } else if notice.level != .info {
                note(notice.level.rawValue, notice.text, at: time)
            }
        case .event, .diff, .gap, .connection, .refetch, .typing: break
        }
    }

    private mutating func note(_ title: String, _ text: String, at time: Moment) {
        let index: Int
        if let known = troubles.firstIndex(where: { $0.title == title }) {
            index = known
        } else if troubles.count < Self.mostTroubles {
            index = troubles.count
            troubles.append(Trouble(title: title))
        } else {
            index = troubles.count - 1
        }
        troubles[index].count += 1
        if troubles[index].examples.count < Self.mostExamples { troubles[index].examples.append((time, inert(text))) }
    }

    /// Returns a text as the page may show it: clipped, and without secrets.
    func words(_ text: String) -> String { inert(text) }

    /// Returns the text, clipped and without anything that looks like a secret.
    private func inert(_ text: String) -> String { scrub(text.clipped(Self.longestText)) }
}

extension String {
    /// Returns the text, clipped to `bytes` bytes. An ellipsis replaces the rest.
    func clipped(_ bytes: Int) -> String {
        guard utf8.count > bytes else { return self }
        return String(decoding: utf8.prefix(bytes).dropLast(Self.torn(utf8.prefix(bytes))), as: UTF8.self) + "…"
    }

    /// Returns how many bytes at the end belong to a truncated character.
    private static func torn(_ bytes: Substring.UTF8View) -> Int {
        let tail = bytes.suffix(3).reversed().prefix { $0 & 0xC0 == 0x80 }.count
        guard let lead = bytes.dropLast(tail).last, lead >= 0xC0 else { return 0 }
        return lead >= 0xF0 && tail < 3 || lead >= 0xE0 && tail < 2 || tail < 1 ? tail + 1 : 0
    }
}

/// The number of events by time, kind and room, and their lag. Its size is bounded: when the columns are full, two are merged into one.
struct ReportHistory: Sendable {
    /// The names that are counted individually. Names after the limit, and names that are too long, are counted together.
    struct Names: Sendable {
        let limit: Int
        private(set) var all: [String] = []
        private var places: [String: Int] = [:]

        init(limit: Int) { self.limit = limit }

        /// Returns the index of a name; `limit` for the names that are counted together.
        mutating func place(of name: String) -> Int {
            if let place = places[name] { return place }
            guard all.count < limit, name.utf8.count <= KnownNames.longestKept else { return limit }
            places[name] = all.count
            all.append(name)
            return all.count - 1
        }
    }

    /// The events in one interval of time.
    struct Column: Sendable {
        /// The number of all events, of every kind.
        fileprivate(set) var events = 0
        fileprivate var kinds: [UInt32] = []
        fileprivate var rooms: [UInt32] = []
        /// The lags in microseconds of the events with a server time.
        fileprivate(set) var lag = LatencyHistogram()

        fileprivate static func count(_ place: Int, in counts: inout [UInt32]) {
            if counts.count <= place { counts += Array(repeating: 0, count: place + 1 - counts.count) }
            counts[place] &+= 1
        }

        fileprivate mutating func add(_ other: Column) {
            events += other.events
            Self.add(other.kinds, to: &kinds)
            Self.add(other.rooms, to: &rooms)
            lag.add(other.lag)
        }

        private static func add(_ counts: [UInt32], to sums: inout [UInt32]) {
            if sums.count < counts.count { sums += Array(repeating: 0, count: counts.count - sums.count) }
            for place in counts.indices { sums[place] &+= counts[place] }
        }
    }

    /// The events of one name. The name is `nil` for the names that are counted together.
    struct Series: Sendable {
        var name: String?
        var total: Int
        /// The number of events in each column.
        var counts: [Int]
    }

    static let mostColumns = 120
    private(set) var columns: [Column] = []
    /// The length of a column, in microseconds.
    private(set) var width: Int64 = 250_000
    /// When the first column begins.
    private(set) var origin = Moment.zero
    private var kinds = Names(limit: 48)
    private var rooms = Names(limit: 384)

    /// Counts an event. `lag` is in milliseconds.
    mutating func add(kind: String, room: String?, lag: Int64?, at time: Moment) {
        if columns.isEmpty { origin = time }
        let index = column(of: time)
        columns[index].events += 1
        Column.count(kinds.place(of: kind), in: &columns[index].kinds)
        if let room { Column.count(rooms.place(of: room), in: &columns[index].rooms) }
        // A difference of a day or more is a wrong clock and not a delay.
        if let lag, lag.magnitude < 86_400_000 { columns[index].lag.add(max(lag, 0) * 1000) }
    }

    private mutating func column(of time: Moment) -> Int {
        let offset = max((time - origin).microseconds, 0)
        while offset / width >= Int64(Self.mostColumns) { halve() }
        let index = Int(offset / width)
        while columns.count <= index { columns.append(Column()) }
        return index
    }

    private mutating func halve() {
        var merged: [Column] = []
        for index in stride(from: 0, to: columns.count, by: 2) {
            var column = columns[index]
            if index + 1 < columns.count { column.add(columns[index + 1]) }
            merged.append(column)
        }
        columns = merged
        width *= 2
    }

    /// Returns the `most` most frequent kinds, and the others as one series.
    func byKind(most: Int) -> [Series] { series(kinds, \.kinds, most) }

    /// Returns the `most` most frequent rooms, and the others as one series.
    func byRoom(most: Int) -> [Series] { series(rooms, \.rooms, most) }

    private func series(_ names: Names, _ counts: KeyPath<Column, [UInt32]>, _ most: Int) -> [Series] {
        var all = (0...names.all.count).map { place in
            let place = place == names.all.count ? names.limit : place
            let values = columns.map { column in
                let counts = column[keyPath: counts]
                return place < counts.count ? Int(counts[place]) : 0
            }
            let name = place < names.all.count ? names.all[place] : nil
            return Series(name: name, total: values.reduce(0, +), counts: values)
        }
        let others = all.removeLast()
        all.sort { ($1.total, $0.name ?? "") < ($0.total, $1.name ?? "") }
        var rest = others
        for series in all.dropFirst(most) {
            rest.total += series.total
            for index in rest.counts.indices { rest.counts[index] += series.counts[index] }
        }
        return Array(all.prefix(most)) + (rest.total > 0 ? [rest] : [])
    }

    /// The lag of all events.
    var lag: LatencyHistogram { columns.reduce(into: LatencyHistogram()) { $0.add($1.lag) } }
}
