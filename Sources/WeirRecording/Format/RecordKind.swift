import WeirJSON
import WeirWire

/// The properties of a record's kind in the recording format.
struct RecordKind: Sendable {
    /// The kind's name, the record's `k` member.
    let name: String
    /// Whether the record must have a number and a time.
    var isNumbered = true
    /// Whether the record carries a wall clock.
    var hasWall = true
    /// Whether no chunk counts the record: its line is between two chunks or after the last.
    var isOutsideChunks = false
    /// Whether the record draws no number (`Record.isUnnumbered`).
    var isUnnumbered = false
}

/// The contents of a record: the members that follow the ones common to all kinds.
protocol RecordBody: Sendable {
    static var kind: RecordKind { get }
    func write(into encoder: inout RecordEncoder)
}

extension RecordBody where Self: MemberedObject {
    func write(into encoder: inout RecordEncoder) { writeMembers(into: &encoder) }
}

extension Record {
    /// The record's contents, which write its members.
    var body: any RecordBody {
        switch self {
        case .head(let body): body
        case .connection(let body): body
        case .frame(let body): body
        case .http(let body): body
        case .subscription(let body): body
        case .gap(let body): body
        case .token(let body): body
        case .action(let body): body
        case .memory(let body): body
        case .mark(let body): body
        case .state(let body): body
        case .clock(let body): body
        case .note(let body): body
        case .sync(let body): body
        case .index(let body): body
        case .end(let body): body
        case .unknown(_, let text): UnknownBody(text: text)
        }
    }

    /// The properties of the record's kind.
    var format: RecordKind {
        switch self {
        // Most records are frames. This avoids copying one just to learn its kind.
        case .frame: FrameRecord.kind
        case .unknown(let kind, _): RecordKind(name: kind, isNumbered: false)
        default: type(of: body).kind
        }
    }

    typealias Reader = @Sendable (inout LineDecoder) throws(JSONError) -> Record?

    /// The readers of the known kinds, by name. Kinds with a payload have hand-written readers: such records are
    /// frequent, and their members depend on each other.
    static let readers: [String: Reader] = Dictionary(
        uniqueKeysWithValues: [
            reader(FrameRecord.kind) { (decoder) throws(JSONError) in try decoder.frame() },
            reader(HTTPRecord.kind) { (decoder) throws(JSONError) in try decoder.http() },
            reader(MemoryRecord.kind) { (decoder) throws(JSONError) in try decoder.memory() },
            reader(Record.head), reader(Record.connection), reader(Record.subscription), reader(Record.gap),
            reader(Record.token), reader(Record.action), reader(Record.mark), reader(Record.state),
            reader(Record.clock), reader(Record.note), reader(Record.sync), reader(Record.index), reader(Record.end),
        ])

    private static func reader<Body: RecordBody & MemberedObject>(
        _ record: @escaping @Sendable (Body) -> Record
    ) -> (String, Reader) {
        reader(Body.kind) { (decoder) throws(JSONError) in try decoder.record(Body.kind.name, as: record) }
    }

    private static func reader(_ kind: RecordKind, _ read: @escaping Reader) -> (String, Reader) { (kind.name, read) }
}

/// The members of a record of an unknown kind.
private struct UnknownBody: RecordBody {
    static let kind = RecordKind(name: "", isNumbered: false)
    let text: RawJSON
    func write(into encoder: inout RecordEncoder) { encoder.others(of: text) }
}

extension Record.FrameRecord: RecordBody {
    static let kind = RecordKind(name: "f")
    func write(into encoder: inout RecordEncoder) { encoder.frame(self) }
}

extension Record.HTTPRecord: RecordBody {
    static let kind = RecordKind(name: "http")
    func write(into encoder: inout RecordEncoder) { encoder.http(self) }
}

extension Record.MemoryRecord: RecordBody {
    static let kind = RecordKind(name: "mem")
    func write(into encoder: inout RecordEncoder) {
        encoder.text("user", user)
        encoder.payload(rows[...], cutFrom: cutFrom, isText: true)
    }
}

