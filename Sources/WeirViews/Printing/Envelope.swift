import WeirEvents
package import WeirJSON
import WeirModel
import WeirPipeline
import WeirTerminal
package import WeirWire

/// Writes reports as JSON objects, one per line, in the format of `schemas/envelope.schema.json`.
///
/// All objects of one type have the same keys in the same order, with null for unknown values. New versions only add
/// keys.
package struct Envelope: ~Copyable {
    /// The version of the format.
    static let version = 1

    /// The keys of all object types.
    static let members = [
        "v", "type", "n", "time", "t_us", "lag_ms", "conn", "dir", "namespace", "room", "actor", "kind", "event",
        "known",
        "payload", "server_time", "clock_offset_ms", "room_title", "summary", "seq", "caused_by", "diff", "cause",
        "from_us", "to_us", "lost", "counted", "missed", "refetching", "state", "attempt", "target", "eio", "why",
        "retry_in_us", "change",
        "source", "action", "do", "subject", "status", "user", "name", "channel", "channel_name", "thread", "typing",
        "layer", "message", "excerpt", "dropped_before", "ctx", "refetched", "label", "author",
        "resource", "outcome", "took_us", "hole", "ack", "answers", "mentions", "actor_name", "text",
    ]

    /// The writer that holds the output so far.
    package private(set) var writer = JSONWriter()
    /// The names of rooms and people, learnt from the reports so far.
    private(set) var names: KnownNames

    /// Creates an envelope without output.
    package init(knowing names: KnownNames = KnownNames()) { self.names = names }

    /// Appends the object of a report. A notice has an object only when it contains a mark; other notices are for
    /// people.
    package mutating func append(_ stamped: StampedReport, _ mark: ViewMark = ViewMark(), connection: Int) {
        names.learn(from: stamped.report)
        guard mark.isShown else { return }
        switch stamped.report {
        case .event(let event): append(event, stamped, connection, leftOut: mark.leftOut)
        case .diff(let diff): append(diff, stamped)
        case .gap(let gap): append(gap, stamped)
        case .connection(let change): append(change, stamped, connection)
        case .room(let room): append(room, stamped)
        case .action(let action): append(action, stamped)
        case .emit(let emit): append(emit, stamped)
        case .refetch(let refetch): append(refetch, stamped)
        case .typing(let report): append(report, stamped)
        case .undecodable(let failure): append(failure, stamped)
        case .notice(let notice):
            guard let mark = notice.mark else { return }
            append(mark, stamped)
        }
        writer.endObject()
        writer.endLine()
    }

    /// Clears the output and keeps the learnt names.
    package mutating func reset() { writer.reset() }

    private mutating func begin(_ type: String, _ stamped: StampedReport) {
        let stamp = stamped.stamp
        writer.beginObject()
        writer.member("v", Envelope.version)
        writer.member("type", type)
        writer.member("n", stamp.n)
        writer.member("time", TimeText.rfc3339(wall: stamp.wall))
        writer.member("t_us", stamp.time.microseconds)
        writer.member("ctx", orNull: stamped.context)
    }

    private mutating func append(_ mark: Notice.Mark, _ stamped: StampedReport) {
        begin("mark", stamped)
        writer.member("label", mark.label)
        writer.member("author", mark.author)
    }

    private mutating func append(
        _ report: EventReport, _ stamped: StampedReport, _ connection: Int, leftOut: Int
    ) {
        begin("event", stamped)
        writer.member("lag_ms", orNull: stamped.lag)
        writer.member("conn", connection)
        writer.member("dir", "in")
        writer.member("namespace", report.namespace)
        writer.member("room", orNull: report.room)
        writer.member("actor", orNull: report.actor)
        writer.member("kind", report.kind)
        writer.member("event", report.wireName)
        writer.member("known", report.isKnown)
        writer.member("payload", report.payload)
        writer.member("server_time", orNull: report.serverTime.map { TimeText.rfc3339(milliseconds: $0.milliseconds) })
        writer.member("clock_offset_ms", stamped.clockOffset)
        writer.member("room_title", orNull: report.room.flatMap { names.room($0).channel?.title })
        writer.member("summary", report.event.summary)
        writer.member("dropped_before", leftOut)
        writer.member("ack", orNull: report.ackID)
        writer.key("mentions")
        writer.beginArray()
        for mention in report.mentions {
            writer.beginObject()
            writer.member("id", orNull: mention.id)
            writer.member("name", orNull: mention.name)
            writer.endObject()
        }
        writer.endArray()
        writer.member("actor_name", orNull: names.actor(of: report))
        writer.member("text", orNull: report.event.said?.text)
    }

    private mutating func append(_ gap: GapReport, _ stamped: StampedReport) {
        begin("gap", stamped)
        writer.member("cause", gap.cause.rawValue)
        writer.member("from_us", gap.from.microseconds)
        writer.member("to_us", gap.to.microseconds)
        writer.member("lost", orNull: gap.lost)
        writer.member("counted", gap.lost != nil ? "now" : gap.isCountedLater ? "later" : "never")
        writer.member("missed", orNull: gap.missed)
        writer.member("refetching", names: gap.refetching)
        writer.key("hole")
        if let hole = gap.hole { hole.encode(into: &writer) } else { writer.null() }
    }

    private mutating func append(_ change: ConnectionReport, _ stamped: StampedReport, _ connection: Int) {
        begin("conn", stamped)
        var fields = ConnectionFields()
        switch change {
        case .connecting(let attempt, let target):
            fields = ConnectionFields(state: "connecting", attempt: attempt, target: target)
        case .ready(let spoken): fields = ConnectionFields(state: "ready", revision: spoken.revision?.rawValue)
        case .lost(let why, let retryIn):
            fields = ConnectionFields(state: "lost", why: why, retryIn: retryIn?.microseconds)
        }
        writer.member("conn", connection)
        writer.member("state", fields.state)
        writer.member("attempt", orNull: fields.attempt)
        writer.member("target", orNull: fields.target)
        writer.member("eio", orNull: fields.revision)
        writer.member("why", orNull: fields.why)
        writer.member("retry_in_us", orNull: fields.retryIn)
    }

    private struct ConnectionFields {
        var state = ""
        var attempt: Int?
        var target: String?
        var revision: Int?
        var why: String?
        var retryIn: Int64?
    }

    private mutating func append(_ report: RoomReport, _ stamped: StampedReport) {
        begin("room", stamped)
        writer.member("room", report.room)
        writer.member("change", report.change.rawValue)
        writer.member("source", report.source)
        writer.member("why", orNull: report.why)
        writer.member("room_title", orNull: names.room(report.room).channel?.title)
    }

    private mutating func append(_ report: ActionReport, _ stamped: StampedReport) {
        begin("action", stamped)
        let change = report.change
        writer.member("action", report.action.id.description)
        writer.member("do", report.action.operation.name)
        writer.member("state", change.name)
        writer.member("attempt", orNull: change.attempt)
        writer.member("subject", orNull: change.subject?.description)
        writer.member("why", orNull: change.why)
        writer.member("status", orNull: change.status)
        writer.member("retry_in_us", orNull: change.retryIn?.microseconds)
    }

    private mutating func append(_ report: EmitReport, _ stamped: StampedReport) {
        begin("emit", stamped)
        writer.member("dir", "out")
        writer.member("namespace", report.namespace)
        writer.member("event", report.name)
        writer.member("ack", orNull: report.ackID)
        writer.member("answers", report.isAnswer)
        writer.member("state", report.outcome.name)
        writer.key("payload")
        if let answer = report.outcome.answer { writer.inertRaw(answer.arguments) } else { writer.null() }
        writer.member("why", orNull: report.outcome.why)
        writer.member("took_us", report.duration.microseconds)
    }

    private mutating func append(_ report: RefetchReport, _ stamped: StampedReport) {
        begin("refetch", stamped)
        writer.member("resource", report.resource)
        writer.member("outcome", report.outcome.rawValue)
        writer.member("status", orNull: report.status)
        writer.member("caused_by", report.cause)
        writer.member("took_us", report.duration.microseconds)
    }

    private mutating func append(_ report: TypingReport, _ stamped: StampedReport) {
        begin("typing", stamped)
        writer.member("change", report.change.rawValue)
        writer.member("user", report.user.description)
        writer.member("name", orNull: report.name)
        writer.member("channel", report.channel.description)
        writer.member("channel_name", orNull: report.channelName)
        writer.member("thread", orNull: report.thread?.description)
        writer.member("typing", names: report.typing)
    }

    private mutating func append(_ report: UndecodableReport, _ stamped: StampedReport) {
        begin("undecodable", stamped)
        writer.member("layer", report.layer.rawValue)
        writer.member("subject", report.subject)
        writer.member("message", report.message)
        writer.key("excerpt")
        writer.string(utf8: report.excerpt)
    }

    private mutating func append(_ diff: DiffReport, _ stamped: StampedReport) {
        begin("diff", stamped)
        writer.member("seq", diff.sequence)
        writer.member("caused_by", diff.cause)
        writer.member("refetched", names: diff.refetched)
        writer.key("diff")
        writer.beginArray()
        for row in DiffRow.rows(of: diff.batch) { append(row) }
        writer.endArray()
    }

    private mutating func append(_ row: DiffRow) {
        writer.beginObject()
        writer.member("op", row.operation.rawValue)
        writer.member("section", row.item.sectionKey.name)
        writer.member("parent", orNull: row.item.sectionKey.parent?.description)
        writer.member("kind", row.item.id.kind.rawValue)
        writer.member("id", row.item.id.text)
        writer.key("from")
        path(row.from)
        writer.key("to")
        path(row.to)
        writer.key("fields")
        fields(of: row)
        if row.item.id.kind == .message, row.operation != .delete { writeIsRead(row.item) }
        writer.endObject()
    }

    private mutating func writeIsRead(_ message: Item) {
        writer.key("is_read")
        if let isRead = names.isRead(message) { writer.bool(isRead) } else { writer.null() }
    }

    /// Writes the fields of a row: all fields of an inserted row, the changed fields of a changed row (null for a
    /// removed field), and no fields for a deleted row.
    private mutating func fields(of row: DiffRow) {
        writer.beginObject()
        if row.operation == .insert { ItemFacts(row.item).writeFields(into: &writer) }
        for difference in row.differences(ItemFacts(row.item)) {
            writer.key(difference.key)
            if let new = difference.new { writer.raw(new) } else { writer.null() }
        }
        writer.endObject()
    }

    private mutating func path(_ path: SectionPath?) {
        guard let path else { return writer.null() }
        writer.beginArray()
        writer.integer(path.section)
        writer.integer(path.item)
        writer.endArray()
    }
}

