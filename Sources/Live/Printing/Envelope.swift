import Events
import JSONText
import Pipeline
import Recording
import SectionedModel
import Wire

/// Writes reports as JSON objects, one a line: the shape of `schemas/envelope.schema.json`.
///
/// All objects of one type have the same keys in the same order, null where nothing is known; keys are only ever added.
struct Envelope: ~Copyable {
    /// The version of the shape.
    static let version = 1

    /// All members of the objects of all types.
    static let members = [
        "v", "type", "n", "time", "t_us", "lag_ms", "conn", "dir", "namespace", "room", "actor", "kind", "event",
        "known",
        "payload", "server_time", "clock_offset_ms", "room_title", "summary", "seq", "caused_by", "diff", "cause",
        "from_us", "to_us", "lost", "refetching", "state", "attempt", "target", "eio", "why", "retry_in_us", "change",
        "source", "action", "do", "subject", "status", "user", "name", "channel", "channel_name", "thread", "typing",
        "layer", "message", "excerpt", "dropped_before", "ctx", "refetched", "label", "author",
        "resource", "outcome", "took_us", "hole", "ack", "answers",
    ]

    /// What has been written.
    private(set) var writer = JSONWriter()
    /// What rooms are called, as far as was written.
    private(set) var rooms: KnownRooms

    /// A text without any object.
    init(knowing rooms: KnownRooms = KnownRooms()) { self.rooms = rooms }