extension Record.Head: RecordBody, MemberedObject {
    static let kind = RecordKind(name: "head", isNumbered: false, hasWall: false)
    static let blank = Self(
        major: 0, recording: "", wallStart: 0, clock: "", tool: "", redactions: [], seed: 0,
        session: RawJSON(unchecked: ArraySlice("{}".utf8)))
    static let members: [RecordMember<Self>] = [
        RecordMember("fmt") { _, decoder throws(JSONError) in
            try decoder.text() == RecordFormat.name ? .read : .nothing
        } write: { _, encoder in
            encoder.text("fmt", RecordFormat.name)
        }.required(),
        RecordMember("v", at: \.major).required(),
        RecordMember("minor", at: \.minor),
        RecordMember("rec", at: \.recording).required(),
        RecordMember("seg", at: \.segment),
        RecordMember("prev", at: \.previous),
        RecordMember("w0") { head, decoder throws(JSONError) in
            guard let start = try decoder.wallClock() else { return .nothing }
            head.wallStart = start
            return .read
        } write: { head, encoder in
            encoder.wall("w0", head.wallStart)
        }.required(),
        RecordMember("clock", at: \.clock),
        RecordMember("boot", at: \.boot),
        RecordMember("tool", at: \.tool).required(),
        RecordMember("os", at: \.system),
        RecordMember("ctx", at: \.context),
        RecordMember("title", at: \.title),
        RecordMember("tags", at: \.tags),
        RecordMember("idle_limit", at: \.idleLimit) { (decoder) throws(JSONError) in
            try decoder.count().map { Int64($0) }
        },
        RecordMember("redact", at: \.redactions, always: true),
        RecordMember("filter", at: \.filter),
        // For other programs that read the format; this reader ignores it.
        RecordMember("max_payload") { _, decoder throws(JSONError) in
            try decoder.reader.skip()
            return .nothing
        } write: { _, encoder in
            encoder.json.member("max_payload", RecordFormat.maximumPayload)
        },
        // Another major version may describe its session differently, so this member is required only in this version.
        RecordMember("seed") { head, decoder throws(JSONError) in
            guard let seed = try decoder.text().flatMap({ UInt64($0) }) else { return .nothing }
            head.seed = seed
            return .read
        } write: { head, encoder in
            encoder.text("seed", String(head.seed))
        }.required { $0.major == RecordFormat.major },
        RecordMember("session", at: \.session) { (decoder) throws(JSONError) in try decoder.object() }
            .required { $0.major == RecordFormat.major },
    ]
}

extension Record.ConnectionRecord: RecordBody, MemberedObject {
    static let kind = RecordKind(name: "conn")
    static let blank = Self(connection: 0, state: .connecting)
    static let members: [RecordMember<Self>] = [
        .connection({ $0.connection }, set: { $0.connection = $1 }).required(),
        RecordMember("st", at: \.state).required(),
        RecordMember("url", at: \.url, writing: { url, encoder in url.map { encoder.address($0) } }),
        RecordMember("try", at: \.attempt) { (decoder) throws(JSONError) in try decoder.integer() },
        RecordMember("code", at: \.code) { (decoder) throws(JSONError) in try decoder.integer() },
        RecordMember("phase", at: \.phase),
        RecordMember("retry", at: \.retry),
        RecordMember("why", at: \.why),
        RecordMember("next_us", at: \.next) { (decoder) throws(JSONError) in try decoder.count().map { Int64($0) } },
        RecordMember("proto", at: \.spoken),
        RecordMember("tr", at: \.transport),
        RecordMember("sid", at: \.session, writing: { id, encoder in id.map { encoder.alias(of: $0) } }),
        RecordMember("resume", at: \.resumed),
    ]
}

extension Record.Resumption: MemberedObject, MemberValue {
    static let blank = Self(isRecovered: false)
    static let members: [RecordMember<Self>] = [
        RecordMember("pid", at: \.session, writing: { id, encoder in id.map { encoder.alias(of: $0) } }),
        RecordMember("offset", at: \.offset, writing: { id, encoder in id.map { encoder.alias(of: $0) } }),
        RecordMember("recovered", at: \.isRecovered),
    ]
}

extension Record.SubscriptionRecord: RecordBody, MemberedObject {
    static let kind = RecordKind(name: "sub")
    static let blank = Self(act: .want, room: "")
    static let members: [RecordMember<Self>] = [
        .connection({ $0.connection }, set: { $0.connection = $1 }),
        RecordMember("act", at: \.act).required(),
        RecordMember("room", at: \.room).required(),
        RecordMember("src", at: \.source),
        RecordMember("why", at: \.why),
        RecordMember("for_us", at: \.span),
        RecordMember("since_ms", at: \.since),
        RecordMember("rivals", at: \.rivals),
    ]
}

extension Record.GapRecord: RecordBody, MemberedObject {
    static let kind = RecordKind(name: "gap")
    static let blank = Self(why: "")
    static let members: [RecordMember<Self>] = [
        .connection({ $0.connection }, set: { $0.connection = $1 }),
        RecordMember("why", at: \.why).required(),
        RecordMember("from", at: \.from) { (decoder) throws(JSONError) in
            // Rooms of another member may have been without a holder before the recording began, so the time may be negative.
            guard let time = try decoder.integer(), time.magnitude <= RecordFormat.maximumInteger else { return nil }
            return Moment(microseconds: Int64(time))
        },
        RecordMember("to", at: \.to),
        RecordMember("lost", at: \.lost, always: true) { (decoder) throws(JSONError) in try decoder.integer() },
        RecordMember("recovered", at: \.recovered),
        RecordMember("did", at: \.actions),
    ]
}

