import WeirEvents
import WeirJSON
import WeirPipeline
import WeirRegex
import WeirTerminal
import WeirWire

/// The values that a filter tests: those of a report, and those of the event that caused it. Each value is computed
/// only when a test needs it.
struct FilterFacts {
    /// The last event. Its changes come directly after it.
    private var event: SeenEvent?
    /// The names learnt from the changes so far.
    var names: KnownNames
    private let learns: Bool
    private let verdicts = RoomVerdicts()
    /// The rows of the report under test; `nil` until a test needs them.
    private var rows: [DiffRow]?
    /// The printed lines of the report under test; `nil` until a test needs them.
    private var line: [UInt8]?

    /// Creates facts without a report.
    ///
    /// - Parameters:
    ///   - learns: Whether a test needs names.
    ///   - names: The names that are already known.
    init(learns: Bool, _ names: KnownNames) {
        self.learns = learns
        self.names = names
    }

    /// Starts the tests of a report and learns the names in it.
    mutating func begin(_ stamped: StampedReport) {
        if rows != nil { rows = nil }
        if line != nil { line = nil }
        guard case .diff(let diff) = stamped.report else { return }
        if learns { names.learn(from: diff) } else { names.user = diff.user ?? names.user }
    }

    /// Ends the tests of a report. An event may cause the reports after it.
    mutating func end(_ stamped: StampedReport) {
        guard case .event(let report) = stamped.report else { return }
        event = SeenEvent(report: report, stamp: stamped.stamp, clockOffset: stamped.clockOffset)
    }

    /// Returns the rows of a change; empty for other reports.
    mutating func rows(of stamped: StampedReport) -> [DiffRow] {
        guard case .diff(let diff) = stamped.report else { return [] }
        if let rows { return rows }
        let made = DiffRow.rows(of: diff.batch)
        rows = made
        return made
    }

    /// Returns whether the last event caused the report.
    func hasCause(_ stamped: StampedReport) -> Bool {
        guard let event, event.stamp.n > 0 else { return false }
        switch stamped.report {
        case .diff(let diff): return diff.cause == event.stamp.n
        case .typing: return stamped.stamp.n == event.stamp.n
        case .refetch(let refetch): return refetch.cause == event.stamp.n
        case .event, .gap, .connection, .room, .action, .emit, .undecodable, .notice: return false
        }
    }

    // MARK: - Asking

    /// Returns whether a report, or one row of it, satisfies a clause.
    mutating func accepts(_ code: FilterCode, _ stamped: StampedReport, row: DiffRow? = nil) -> Bool {
        var next = FilterCode.Next.test(0)
        while case .test(let index) = next {
            let holds = self.holds(code.steps[index].test, stamped, row)
            next = holds ? code.steps[index].onTrue : code.steps[index].onFalse
        }
        return next == .accept
    }

    private mutating func holds(_ test: FilterMatcher, _ stamped: StampedReport, _ row: DiffRow?) -> Bool {
        switch test.field {
        case .type: test.matches(stamped.report.typeName)
        case .text: holdsOfLine(test, stamped)
        case .diffOperation: row.map { test.matches($0.operation.rawValue) } ?? false
        case .diffSection:
            row.map { test.matches($0.item.sectionKey.name) || test.matches($0.item.sectionKey.text) } ?? false
        case .diffKind: row.map { test.matches($0.item.id.kind.rawValue) } ?? false
        case .diffID: row.map { test.matches($0.item.id.text) } ?? false
        case .time: test.matches(time(of: row, stamped))
        case .isRead: row.flatMap { names.isRead($0.item) }.map { test.matches($0) } ?? false
        case .diffField:
            row.map { row in row.differences(ItemFacts(row.item)).contains { test.matches($0.key) } } ?? false
        case .kind, .room, .actor, .event, .namespace, .direction, .size, .lag, .known, .isUser, .mentions,
            .title, .actorName, .payload:
            switch stamped.report {
            case .event(let report): holds(test, of: report, lag: stamped.lag)
            case .diff: holdsOfCause(test, stamped) ?? holds(test, ofRow: row)
            case .typing(let typing): holds(test, of: typing, stamped)
            case .room(let room): [.room, .title].contains(test.field) && holds(test, ofRoom: room.room)
            case .action: test.field == .direction && test.matches("out")
            case .emit(let emit): holds(test, of: emit)
            case .refetch: holdsOfCause(test, stamped) ?? false
            case .gap, .connection, .undecodable, .notice: false
            }
        }
    }

    private func holds(_ test: FilterMatcher, of report: EventReport, lag: @autoclosure () -> Int64?) -> Bool {
        switch test.field {
        case .kind: test.matches(report.kind)
        case .room, .title: report.room.map { holds(test, ofRoom: $0) } ?? false
        case .actorName:
            (names.actor(of: report) ?? report.actorID).map { test.matches($0) } ?? false
        case .actor:
            report.actor.map { holds(test, ofActor: $0) } ?? false
                || report.actorID.map { holds(test, ofActor: $0) } ?? false
        case .event: test.matches(report.wireName)
        case .namespace: test.matches(report.namespace)
        case .direction: test.matches("in")
        case .size: test.matches(Int64(report.payload.bytes.count))
        case .lag:
            lag().map { test.matches($0.multipliedReportingOverflow(by: 1000).partialValue) } ?? false
        case .known: test.matches(report.isKnown)
        case .isUser: test.matches(isUser(report.actorID ?? report.actor))
        case .mentions: holds(test, ofMentions: report.mentions)
        case .payload: test.matches(report.payload)
        case .type, .text, .isRead, .time, .diffOperation, .diffSection, .diffKind, .diffID, .diffField: false
        }
    }