/// A projection of the objects of `--format json` to some members, such as `payload.resource.text` or `diff[0].op`. The
/// key of each value is its path; a missing value is null. All lines have the same keys in the same order, for all
/// object types.
public struct EnvelopeFields: Hashable, Sendable {
    /// An error in a list of fields.
    public struct Malformed: Error, Hashable, Sendable {
        /// The error in one sentence, with a suggestion if there is one.
        public var message: String
    }

    /// A member of the object, and the path inside its value.
    private struct Field: Hashable {
        var name: String
        var member: String
        var path: JSONPath
    }

    /// The names that a list may contain. A path may follow a name.
    public static var memberNames: [String] { Envelope.members }

    private var fields: [Field] = []

    /// Parses a comma-separated list of names and paths.
    public init(_ text: String) throws(Malformed) {
        for name in text.split(separator: ",", omittingEmptySubsequences: false).map(Self.trimmed) {
            // Filters and templates use the name `title` for the same member.
            let asked = String(name.prefix { $0 != "." && $0 != "[" })
            let member = asked == "title" ? "room_title" : asked
            guard Envelope.members.contains(member) else {
                throw Malformed(
                    message: "unknown member '\(TerminalText.truncated(member, to: 40))'"
                        + Suggestion.phrase(for: member, among: Envelope.members))
            }
            guard let path = JSONPath(name.dropFirst(asked.count), beginsInArguments: member == "payload") else {
                throw Malformed(
                    message: "invalid path '\(TerminalText.truncated(name, to: 60))'; \(JSONPath.hint)")
            }
            fields.append(Field(name: name, member: member, path: path))
        }
    }

