import Events
public import Pipeline
import Recording
import SectionedModel
import Wire

/// What a view is to do with a report.
public struct ViewMark: Hashable, Sendable {
    /// Whether it is shown. What is not is still to be known of: it may say what somebody is called.
    public var isShown = true
    /// Whether it is to be pointed out.
    public var isHighlighted = false
    /// Events that were left out by a sample since the one shown before this.
    public var leftOut = 0
    /// Whether it asked for an acknowledgement, and has it.
    var isAnswered = false

    /// As it is.
    public init(isShown: Bool = true) { self.isShown = isShown }
}

/// Asks what a view shows of one report after the other, in their order: what an event causes is judged by the event before it.
///
/// Not for several threads at once.
public struct FilterJudge {
    private let codes: [FilterCode]
    private let highlights: [[FilterCode]]
    private var facts: FilterFacts
    private var sampling: Sampling?
    private var backlog: Backlog?
    /// Of the change that was marked last, the rows that pass; nil where the filter asks for no rows.
    private var passing: [DiffRow]?
    /// What was left out so far, by whom.
    public private(set) var tally: FilterTally

    /// A judge that has seen nothing.
    public init(_ setting: ViewFilter.Setting) { self.init(setting, knowing: KnownNames()) }

    /// A judge that has seen nothing, and knows who and what is called how.
    init(_ setting: ViewFilter.Setting, knowing names: KnownNames) {
        codes = setting.filter.clauses.map { FilterCode($0.expression) }
        highlights = setting.highlights.map { $0.clauses.map { FilterCode($0.expression) } }
        let all = codes + highlights.flatMap { $0 }
        facts = FilterFacts(learns: all.contains { $0.asksForNames }, names)
        sampling = setting.sample.map { Sampling($0) }
        backlog = setting.backlog.map { Backlog(most: $0) }
        tally = FilterTally(setting)
    }

    /// What it knows of names, for a judge that goes on.
    var names: KnownNames { facts.names }

    /// Learns what is called how.
    mutating func learn(from model: SectionedCollection<Item>, of user: String?) {
        facts.names.learn(from: model, of: user)
    }

    /// Begins to count anew; `setting` is the one it judges by.
    mutating func countAnew(_ setting: ViewFilter.Setting) { tally = FilterTally(setting) }

    /// A judge of one filter alone.
    public init(_ filter: Filter) { self.init(ViewFilter.Setting(filter: filter)) }

    /// What a view is to do with the report that comes next.
    public mutating func mark(_ stamped: StampedReport) -> ViewMark {
        facts.begin(stamped)
        defer { facts.end(stamped) }
        var mark = ViewMark()
        tally.see(stamped.report)
        passing = nil
        if !stamped.report.isAlwaysShown {
            var rows: [DiffRow]?
            let clause = refusing(codes, stamped, &rows)
            passing = rows
            if let clause {
                tally.remove(stamped.report, by: clause)
                mark.isShown = false
                sampling?.passOver(stamped.report)
                return mark
            }
            leaveOutBacklog(stamped, &mark)
            sample(stamped, &mark)
        }
        if mark.isShown, !highlights.isEmpty {
            mark.isHighlighted = highlights.contains { refusing($0, stamped) == nil }
        }
        return mark
    }

    /// The report that was marked last, a change, with the rows alone that pass; nil where all of them do. It is no step between two
    /// states any more: it has neither sections nor checksums.
    mutating func part(of stamped: StampedReport) -> StampedReport? {
        guard case .diff(let diff) = stamped.report, let passing, passing.count < facts.rows(of: stamped).count else {
            return nil
        }
        let ids = Set(passing.map(\.item.id))
        let all = diff.batch
        let batch = Batch<Item>(
            deletions: all.deletions.filter { ids.contains($0.element.id) },
            insertions: all.insertions.filter { ids.contains($0.element.id) },
            moves: all.moves.filter { ids.contains($0.new.id) }, updates: all.updates.filter { ids.contains($0.new.id) }
        )
        var part = stamped
        part.report = .diff(
            DiffReport(
                sequence: diff.sequence, cause: diff.cause, batch: batch, refetched: diff.refetched, user: diff.user))
        return part
    }

    /// Whether the filter holds of the report that comes next: also of what is shown whatever it says.
    public mutating func matches(_ stamped: StampedReport) -> Bool {
        facts.begin(stamped)
        defer { facts.end(stamped) }
        tally.look(at: stamped.report)
        return refusing(codes, stamped) == nil
    }

    /// The rows of the report that comes next of which the filter holds: all where it asks for none, and none where the report is no
    /// change. Nil where it does not hold.
    mutating func matchingRows(_ stamped: StampedReport) -> [DiffRow]? {
        facts.begin(stamped)
        defer { facts.end(stamped) }
        tally.look(at: stamped.report)
        var passing: [DiffRow]?
        guard refusing(codes, stamped, &passing) == nil else { return nil }
        return passing ?? facts.rows(of: stamped)
    }

