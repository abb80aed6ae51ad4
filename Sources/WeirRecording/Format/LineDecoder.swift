import WeirJSON
import WeirWire

/// Why a complete line is not a record.
enum LineFailure: Error {
    case json(JSONError)
    /// A required member is missing, or its value is not usable.
    case lacks(StaticString)
    /// The line differs from what was written.
    case checksum

    var message: String {
        switch self {
        case .json(let error): error.description
        case .lacks(let key): "no usable \"\(key)\""
        case .checksum: "its checksum differs"
        }
    }
}

/// A decoded line, with the members that every kind may have.
struct DecodedLine {
    var record: Record
    /// The record's number and time; `nil` for a head, and for an unknown kind without them.
    var number: Int?
    var time: Moment?
    var wall: Int64?
    /// Whether the line repeats state from before its file (`re`).
    var isRestated = false

    /// Whether the record draws no number and repeats the one before it.
    var repeatsNumber: Bool { isRestated || record.isUnnumbered }
}

/// Decodes one line in one pass. Members with unknown keys are checked and skipped. A known kind with a value unknown
/// to this version (another state, another act) is kept as an unknown record, since a newer minor version may add such
/// values.
struct LineDecoder: ~Copyable, ~Escapable {
    var reader: JSONReader
    let line: Span<UInt8>
    private var number: Int?
    private var time: Moment?
    private var wall: Int64?
    private var isRestated = false
    /// The first required member that is missing.
    private var missing: StaticString?

    @_lifetime(copy line)
    private init(_ line: Span<UInt8>) {
        self.line = line
        reader = JSONReader(line)
    }

    /// Decodes `line`, without its line feed. A line outside the chunks must end with its own checksum. A checksum on
    /// any other line is optional, but it must be right.
    static func decode(_ line: Span<UInt8>) throws(LineFailure) -> DecodedLine {
        let checksum = LineChecksum.finding(in: line)
        if checksum == .wrong { throw .checksum }
        var decoder = LineDecoder(line)
        let record: Record?
        do throws(JSONError) {
            record = try decoder.record()
        } catch {
            throw .json(error)
        }
        guard let record else { throw .lacks(decoder.missing ?? "k") }
        let format = record.format
        if format.isNumbered {
            if decoder.number == nil { throw .lacks("n") }
            if decoder.time == nil { throw .lacks("t") }
        }
        if format.isOutsideChunks, checksum == .none { throw .lacks("sum") }
        return DecodedLine(
            record: record, number: decoder.number, time: decoder.time, wall: decoder.wall,
            isRestated: decoder.isRestated)
    }

    private mutating func record() throws(JSONError) -> Record? {
        try reader.beginObject()
        guard let kind = try kind() else { return nil }
        let record = if let read = Record.readers[kind] { try read(&self) } else { try unknown(kind) }
        try reader.end()
        return record
    }

    /// Reads the record's kind. This writer puts it first; other writers may have changed the order.
    private mutating func kind() throws(JSONError) -> String? {
        let start = reader.offset
        var isFirst = true
        while let key = try reader.nextKey() {
            if reader.matches(key, "k") {
                let kind = try reader.string()
                if !isFirst { reader.seek(to: start) }
                return kind
            }
            try reader.skip()
            isFirst = false
        }
        return nil
    }

    /// Reads a member that every kind may have, and skips any other.
    mutating func other(_ key: JSONKey) throws(JSONError) {
        if reader.matches(key, "n") {
            number = try count()
        } else if reader.matches(key, "t") {
            time = try moment()
        } else if reader.matches(key, "w") {
            wall = try wallClock()
        } else if reader.matches(key, "re") {
            isRestated = try bool() ?? false
        } else {
            try reader.skip()
        }
    }

    /// Notes that `key` is missing when `value` is `nil`.
    mutating func require<Value>(_ value: Value?, _ key: StaticString) -> Value? {
        if value == nil, missing == nil { missing = key }
        return value
    }

    /// Returns the record as unknown text, for a record that this version cannot interpret. The members must have been
    /// read.
    func asUnknown(_ kind: String) -> Record {
        .unknown(kind: kind, text: RawJSON(unchecked: copy(trimmed())[...]))
    }

    private mutating func unknown(_ kind: String) throws(JSONError) -> Record {
        while let key = try reader.nextKey() { try other(key) }
        return asUnknown(kind)
    }

