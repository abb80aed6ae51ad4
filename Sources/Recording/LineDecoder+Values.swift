import JSONText
import Wire

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
