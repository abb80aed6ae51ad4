import WeirJSON
import WeirWire

@testable import WeirRecording

/// Generates records of every kind that callers append, from a seed.
struct RecordGenerator {
    var random: RandomSource

    init(seed: UInt64) { random = RandomSource(seed: seed) }

    mutating func record() -> Record {
        switch Int.random(in: 0..<15, using: &random) {
        case 0: connection()
        case 1, 2, 3: frame()
        case 4: http()
        case 5: subscription()
        case 6: gap()
        case 7: .token(Record.TokenRecord(renewed: Bool.random(using: &random)))
        case 8: action()
        case 9: .memory(Record.MemoryRecord(user: text(), rows: bytes()))
        case 10:
            .mark(Record.MarkRecord(label: text(), author: optional { $0.text() }, colour: optional { $0.text() }))
        case 11: state()
        case 12:
            .clock(Record.ClockRecord(step: optional { -$0.wide() }, serverOffset: optional { $0.wide() }))
        case 13: .note(Record.NoteRecord(level: text(), message: text()))
        default: unknown()
        }
    }

    private mutating func state() -> Record {
        .state(
            Record.StateRecord(
                after: number(), checksum: random.next(), checksumVersion: Int.random(in: 1...9, using: &random),
                sections: number(), items: number()))
    }

    private mutating func connection() -> Record {
        .connection(
            Record.ConnectionRecord(
                connection: number(), state: element(of: Record.ConnectionRecord.State.allCases),
                url: optional { $0.text() },
                attempt: optional { $0.number() }, code: optional { $0.number() }, phase: optional { $0.text() },
                why: optional { $0.text() },
                retry: optional { $0.element(of: ["later", "at-once", "eio3", "eio4", "never"]) },
                next: optional { $0.wide() }, spoken: optional { $0.text() }, transport: optional { $0.text() },
                session: optional { $0.text() }, resumed: optional { $0.resumption() }))
    }

    private mutating func resumption() -> Record.Resumption {
        Record.Resumption(
            session: optional { $0.text() }, offset: optional { $0.text() }, isRecovered: Bool.random(using: &random))
    }

    private mutating func frame() -> Record {
        let message: WebSocketMessage =
            switch Int.random(in: 0..<4, using: &random) {
            case 0: .binary(bytes()[...])
            // Text that is not UTF-8 must be kept, too: the peer sent it.
            case 1: .text(bytes()[...])
            default: .text(text())
            }
        return .frame(
            Record.FrameRecord(
                connection: number(), direction: element(of: Record.FrameRecord.Direction.allCases), message: message,
                transport: optional { $0.text() }, isInjected: Bool.random(using: &random),
                isDropped: Bool.random(using: &random)))
    }

    private mutating func http() -> Record {
        let phase: Record.HTTPRecord.Phase =
            switch Int.random(in: 0..<3, using: &random) {
            case 0: .request(method: "POST", url: text(), body: body())
            case 1: .response(status: number(), body: body(), retryAfter: optional { $0.number() })
            default: .failure(kind: "timeout", message: text())
            }
        return .http(
            Record.HTTPRecord(connection: number(), id: number(), phase: phase, cause: optional { $0.number() }))
    }

    private mutating func subscription() -> Record {
        .subscription(
            Record.SubscriptionRecord(
                act: element(of: Record.SubscriptionRecord.Act.allCases), room: text(), source: optional { $0.text() },
                why: optional { $0.text() }, span: optional { .microseconds($0.number() % 1_000_000_000) },
                since: optional { Int64($0.number() % 1_000_000_000) },
                rivals: (0..<Int.random(in: 0..<3, using: &random)).map { _ in text() },
                connection: optional { $0.number() }))
    }

    private mutating func gap() -> Record {
        .gap(
            Record.GapRecord(
                why: text(), from: optional { $0.moment() }, to: optional { $0.moment() },
                lost: optional { $0.number() },
                recovered: optional { Bool.random(using: &$0.random) },
                actions: (0..<Int.random(in: 0..<4, using: &random)).map { _ in text() },
                connection: optional { $0.number() }))
    }

    private mutating func action() -> Record {
        var json = JSONWriter()
        json.value(.object([.init("id", .string(text())), .init("asked", .integer(Int64(number())))]))
        return .action(
            Record.ActionRecord(
                act: element(of: Record.ActionRecord.Act.allCases), what: RawJSON(unchecked: json.bytes[...])))
    }