    private static func trimmed(_ text: Substring) -> String {
        String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }

    /// Appends the projection of one object as a line.
    func append(_ object: RawJSON, to writer: inout JSONWriter) {
        writer.beginObject()
        for field in fields {
            writer.key(field.name)
            if let value = JSONPath(key: field.member).value(in: object).flatMap({ field.path.value(in: $0) }) {
                writer.raw(value)
            } else {
                writer.null()
            }
        }
        writer.endObject()
        writer.endLine()
    }
}

// The single facts of an action's change, for the printers. A fact is `nil` when the change does not have it.
extension ActionReport.Change {
    /// The change as one word, for the member `state` of the JSON form.
    var name: String {
        switch self {
        case .queued: "queued"
        case .sending: "sending"
        case .done: "done"
        case .refused: "refused"
        case .delayed: "delayed"
        case .dropped: "dropped"
        }
    }

    var attempt: Int? { if case .sending(let attempt) = self { attempt } else { nil } }

    var subject: EntityID? { if case .done(let subject) = self { subject } else { nil } }

    /// The reason of a refusal or a delay. Untrusted text.
    var why: String? {
        switch self {
        case .refused(let why, _), .delayed(let why, _): why
        case .queued, .sending, .done, .dropped: nil
        }
    }

    var status: Int? { if case .refused(_, let status) = self { status } else { nil } }