    /// Leaves out the messages that are older than those shown of the time before the run.
    private mutating func leaveOutBacklog(_ stamped: StampedReport, _ mark: inout ViewMark) {
        guard backlog != nil, case .diff = stamped.report, !facts.hasCause(stamped) else { return }
        let rows = passing ?? facts.rows(of: stamped)
        guard let left = backlog?.newest(of: rows, stamped), left.count < rows.count else { return }
        passing = left
        mark.isShown = !left.isEmpty
    }

    private mutating func sample(_ stamped: StampedReport, _ mark: inout ViewMark) {
        guard sampling != nil else { return }
        if case .event = stamped.report {
            mark.isShown = sampling?.takeEvent() ?? true
            if mark.isShown {
                mark.leftOut = sampling?.takeLeftOut() ?? 0
            } else {
                tally.sampledOut += 1
            }
        } else if facts.hasCause(stamped) {
            mark.isShown = sampling?.isLastShown ?? true
        }
    }

    /// The first clause that does not hold; nil when all do. Clauses that ask for rows must hold of one row together.
    private mutating func refusing(_ codes: [FilterCode], _ stamped: StampedReport) -> Int? {
        var rows: [DiffRow]?
        return refusing(codes, stamped, &rows)
    }

    /// The same; `rows` are those that are left, where clauses ask for rows.
    private mutating func refusing(
        _ codes: [FilterCode], _ stamped: StampedReport, _ rows: inout [DiffRow]?
    ) -> Int? {
        guard case .diff = stamped.report else {
            return codes.indices.first { !facts.accepts(codes[$0], stamped) }
        }
        let hasCause = facts.hasCause(stamped)
        for index in codes.indices {
            let code = codes[index]
            if code.isOfRows || code.asksForRowFacts && !hasCause {
                let left = rows ?? facts.rows(of: stamped)
                let passing = left.filter { facts.accepts(code, stamped, row: $0) }
                if passing.isEmpty { return index }
                rows = passing
            } else if !facts.accepts(code, stamped) {
                return index
            }
        }
        return nil
    }
}

extension Report {
    /// What no filter hides: what was lost, what nobody can tell the contents of, and what is said to the user.
    fileprivate var isAlwaysShown: Bool {
        switch self {
        case .gap, .undecodable, .notice: true
        case .event, .diff, .connection, .room, .action, .emit, .refetch, .typing: false
        }
    }
}

/// The newest messages of each room that were said before the run began.
private struct Backlog {
    let most: Int
    /// The times of the newest messages seen so far, in order: at most `most` of each section.
    private var times: [String: [Int64]] = [:]

    init(most: Int) { self.most = most }

    /// The rows without the messages that are too old.
    mutating func newest(of rows: [DiffRow], _ stamped: StampedReport) -> [DiffRow] {
        // On the server's clock.
        let began = (stamped.stamp.wall - stamped.stamp.time.microseconds) / 1000 - stamped.clockOffset
        func age(_ row: DiffRow) -> Int64? {
            guard row.operation == .insert, let said = row.item.saidAt?.milliseconds, said < began else { return nil }
            return said
        }
        for row in rows { if let said = age(row) { note(said, in: row.item.sectionKey.text) } }
        return rows.filter { row in
            guard let said = age(row) else { return true }
            return times[row.item.sectionKey.text]?.first.map { said >= $0 } ?? false
        }
    }

    private mutating func note(_ said: Int64, in section: String) {
        guard most > 0 else { return }
        var newest = times[section] ?? []
        guard newest.count < most || said > newest[0] else { return }
        newest.insert(said, at: newest.firstIndex { $0 >= said } ?? newest.count)
        times[section] = newest.suffix(most)
    }
}

/// One of so many events, evenly.
private struct Sampling {
    private let sample: ViewFilter.Sample
    private var due: Int
    private var leftOut = 0
    /// Whether the event seen last is shown.
    private(set) var isLastShown = true

    init(_ sample: ViewFilter.Sample) {
        self.sample = sample
        // The first event is shown.
        due = sample.of - sample.taken
    }

    mutating func takeEvent() -> Bool {
        due += sample.taken
        isLastShown = due >= sample.of
        if isLastShown { due -= sample.of } else { leftOut += 1 }
        return isLastShown
    }

    /// An event that the filter refused: what it causes is the filter's matter, not the sample's.
    mutating func passOver(_ report: Report) {
        if case .event = report { isLastShown = true }
    }

    mutating func takeLeftOut() -> Int {
        defer { leftOut = 0 }
        return leftOut
    }
}