    /// The writer assigns the number and times; `stamped(_:_:)` returns the expected result.
    private mutating func unknown() -> Record {
        var json = JSONWriter()
        json.beginObject()
        json.key("label")
        json.string(text())
        json.key("by")
        json.value(.array([.integer(Int64(number())), .null, .object([.init("a b", .number(1.5))])]))
        json.endObject()
        return .unknown(kind: "poll", text: RawJSON(unchecked: json.bytes[...]))
    }

    private mutating func body() -> [UInt8] { Bool.random(using: &random) ? Array(text().utf8) : bytes() }

    private mutating func bytes() -> [UInt8] {
        (0..<Int.random(in: 0..<40, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
    }

    /// Text with everything that is difficult for terminals, JSON and UTF-8.
    mutating func text() -> String {
        let pieces = [
            "a", "room", "42[\"message\",{\"a\":1}]", "\"", "\\", "/", "\n", "\r\n", "\t", "\u{0}", "\u{1B}[31m",
            "\u{7F}", "\u{9B}",
            "\u{202E}", "\u{2066}", "\u{200B}", "\u{FEFF}", "\u{2028}", "é", "e\u{301}", "日本語", "👩‍👩‍👧", "𝄞", "\u{FFFD}",
            "\u{FFFF}", "\u{10FFFF}",
            "\\u0041", "\\ud83d", "‹redacted›", "{\"k\":\"end\"}", String(repeating: "x", count: 40),
        ]
        return (0..<Int.random(in: 0..<12, using: &random)).map { _ in element(of: pieces) }.joined()
    }

    mutating func number() -> Int {
        let bits = Int.random(in: 0...53, using: &random)
        return Int.random(in: 0...(1 << bits), using: &random)
    }

    private mutating func wide() -> Int64 { Int64(number()) }

    private mutating func moment() -> Moment { Moment(microseconds: Int64(number())) }

    private mutating func optional<Value>(_ make: (inout RecordGenerator) -> Value) -> Value? {
        Bool.random(using: &random) ? make(&self) : nil
    }

    private mutating func element<Value>(of values: [Value]) -> Value {
        values[Int.random(in: 0..<values.count, using: &random)]
    }
}

/// The expected record after reading: an unknown one has received its number and times.
func stamped(_ record: Record, n: Int, time: Moment, wall: String) throws -> Record {
    guard case .unknown(let kind, let text) = record, case .object(let members) = try JSONValue(parsing: text.bytes)
    else {
        return record
    }
    var json = JSONWriter()
    let own: [JSONValue.Member] = [
        .init("k", .string(kind)), .init("n", .integer(Int64(n))), .init("t", .integer(time.microseconds)),
        .init("w", .string(wall)),
    ]
    json.value(.object(own + members))
    return .unknown(kind: kind, text: RawJSON(unchecked: json.bytes[...]))
}

/// The head that tests use by default.
let testHead = Record.Head(
    recording: "0123456789abcdef0123456789abcdef", wallStart: 1_767_323_045_123_456, tool: "weir 0.1.0", seed: .max,
    session: RawJSON(unchecked: ArraySlice(#"{"backend":"socketio"}"#.utf8)))

/// The bytes of the recording that `make` writes, read back from the file.
func recording(
    head: Record.Head = testHead, secrets: [Secret] = [], durability: RecordingWriter.Durability = .never,
    _ make: (inout RecordingWriter) throws -> Void = { _ in }
) throws -> [UInt8] {
    try withTemporaryFolder { folder in
        let path = folder + "/test.weir.jsonl"
        var writer = try RecordingWriter(creating: path, head: head, secrets: secrets, durability: durability)
        try make(&writer)
        try writer.close(why: .closed, at: Stamp(n: 0, time: .zero, wall: testHead.wallStart))
        return try contents(of: path)
    }
}

/// All entries that a reader yields for `bytes`.
func entries(of bytes: [UInt8]) throws -> [RecordingReader.Entry] {
    var reader = try RecordingReader(bytes: bytes)
    var entries: [RecordingReader.Entry] = []
    while let entry = try reader.next() { entries.append(entry) }
    return entries
}

/// The records among the entries, without those that the writer adds.
func records(_ entries: [RecordingReader.Entry]) -> [Record] {
    entries.compactMap { entry in
        guard case .record(let record, _) = entry else { return nil }
        switch record {
        case .sync, .index, .end: return nil
        default: return record
        }
    }
}

/// A changed line with a recomputed checksum.
func summed(_ line: String) -> String {
    var bytes = Array(line.utf8.dropLast(LineChecksum.bytes))
    LineChecksum.close(&bytes)
    return String(decoding: bytes, as: UTF8.self)
}

/// The lines of a file, without their line feeds.
func lines(of bytes: [UInt8]) -> [String] {
    bytes.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
}