    /// Appends the object of a report; nothing for a notice that tells of no mark: it is for people.
    mutating func append(_ stamped: StampedReport, _ mark: ViewMark = ViewMark(), connection: Int) {
        rooms.learn(from: stamped.report)
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

    /// Forgets what was written, not what was learnt.
    mutating func reset() { writer.reset() }

    private mutating func begin(_ type: String, _ stamped: StampedReport) {
        let stamp = stamped.stamp
        writer.beginObject()
        writer.key("v")
        writer.integer(Envelope.version)
        writer.key("type")
        writer.string(type)
        writer.key("n")
        writer.integer(stamp.n)
        writer.key("time")
        writer.string(TimeText.rfc3339(wall: stamp.wall))
        writer.key("t_us")
        writer.integer(stamp.time.microseconds)
        writer.key("ctx")
        string(stamped.context)
    }

    private mutating func append(_ mark: Notice.Mark, _ stamped: StampedReport) {
        begin("mark", stamped)
        writer.key("label")
        writer.string(mark.label)
        writer.key("author")
        writer.string(mark.author)
    }

    private mutating func append(
        _ report: EventReport, _ stamped: StampedReport, _ connection: Int, leftOut: Int
    ) {
        begin("event", stamped)
        writer.key("lag_ms")
        integer(stamped.lag)
        writer.key("conn")
        writer.integer(connection)
        writer.key("dir")
        writer.string("in")
        writer.key("namespace")
        writer.string(report.namespace)
        writer.key("room")
        string(report.room)
        writer.key("actor")
        string(report.actor)
        writer.key("kind")
        writer.string(report.kind)
        writer.key("event")
        writer.string(report.wireName)
        writer.key("known")
        writer.bool(report.isKnown)
        writer.key("payload")
        writer.inertRaw(report.payload)
        writer.key("server_time")
        string(report.serverTime.map { TimeText.rfc3339(milliseconds: $0.milliseconds) })
        writer.key("clock_offset_ms")
        writer.integer(stamped.clockOffset)
        writer.key("room_title")
        string(report.room.flatMap { rooms.title(of: $0) })
        writer.key("summary")
        writer.string(report.event.summary)
        writer.key("dropped_before")
        writer.integer(leftOut)
        writer.key("ack")
        integer(report.ackID)
    }

    private mutating func append(_ gap: GapReport, _ stamped: StampedReport) {
        begin("gap", stamped)
        writer.key("cause")
        writer.string(gap.cause.rawValue)
        writer.key("from_us")
        writer.integer(gap.from.microseconds)
        writer.key("to_us")
        writer.integer(gap.to.microseconds)
        writer.key("lost")
        integer(gap.lost)
        writer.key("refetching")
        writer.beginArray()
        for resource in gap.refetching { writer.string(resource) }
        writer.endArray()
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
        writer.key("conn")
        writer.integer(connection)
        writer.key("state")
        writer.string(fields.state)
        writer.key("attempt")
        integer(fields.attempt)
        writer.key("target")
        string(fields.target)
        writer.key("eio")
        integer(fields.revision)
        writer.key("why")
        string(fields.why)
        writer.key("retry_in_us")
        integer(fields.retryIn)
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
        writer.key("room")
        writer.string(report.room)
        writer.key("change")
        writer.string(report.change.rawValue)
        writer.key("source")
        writer.string(report.source)
        writer.key("why")
        string(report.why)
    }

    private mutating func append(_ report: ActionReport, _ stamped: StampedReport) {
        begin("action", stamped)
        let change = report.change
        for (key, value) in [("action", report.action.id.description), ("do", report.action.operation.name)] {
            writer.key(key)
            writer.string(value)
        }
        writer.key("state")
        writer.string(change.name)
        writer.key("attempt")
        integer(change.attempt)
        writer.key("subject")
        string(change.subject?.description)
        writer.key("why")
        string(change.why)
        writer.key("status")
        integer(change.status)
        writer.key("retry_in_us")
        integer(change.retryIn?.microseconds)
    }

    private mutating func append(_ report: EmitReport, _ stamped: StampedReport) {
        begin("emit", stamped)
        writer.key("dir")
        writer.string("out")
        writer.key("namespace")
        writer.string(report.namespace)
        writer.key("event")
        writer.string(report.name)
        writer.key("ack")
        integer(report.ackID)
        writer.key("answers")
        writer.bool(report.isAnswer)
        writer.key("state")
        writer.string(report.outcome.name)
        writer.key("payload")
        if let answer = report.outcome.answer { writer.inertRaw(answer.arguments) } else { writer.null() }
        writer.key("why")
        string(report.outcome.why)
        writer.key("took_us")
        writer.integer(report.duration.microseconds)
    }

    private mutating func append(_ report: RefetchReport, _ stamped: StampedReport) {
        begin("refetch", stamped)
        writer.key("resource")
        writer.string(report.resource)
        writer.key("outcome")
        writer.string(report.outcome.rawValue)
        writer.key("status")
        integer(report.status)
        writer.key("caused_by")
        writer.integer(report.cause)
        writer.key("took_us")
        writer.integer(report.duration.microseconds)
    }

    private mutating func append(_ report: TypingReport, _ stamped: StampedReport) {
        begin("typing", stamped)
        writer.key("change")
        writer.string(report.change.rawValue)
        writer.key("user")
        writer.string(report.user.description)
        writer.key("name")
        string(report.name)
        writer.key("channel")
        writer.string(report.channel.description)
        writer.key("channel_name")
        string(report.channelName)
        writer.key("thread")
        string(report.thread?.description)
        writer.key("typing")
        writer.beginArray()
        for name in report.typing { writer.string(name) }
        writer.endArray()
    }

    private mutating func append(_ report: UndecodableReport, _ stamped: StampedReport) {
        begin("undecodable", stamped)
        writer.key("layer")
        writer.string(report.layer.rawValue)
        writer.key("subject")
        writer.string(report.subject)
        writer.key("message")
        writer.string(report.message)
        writer.key("excerpt")
        writer.string(utf8: report.excerpt)
    }

    private mutating func append(_ diff: DiffReport, _ stamped: StampedReport) {
        begin("diff", stamped)
        writer.key("seq")
        writer.integer(diff.sequence)
        writer.key("caused_by")
        writer.integer(diff.cause)
        writer.key("refetched")
        writer.beginArray()
        for resource in diff.refetched { writer.string(resource) }
        writer.endArray()
        writer.key("diff")
        writer.beginArray()
        for row in DiffRow.rows(of: diff.batch) { append(row) }
        writer.endArray()
    }

    private mutating func append(_ row: DiffRow) {
        writer.beginObject()
        writer.key("op")
        writer.string(row.operation.rawValue)
        writer.key("section")
        writer.string(row.item.sectionKey.name)
        writer.key("parent")
        string(row.item.sectionKey.parent?.description)
        writer.key("kind")
        writer.string(row.item.id.kind.rawValue)
        writer.key("id")
        writer.string(row.item.id.text)
        writer.key("from")
        path(row.from)
        writer.key("to")
        path(row.to)
        writer.key("fields")
        fields(of: row)
        writer.endObject()
    }

    /// An inserted row has all its fields, a changed one those that changed (null where one is gone), a deleted one
    /// none.
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

    private mutating func string(_ text: String?) {
        if let text { writer.string(text) } else { writer.null() }
    }

    private mutating func integer(_ number: (some BinaryInteger)?) {
        if let number { writer.integer(number) } else { writer.null() }
    }
}