    private func trimmed() -> Range<Int> {
        var range = line.indices
        while let last = range.last, line[last] <= UInt8(ascii: " ") { range = range.lowerBound..<last }
        while let first = range.first, line[first] <= UInt8(ascii: " ") { range = first + 1..<range.upperBound }
        return range
    }

    func copy(_ range: Range<Int>) -> [UInt8] {
        line.extracting(range).withUnsafeBufferPointer { Array($0) }
    }
}

extension LineDecoder {
    /// Reads an integer; returns `nil` for `null`.
    mutating func integer() throws(JSONError) -> Int? {
        if try reader.null() { return nil }
        return Int(exactly: try reader.int64())
    }

    /// Reads an integer from 0 to 2^53; returns `nil` for any other.
    mutating func count() throws(JSONError) -> Int? {
        guard let value = try integer(), value >= 0, value <= RecordFormat.maximumInteger else { return nil }
        return value
    }

    mutating func moment() throws(JSONError) -> Moment? {
        try count().map { Moment(microseconds: Int64($0)) }
    }

    mutating func text() throws(JSONError) -> String? {
        if try reader.null() { return nil }
        return try reader.string()
    }

    mutating func bool() throws(JSONError) -> Bool? {
        if try reader.null() { return nil }
        return try reader.bool()
    }

    /// Reads a connection's number, which is written as a string.
    mutating func connectionNumber() throws(JSONError) -> Int? {
        switch try reader.peek() {
        case .string: Int(try reader.string())
        default: try count()
        }
    }

    mutating func wallClock() throws(JSONError) -> Int64? {
        if try reader.null() { return nil }
        let contents = try reader.stringRange()
        return WallClock.parse(line.extracting(contents.range))
    }

    /// Reads a text payload, byte for byte.
    mutating func textPayload() throws(JSONError) -> [UInt8]? {
        if try reader.null() { return nil }
        let contents = try reader.stringRange()
        guard contents.hasEscapes else { return copy(contents.range) }
        return StringEscapes.resolved(line.extracting(contents.range))
    }

    /// Reads a base64 payload; returns `nil` when it is not base64.
    mutating func binaryPayload() throws(JSONError) -> [UInt8]? {
        if try reader.null() { return nil }
        return Base64.decode(line.extracting(try reader.stringRange().range))
    }

    /// Reads a JSON object and keeps it as text.
    mutating func object() throws(JSONError) -> RawJSON? {
        guard try reader.peek() == .object else {
            try reader.skip()
            return nil
        }
        return RawJSON(unchecked: copy(try reader.skip())[...])
    }
}

extension LineDecoder {
    mutating func frame() throws(JSONError) -> Record? {
        var connection: Int?
        var direction: String?
        var opcode: Int?
        var transport: String?
        var isInjected = false
        var isDropped = false
        var payload = Payload()
        while let key = try reader.nextKey() {
            if reader.matches(key, "c") {
                connection = try connectionNumber()
            } else if reader.matches(key, "d") {
                direction = try text()
            } else if reader.matches(key, "op") {
                opcode = try count()
            } else if reader.matches(key, "tr") {
                transport = try text()
            } else if reader.matches(key, "inj") {
                isInjected = try bool() ?? false
            } else if reader.matches(key, "drop") {
                isDropped = try bool() ?? false
            } else if try !payload.take(key, &self) {
                try other(key)
            }
        }
        guard let connection = require(connection, "c"), let direction = require(direction, "d"),
            let bytes = require(payload.bytes, payload.isBase64 ? "b" : "p")
        else { return nil }
        guard let direction = Record.FrameRecord.Direction(rawValue: direction) else { return asUnknown("f") }
        let message: WebSocketMessage
        switch opcode ?? (payload.isBase64 ? 2 : 1) {
        case 1: message = .text(bytes[...])
        case 2: message = .binary(bytes[...])
        default: return asUnknown("f")
        }
        return .frame(
            Record.FrameRecord(
                connection: connection, direction: direction, message: message, cutFrom: payload.cutFrom,
                transport: transport,
                isInjected: isInjected, isDropped: isDropped))
    }