    private func holds(_ test: FilterMatcher, of emit: EmitReport) -> Bool {
        switch test.field {
        case .direction: test.matches("out")
        case .event: test.matches(emit.name)
        case .namespace: test.matches(emit.namespace)
        case .payload: emit.outcome.answer.map { test.matches($0.event(named: emit.name)) } ?? false
        default: false
        }
    }

    private func holdsOfCause(_ test: FilterMatcher, _ stamped: StampedReport) -> Bool? {
        guard hasCause(stamped), let event else { return nil }
        return holds(test, of: event.report, lag: event.lag)
    }

    /// A change without a causing event has only the kinds of its rows and the mentions in its messages.
    private func holds(_ test: FilterMatcher, ofRow row: DiffRow?) -> Bool {
        guard let row else { return false }
        return switch test.field {
        case .kind: test.matches(row.item.id.kind.rawValue)
        case .mentions: holds(test, ofMentions: row.item.entity.value.mentions)
        default: false
        }
    }

    private func holds(_ test: FilterMatcher, of report: TypingReport, _ stamped: StampedReport) -> Bool {
        switch test.field {
        case .kind: test.matches("typing")
        case .isUser: test.matches(isUser(report.user.description))
        case .actor, .actorName:
            holds(test, ofActor: report.user.description) || report.name.map { test.matches($0) } ?? false
        default: holdsOfCause(test, stamped) ?? false
        }
    }

    /// Returns whether a room matches a test, by its name on the wire or by its display name. The verdicts are cached,
    /// because there are few rooms and their names are long.
    private func holds(_ test: FilterMatcher, ofRoom room: String) -> Bool {
        if case .anything = test.wanted { return true }
        return verdicts.verdict(on: .init(test: ObjectIdentifier(test), room: room), names.revision) {
            let found = names.look(at: room)
            if test.field == .title {
                return found.channel.map { test.matches($0.title) || test.matches($0.label) } ?? false
            }
            // A direct chat matches with `@` and with `#` before its title.
            return test.matches(room) || test.matches(found.label)
                || found.channel.map { test.matches("#" + $0.title) } ?? false
                || test.matches(ShortName.room(room, width: LineSettings().roomWidth(in: nil)))
        }
    }

    /// Returns the time of a row's message, or the time of the report, in milliseconds since 1970.
    private func time(of row: DiffRow?, _ stamped: StampedReport) -> Int64 {
        row?.item.saidAt?.milliseconds ?? stamped.stamp.wall / 1000
    }

    /// Returns whether `id` is the user's; `false` while the user is not known.
    private func isUser(_ id: String?) -> Bool { id != nil && id == names.user }

    private func holds(_ test: FilterMatcher, ofMentions mentions: [Mention]) -> Bool {
        if test.asksForUser, names.isUser(among: mentions) { return true }
        return mentions.contains { mention in
            mention.name.map { test.matches($0) } ?? false || mention.id.map { holds(test, ofActor: $0) } ?? false
        }
    }

    private func holds(_ test: FilterMatcher, ofActor actor: String) -> Bool {
        if test.matches(actor) { return true }
        return names.person(actor).map { test.matches($0) } ?? false
    }

    private mutating func holdsOfLine(_ test: FilterMatcher, _ stamped: StampedReport) -> Bool {
        if case .event(let report) = stamped.report, let said = report.event.said, test.matches(said.text) {
            return true
        }
        let line = line(of: stamped)
        guard !line.isEmpty else { return false }
        if case .pattern(let pattern) = test.wanted { return pattern?.matchesLine(of: line) ?? false }
        return line.split(separator: UInt8(ascii: "\n")).contains { test.matches(String(decoding: $0, as: UTF8.self)) }
    }

    /// Returns the full lines of a report as printed without colours.
    private mutating func line(of stamped: StampedReport) -> [UInt8] {
        if let line { return line }
        var buffer = TerminalBuffer()
        var lines = EventLines(isCompact: true, width: nil)
        lines.names = names
        lines.append(stamped, to: &buffer)
        if buffer.bytes.isEmpty {
            var lines = StatusLines(quiet: false, showsGaps: true, names)
            lines.append(stamped, to: &buffer)
        }
        line = buffer.bytes
        return buffer.bytes
    }
}

/// A cache of the rooms that a test matches. Bounded, because the peer chooses the names of rooms.
private final class RoomVerdicts {
    struct Question: Hashable {
        var test: ObjectIdentifier
        var room: String
    }

    static let maximum = 1000
    private var known: [Question: Bool] = [:]
    private var revision = 0

    /// Returns the cached verdict, or computes it with `decide`. A new name may change any verdict, so another
    /// `revision` clears the cache.
    func verdict(on question: Question, _ revision: Int, _ decide: () -> Bool) -> Bool {
        if revision != self.revision || known.count >= Self.maximum {
            known.removeAll(keepingCapacity: true)
            self.revision = revision
        }
        if let verdict = known[question] { return verdict }
        let verdict = decide()
        known[question] = verdict
        return verdict
    }
}

/// The part of an event that is kept for the reports it causes: its report, and the values that give its lag.
private struct SeenEvent {
    let report: EventReport
    let stamp: Stamp
    let clockOffset: Int64

    var lag: Int64? { StampedReport(stamp: stamp, report: .event(report), clockOffset: clockOffset).lag }
}