extension Record.TokenRecord: RecordBody, MemberedObject {
    static let kind = RecordKind(name: "token")
    static let blank = Self(renewed: false)
    static let members: [RecordMember<Self>] = [RecordMember("renewed", at: \.renewed).required()]
}

extension Record.ActionRecord: RecordBody, MemberedObject {
    static let kind = RecordKind(name: "act")
    static let blank = Self(act: .ask, what: RawJSON(unchecked: []))
    static let members: [RecordMember<Self>] = [
        RecordMember("act", at: \.act).required(),
        RecordMember("what", at: \.what).required(),
    ]
}

extension Record.MarkRecord: RecordBody, MemberedObject {
    static let kind = RecordKind(name: "mark")
    static let blank = Self(label: "")
    static let members: [RecordMember<Self>] = [
        RecordMember("label", at: \.label).required(),
        RecordMember("by", at: \.author),
        RecordMember("color", at: \.colour),
    ]
}

extension Record.StateRecord: RecordBody, MemberedObject {
    static let kind = RecordKind(name: "st", hasWall: false, isUnnumbered: true)
    static let blank = Self(after: 0, checksum: 0, checksumVersion: 1, sections: 0, items: 0)
    static let members: [RecordMember<Self>] = [
        RecordMember("at", at: \.after).required(),
        RecordMember("h") { state, decoder throws(JSONError) in
            guard let text = try decoder.text() else { return .nothing }
            // A hash in another form comes from a later version.
            guard let (checksum, version) = versioned(text) else { return .foreign }
            (state.checksum, state.checksumVersion) = (checksum, version)
            return .read
        } write: { state, encoder in
            let digits = Hexadecimal.text(of: state.checksum)
            encoder.text("h", state.checksumVersion == 1 ? digits : "\(state.checksumVersion):\(digits)")
        }.required(),
        RecordMember("sections", at: \.sections),
        RecordMember("items", at: \.items),
    ]

    /// Parses a checksum, with a one-digit version and a colon before it. Version 1 is the bare checksum.
    private static func versioned(_ text: String) -> (checksum: UInt64, version: Int)? {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let digits = parts.last, let checksum = Hexadecimal.value(of: String(digits)) else { return nil }
        if parts.count == 1 { return (checksum, 1) }
        guard parts[0].count == 1, let version = Int(parts[0]), version > 1 else { return nil }
        return (checksum, version)
    }
}

extension Record.ClockRecord: RecordBody, MemberedObject {
    static let kind = RecordKind(name: "clock", isUnnumbered: true)
    static let blank = Self()
    static let members: [RecordMember<Self>] = [
        RecordMember("step_us", at: \.step),
        RecordMember("off_us", at: \.serverOffset),
    ]
}

extension Record.NoteRecord: RecordBody, MemberedObject {
    static let kind = RecordKind(name: "note", isUnnumbered: true)
    static let blank = Self(level: "info", message: "")
    static let members: [RecordMember<Self>] = [
        RecordMember("lvl", at: \.level),
        RecordMember("msg", at: \.message).required(),
    ]
}

extension Record.SyncRecord: RecordBody, MemberedObject {
    static let kind = RecordKind(name: "sync", hasWall: false, isOutsideChunks: true, isUnnumbered: true)
    static let blank = Self(offset: 0, bytes: 0, records: 0, firstTime: .zero, lastTime: .zero, crc: 0)
    static let members: [RecordMember<Self>] = [
        RecordMember("off", at: \.offset).required(),
        RecordMember("bytes", at: \.bytes).required(),
        RecordMember("recs", at: \.records).required(),
        RecordMember("t0", at: \.firstTime).required(),
        RecordMember("t1", at: \.lastTime).required(),
        RecordMember("crc", at: \.crc).required(),
        RecordMember("conns", at: \.connections),
        RecordMember("kinds", at: \.kinds),
    ]
}

extension Record.IndexRecord: RecordBody, MemberedObject {
    static let kind = RecordKind(name: "idx", hasWall: false, isOutsideChunks: true, isUnnumbered: true)
    static let blank = Self(chunks: [], kinds: [])
    static let members: [RecordMember<Self>] = [
        RecordMember("chunks", at: \.chunks, always: true).required(),
        RecordMember("kinds", at: \.kinds, always: true),
        RecordMember("rooms", at: \.rooms),
    ]
}

extension Record.EndRecord: RecordBody, MemberedObject {
    static let kind = RecordKind(name: "end", hasWall: false, isOutsideChunks: true)
    static let blank = Self(why: .closed)
    static let members: [RecordMember<Self>] = [
        RecordMember("why", at: \.why).required(),
        RecordMember("ix", at: \.index),
    ]
}
