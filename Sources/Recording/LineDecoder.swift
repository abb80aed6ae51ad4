import JSONText
import Wire

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