    mutating func memory() throws(JSONError) -> Record? {
        var user: String?
        var payload = Payload()
        while let key = try reader.nextKey() {
            if reader.matches(key, "user") {
                user = try text()
            } else if try !payload.take(key, &self) {
                try other(key)
            }
        }
        guard let user = require(user, "user"), let bytes = require(payload.bytes, payload.isBase64 ? "b" : "p") else {
            return nil
        }
        return .memory(Record.MemoryRecord(user: user, rows: bytes, cutFrom: payload.cutFrom))
    }

    /// The members of an exchange, before its phase decides which of them apply.
    private struct Exchange {
        var connection: Int?
        var id: Int?
        var phase: String?
        var cause: Int?
        var method: String?
        var url: String?
        var status: Int?
        var retryAfter: Int?
        var failure: String?
        var why: String?
        var payload = Payload()
    }

    mutating func http() throws(JSONError) -> Record? {
        var exchange = Exchange()
        try read(&exchange)
        guard let connection = require(exchange.connection, "c"), let id = require(exchange.id, "id"),
            let phase = require(exchange.phase, "ph")
        else { return nil }
        // An empty body may be left out. A body that is present must be readable.
        guard let body = require(exchange.payload.isPresent ? exchange.payload.bytes : [], "b") else { return nil }
        var record = Record.HTTPRecord(
            connection: connection, id: id, phase: .failure(kind: "", message: ""), cause: exchange.cause)
        record.cutFrom = exchange.payload.cutFrom
        switch phase {
        case "req":
            guard let method = require(exchange.method, "m"), let url = require(exchange.url, "url") else { return nil }
            record.phase = .request(method: method, url: url, body: body)
        case "res":
            guard let status = require(exchange.status, "st") else { return nil }
            record.phase = .response(status: status, body: body, retryAfter: exchange.retryAfter)
        case "err":
            guard let kind = require(exchange.failure, "err") else { return nil }
            record.phase = .failure(kind: kind, message: exchange.why ?? "")
        default: return asUnknown("http")
        }
        return .http(record)
    }

    private mutating func read(_ exchange: inout Exchange) throws(JSONError) {
        while let key = try reader.nextKey() {
            if reader.matches(key, "c") {
                exchange.connection = try connectionNumber()
            } else if reader.matches(key, "id") {
                exchange.id = try count()
            } else if reader.matches(key, "ph") {
                exchange.phase = try text()
            } else if reader.matches(key, "for") {
                exchange.cause = try count()
            } else if reader.matches(key, "m") {
                exchange.method = try text()
            } else if reader.matches(key, "url") {
                exchange.url = try text()
            } else if reader.matches(key, "st") {
                exchange.status = try integer()
            } else if reader.matches(key, "hdr") {
                exchange.retryAfter = try retryAfter()
            } else if reader.matches(key, "err") {
                exchange.failure = try text()
            } else if reader.matches(key, "why") {
                exchange.why = try text()
            } else if try !exchange.payload.take(key, &self) {
                try other(key)
            }
        }
    }

    /// Reads `retry-after`, the only header that is kept; its value is text.
    private mutating func retryAfter() throws(JSONError) -> Int? {
        var seconds: Int?
        try reader.beginObject()
        while let name = try reader.nextKey() {
            if reader.matches(name, "retry-after") {
                seconds = try text().flatMap { Int($0) }
            } else {
                try reader.skip()
            }
        }
        return seconds
    }
}

/// The members of a payload, as they are read.
struct Payload {
    /// The bytes; `nil` when they are missing or unreadable.
    var bytes: [UInt8]?
    /// Whether the record has a `p` or `b` member.
    var isPresent = false
    /// Whether the payload is written in base64.
    var isBase64 = false
    private var length: Int?
    private var isCut = false

    /// The payload's length in bytes before it was cut; `nil` when it is whole.
    var cutFrom: Int? { isCut ? length ?? bytes?.count : nil }

    /// Reads a member of the payload. Returns false when `key` is not one of its members.
    mutating func take(_ key: JSONKey, _ decoder: inout LineDecoder) throws(JSONError) -> Bool {
        if decoder.reader.matches(key, "p") {
            bytes = try decoder.textPayload()
            isPresent = true
        } else if decoder.reader.matches(key, "b") {
            bytes = try decoder.binaryPayload()
            isPresent = true
            isBase64 = true
        } else if decoder.reader.matches(key, "len") {
            length = try decoder.count()
        } else if decoder.reader.matches(key, "cut") {
            isCut = try decoder.bool() ?? false
        } else {
            return false
        }
        return true
    }
}