    var retryIn: Duration? { if case .delayed(_, let retryIn) = self { retryIn } else { nil } }
}

// The facts of an emit, for the printers.
extension EmitReport {
    /// Whether the emit failed and needs the user's attention.
    package var isProblem: Bool { outcome.why != nil || outcome == .timedOut }

    /// The outcome in one sentence. It may contain untrusted text.
    package var sentence: String {
        let name = name + (ackID.map { " #\($0)" } ?? "")
        let time = TimeText.span(milliseconds: duration.microseconds / 1000)
        return switch outcome {
        case .sent: isAnswer ? "\(name) answered" : "\(name) sent"
        case .answered(let answer): "\(name) after \(time)  \(answer.sized.arguments)"
        case .timedOut: "\(name) was not acknowledged within \(time)"
        case .lost(let why): "\(name) may not have arrived: \(why)"
        case .refused(let why): "\(name) was not sent: \(why)"
        }
    }
}

extension EmitReport.Outcome {
    /// The outcome as one word, for the member `state` of the JSON form.
    package var name: String {
        switch self {
        case .sent: "sent"
        case .answered: "answered"
        case .timedOut: "timed_out"
        case .lost: "lost"
        case .refused: "refused"
        }
    }

    /// The reason of a loss or a refusal. Untrusted text.
    var why: String? {
        switch self {
        case .lost(let why), .refused(let why): why
        case .sent, .answered, .timedOut: nil
        }
    }

    /// The answer, with its binary attachments in the arguments; `nil` without an answer.
    package var answer: SocketIO.Acknowledgement? { if case .answered(let answer) = self { answer.whole } else { nil } }
}

extension SocketIO.Acknowledgement {
    /// Returns the answer as a JSON array in the form of an event: the name, then the arguments. Filters can read that
    /// form.
    func event(named name: String) -> RawJSON {
        var writer = JSONWriter()
        writer.beginArray()
        writer.string(name)
        for value in values { writer.raw(value) }
        writer.endArray()
        return RawJSON(unchecked: writer.bytes[...])
    }
}
