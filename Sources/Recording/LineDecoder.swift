import JSONText
import Wire

/// Why a whole line is no record.
enum LineFailure: Error {
    case json(JSONError)
    /// A member that must be there is not, or its value is of no use.
    case lacks(StaticString)
    /// The line is not the one that was written.
    case checksum

    var message: String {
        switch self {
        case .json(let error): error.description
        case .lacks(let key): "no usable \"\(key)\""
        case .checksum: "its checksum differs"
        }
    }
}

/// A line, decoded.
struct DecodedLine {
    var record: Record
    /// Number and time; nil for a head, and for an unknown kind that has none.
    var number: Int?
    var time: Moment?
    var wall: Int64?
    /// Whether the line says again what came before its file (`re`).
    var isRestated = false

    /// Whether the record draws no number, but repeats that of the one before it.
    var repeatsNumber: Bool { isRestated || record.isAside }
}

/// Decodes one line in one pass. Members of unknown keys are checked and passed over; a known kind that says something
/// this version does not know (another state, another act) is kept as unknown, since a newer minor version may add such
/// things.
struct LineDecoder: ~Copyable, ~Escapable {
    var reader: JSONReader
    let line: Span<UInt8>
    private var number: Int?
    private var time: Moment?
    private var wall: Int64?
    private var isRestated = false
    /// The first required member found missing.
    private var missing: StaticString?

    @_lifetime(copy line)
    private init(_ line: Span<UInt8>) {
        self.line = line
        reader = JSONReader(line)
    }

    /// Decodes `line`, given without its line feed. A line that counts to no chunk must have a checksum of itself; one that is there must be
    /// right, whether it is needed or not.
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

    /// The record's kind. It stands first in what we write; others may have changed the order.
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

    /// Reads the members that every kind may have, and passes over unknown ones.
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

    /// Notes that `key` is missing when `value` is nil.
    mutating func require<Value>(_ value: Value?, _ key: StaticString) -> Value? {
        if value == nil, missing == nil { missing = key }
        return value
    }

    /// The record as it stands, for what this version cannot take apart. The members must have been read.
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