/// Resolves the escapes of a JSON string.
///
/// `String` could do the same. This type keeps the bytes as bytes and copies eight at a time, since replay spends most
/// of its reading time here.
enum StringEscapes {
    private static let backslash = UInt8(ascii: "\\")

    /// Returns the value of string `contents` that a `JSONReader` has checked. (In unchecked contents a wrong escape
    /// yields arbitrary bytes but never traps.)
    static func resolved(_ contents: Span<UInt8>) -> [UInt8] {
        contents.withUnsafeBytes { source in
            // Eight spare bytes: the loop stores a whole word even if only its start counts. A value is never longer
            // than its spelling.
            [UInt8](unsafeUninitializedCapacity: source.count + 8) { target, count in
                count = resolve(source, into: target)
            }
        }
    }

    private static func resolve(_ source: UnsafeRawBufferPointer, into target: UnsafeMutableBufferPointer<UInt8>) -> Int
    {
        let bytes = UnsafeMutableRawBufferPointer(target)
        var place = 0
        var count = 0
        while place < source.count {
            if source.count &- place >= 8 {
                let word = UInt64(littleEndian: source.loadUnaligned(fromByteOffset: place, as: UInt64.self))
                bytes.storeBytes(of: word.littleEndian, toByteOffset: count, as: UInt64.self)
                let plain = bytesBeforeBackslash(in: word)
                place &+= plain
                count &+= plain
                if plain == 8 { continue }
            } else if source[place] != backslash {
                target[count] = source[place]
                place &+= 1
                count &+= 1
                continue
            }
            // In JSON nested in JSON, nearly all escapes are quotes.
            if place &+ 1 < source.count, source[place &+ 1] == UInt8(ascii: "\"") {
                target[count] = UInt8(ascii: "\"")
                place &+= 2
                count &+= 1
            } else {
                resolveEscape(in: source, &place, to: target, &count)
            }
        }
        return count
    }

    /// Returns how many of the word's eight bytes, in memory order, precede the first backslash.
    private static func bytesBeforeBackslash(in word: UInt64) -> Int {
        let zeroWhereFound = word ^ 0x5C5C_5C5C_5C5C_5C5C
        let marks = (zeroWhereFound &- 0x0101_0101_0101_0101) & ~zeroWhereFound & 0x8080_8080_8080_8080
        return marks.trailingZeroBitCount / 8
    }

    /// Resolves the escape at `place`: one to three bytes from two or six, or four from twelve.
    @inline(never)
    private static func resolveEscape(
        in source: UnsafeRawBufferPointer, _ place: inout Int, to target: UnsafeMutableBufferPointer<UInt8>,
        _ count: inout Int
    ) {
        let letter = place + 1 < source.count ? source[place + 1] : backslash
        if letter == UInt8(ascii: "u") {
            for byte in String(scalar(in: source, &place)).utf8 {
                target[count] = byte
                count += 1
            }
            return
        }
        let value: UInt8
        switch letter {
        case UInt8(ascii: "b"): value = 0x08
        case UInt8(ascii: "f"): value = 0x0C
        case UInt8(ascii: "n"): value = 0x0A
        case UInt8(ascii: "r"): value = 0x0D
        case UInt8(ascii: "t"): value = 0x09
        default: value = letter
        }
        target[count] = value
        count += 1
        place += 2
    }

    /// Returns the character of `\uXXXX`, or of the two that form a surrogate pair.
    private static func scalar(in source: UnsafeRawBufferPointer, _ place: inout Int) -> Unicode.Scalar {
        let first = codeUnit(in: source, at: place)
        place += 6
        if let scalar = Unicode.Scalar(first) { return scalar }
        let second = codeUnit(in: source, at: place)
        guard (0xD800..<0xDC00).contains(first), (0xDC00..<0xE000).contains(second) else { return "\u{FFFD}" }
        place += 6
        return Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)) ?? "\u{FFFD}"
    }

    private static func codeUnit(in source: UnsafeRawBufferPointer, at place: Int) -> UInt32 {
        var unit: UInt32 = 0
        for index in place + 2..<place + 6 where index < source.count {
            unit = unit << 4 | UInt32(source[index].hexValue ?? 0)
        }
        return unit
    }
}
