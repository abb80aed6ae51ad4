import Events
import JSONText
import Pipeline
import Recording
import SectionedModel
import Wire

/// The figures of an HTML report, collected from the reports of one run. Pure, and of a bounded size: invented names and endless failures
/// of a peer fill tables of a fixed size.
struct ReportFigures: Sendable {
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
    private let scrubber = SecretScrubber()

    /// The names of rooms, people and rows.
    var names: KnownNames {
        get { summary.names }
        _modify { yield &summary.names }
    }

    /// Adds a report to the figures of its type.
    mutating func add(_ stamped: StampedReport) {
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
    mutating func begin(with model: SectionedCollection<Item>, of user: String?) {
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
    private func inert(_ text: String) -> String { scrubber.scrubbed(text.clipped(Self.longestText)) }
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
