import WeirEvents
package import WeirJSON
public import WeirPipeline
import WeirWire

/// The figures of a tail or a replay, counted from its reports. Bounded: invented names from a peer fill only tables of
/// fixed size.
public struct Summary: Sendable {
    /// The maximum number of names counted one by one. Further names are counted together.
    static let mostNames = 1000

    /// The number of events seen.
    public private(set) var events = 0
    /// The number of frames, events and responses that could not be decoded.
    public private(set) var undecodable = 0
    /// The number of gaps that lost something, or may have.
    public private(set) var gaps = 0
    /// The number of messages that were missed in gaps and then fetched.
    public private(set) var missed = 0
    /// The number of gaps that were refetched completely.
    private var repairs = 0
    /// The number of events known to be lost in gaps. Losses that cannot be counted are not included.
    public private(set) var lost = 0
    /// The number of events with a name, type or action that this version does not know.
    public private(set) var unknown = 0
    /// The number of times that a room was refused.
    public private(set) var denied = 0
    /// The number of times that the connection was restored.
    public private(set) var reconnects = 0
    /// The number of committed batches.
    public private(set) var batches = 0
    /// The time from the first report to the last.
    public var duration: Duration { firstTime.map { lastTime - $0 } ?? .zero }
    /// Whether something was lost or could not be decoded. The exit code is 3 in that case.
    public var hasLoss: Bool { gaps > 0 || undecodable > 0 }

    private(set) var kinds = Tally(limit: mostNames)
    private(set) var rooms = Tally(limit: mostNames)
    private var actorsAsTold = Tally(limit: mostNames)
    /// The events of each actor. Some events name an actor by id and others by name; both are counted together.
    var actors: Tally { actorsAsTold.renamed { names.person($0) ?? $0 } }
    package var names = KnownNames()
    private(set) var unknownNames = Tally(limit: mostNames)
    private(set) var operations: [Int] = Array(repeating: 0, count: DiffRow.Operation.allCases.count)
    private var readies = 0
    private var firstTime: Moment?
    private(set) var lastTime = Moment.zero
    private(set) var lastWall: Int64 = 0

    /// Creates a summary without any counts.
    public init() {}

    /// Counts a report and learns its names.
    public mutating func add(_ stamped: StampedReport) {
        if firstTime == nil { firstTime = stamped.stamp.time }
        lastTime = max(lastTime, stamped.stamp.time)
        lastWall = max(lastWall, stamped.stamp.wall)
        switch stamped.report {
        case .event(let report): add(report)
        case .diff(let report): add(report)
        case .gap(let gap):
            if gap.isLoss { gaps += 1 }
            if let missed = gap.missed { (repairs, self.missed) = (repairs + 1, self.missed + missed) }
            lost += gap.lost ?? 0
        case .connection(.ready):
            readies += 1
            reconnects = readies - 1
        case .room(let room): if room.change == .refused { denied += 1 }
        case .connection(.connecting), .connection(.lost), .action, .emit, .refetch, .typing, .notice: break
        case .undecodable: undecodable += 1
        }
    }

    private mutating func add(_ report: EventReport) {
        events += 1
        kinds.add(report.kind)
        if let room = report.room { rooms.add(room) }
        if let actor = report.actorID ?? report.actor { actorsAsTold.add(actor) }
        guard !report.isKnown else { return }
        unknown += 1
        unknownNames.add(report.wireName)
    }

    private mutating func add(_ report: DiffReport) {
        batches += 1
        names.learn(from: report)
        for (index, count) in DiffRow.counts(of: report.batch).enumerated() { operations[index] += count }
    }

    /// Returns the summary as lines for people. Names come from a peer: untrusted text.
    ///
    /// - Parameters:
    ///   - model: The sections of the model with their numbers of rows.
    ///   - requests: The figures of the HTTP requests.
    public func lines(
        model: [(section: Item.Section, count: Int)] = [], requests: RequestFigures = RequestFigures()
    ) -> [String] {
        let span = TimeText.span(milliseconds: duration.microseconds / 1000)
        var lines = [
            "summary: \(Summary.counted(events, "event")) from \(Summary.counted(rooms.count, "room")) in \(span)"
        ]
        if !kinds.isEmpty { lines.append("  events       " + kinds.text(most: 8)) }
        if rooms.count > 1 {
            lines.append(
                "  rooms        " + rooms.text(most: 4) { ShortName.room(names.look(at: $0).label, width: 26) })
        }
        if actors.count > 1 { lines.append("  actors       " + actors.text(most: 4, ShortName.shorteningIDs)) }
        if !unknownNames.isEmpty { lines.append("  unknown      " + unknownNames.text(most: 8)) }
        if undecodable > 0 { lines.append("  unreadable   \(undecodable)") }
        if batches > 0 { lines.append("  changes      \(changes) in \(Summary.counted(batches, "batch", "batches"))") }
        if gaps > 0 {
            let loss = lost > 0 ? "at least \(lost) lost" : repairs < gaps ? "loss unknown" : "all refetched"
            lines.append(
                "  gaps         \(gaps), \(loss)"
                    + (repairs == 0 ? "" : missed == 0 ? ", no message missed" : ", \(missed) missed messages fetched"))
        }
        if denied > 0 { lines.append("  denied       " + Summary.counted(denied, "room")) }
        if reconnects > 0 { lines.append("  reconnects   \(reconnects)") }
        if let text = Summary.text(of: requests) { lines.append("  requests     " + text) }
        if let text = Summary.text(of: model) { lines.append("  model        " + text) }
        return lines
    }

    /// Returns the figures as text, such as `12 answered, p50 8ms, p99 120ms, 3 of them failed (2 timeout, 1 HTTP 503),
    /// 1 without an answer yet`.
    private static func text(of requests: RequestFigures) -> String? {
        guard requests.answered > 0 || requests.open > 0 else { return nil }
        var parts = ["\(requests.answered) answered"]
        for percentile in [50, 99] {
            guard let latency = requests.latency(percentile: percentile) else { continue }
            parts.append("p\(percentile) " + TimeText.span(milliseconds: latency.microseconds / 1000))
        }
        if requests.failed > 0 {
            let reasons = requests.reasons.map { "\($0.count) \($0.name)" }.joined(separator: ", ")
            parts.append("\(requests.failed) of them failed (\(reasons))")
        }
        if requests.open > 0 { parts.append("\(requests.open) without an answer yet") }
        return parts.joined(separator: ", ")
    }

    private var changes: String {
        zip(DiffRow.Operation.allCases, operations).map { "\($0.sign)\($1)" }.joined(separator: " ")
    }

    /// Returns the sizes of the sections, grouped by name: `3 channels, 120 messages in 4 sections`.
    private static func text(of model: [(section: Item.Section, count: Int)]) -> String? {
        var names: [(name: String, rows: Int, sections: Int)] = []
        for (section, count) in model {
            if let index = names.firstIndex(where: { $0.name == section.name }) {
                names[index].rows += count
                names[index].sections += 1
            } else {
                names.append((section.name, count, 1))
            }
        }
        guard !names.isEmpty else { return nil }
        let parts = names.map {
            $0.sections == 1 ? "\($0.rows) \($0.name)" : "\($0.rows) \($0.name) in \($0.sections) sections"
        }
        return parts.joined(separator: ", ")
    }

    private static func counted(_ count: Int, _ one: String, _ many: String? = nil) -> String {
        "\(count) " + (count == 1 ? one : many ?? one + "s")
    }
}

extension Summary {
    /// The maximum number of names listed in each table.
    private static let mostTold = 100

    /// Writes the summary as one line: an object of type `summary` of `schemas/envelope.schema.json`.
    package func write(
        _ requests: RequestFigures, _ sections: [(section: Item.Section, count: Int)], context: String?, words: String?,
        code: Int, filtered: FilterTally, into writer: inout JSONWriter
    ) {
        writer.beginObject()
        writer.member("v", Envelope.version)
        writer.member("type", "summary")
        writer.member("n", 0)
        writer.member("time", TimeText.rfc3339(wall: lastWall))
        writer.member("t_us", lastTime.microseconds)
        writer.member("ctx", orNull: context)
        writer.member("end", orNull: words)
        writer.member("code", code)
        writer.member("duration_us", duration.microseconds)
        writer.member("events", events)
        writer.member("undecodable", undecodable)
        writer.member("gaps", gaps)
        writer.member("lost", lost)
        writer.member("missed", missed)
        writer.member("reconnects", reconnects)
        writer.member("denied", denied)
        writer.member("batches", batches)
        for (key, tally) in [("kinds", kinds), ("rooms", rooms), ("actors", actors), ("unknown", unknownNames)] {
            writer.key(key)
            Self.write(tally, into: &writer)
        }
        write(requests, into: &writer)
        writeChanges(into: &writer)
        write(sections, into: &writer)
        filtered.write(into: &writer)
        writer.endObject()
        writer.endLine()
    }

    private static func write(_ tally: Tally, into writer: inout JSONWriter) {
        let (names, others) = tally.top(mostTold)
        writer.beginObject()
        writer.key("most")
        writer.beginArray()
        for (name, count) in names { write(name, count, into: &writer) }
        writer.endArray()
        writer.member("others", others)
        writer.endObject()
    }

    private static func write(_ name: String, _ count: Int, into writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("name", name)
        writer.member("count", count)
        writer.endObject()
    }

    private func write(_ requests: RequestFigures, into writer: inout JSONWriter) {
        writer.key("requests")
        writer.beginObject()
        writer.member("answered", requests.answered)
        writer.member("failed", requests.failed)
        writer.key("reasons")
        writer.beginArray()
        for reason in requests.reasons { Self.write(reason.name, reason.count, into: &writer) }
        writer.endArray()
        writer.member("open", requests.open)
        writer.member("p50_us", orNull: requests.latency(percentile: 50)?.microseconds)
        writer.member("p99_us", orNull: requests.latency(percentile: 99)?.microseconds)
        writer.endObject()
    }

    private func writeChanges(into writer: inout JSONWriter) {
        writer.key("changes")
        writer.beginObject()
        for (operation, count) in zip(DiffRow.Operation.allCases, operations) {
            writer.key(operation.rawValue)
            writer.integer(count)
        }
        writer.endObject()
    }

    private func write(_ sections: [(section: Item.Section, count: Int)], into writer: inout JSONWriter) {
        writer.key("model")
        writer.beginArray()
        for (section, count) in sections.prefix(Self.mostTold) {
            writer.beginObject()
            writer.member("section", section.text)
            writer.member("rows", count)
            writer.endObject()
        }
        writer.endArray()
    }
}

extension FilterTally {
    /// Writes the tally as the member `filter` of a summary.
    fileprivate func write(into writer: inout JSONWriter) {
        writer.key("filter")
        writer.beginObject()
        writer.member("events", seen.events)
        writer.member("others", seen.others)
        writer.member("sampled_out", sampledOut)
        writer.key("clauses")
        writer.beginArray()
        for share in shares {
            writer.beginObject()
            writer.member("clause", share.clause)
            writer.member("origin", share.origin)
            writer.member("events", share.removed.events)
            writer.member("others", share.removed.others)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
    }
}
