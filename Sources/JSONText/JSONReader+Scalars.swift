public import CJSONScan

extension JSONReader {
    /// Consumes an integer that fits `Int64`.
    public mutating func int64() throws(JSONError) -> Int64 {
        let start = position
        let (value, end) = bytes.withUnsafeBufferPointer { JSONScanner(text: $0).shortInteger(at: start) }
        if end > start {
            position = end
            return value
        }
        let number = try number()
        guard number.isInteger, let value = number.int64 else { throw rejected(number) }
        return value
    }

    /// Consumes any number. Throws if it is too large for a finite `Double`.
    public mutating func double() throws(JSONError) -> Double {
        let number = try number()
        let value = bytes.withUnsafeBufferPointer { JSONScanner(text: $0).double(number) }
        guard value.isFinite else { throw rejected(number) }
        return value
    }

    /// Consumes a Boolean: `true` or `false`.
    @inlinable
    public mutating func bool() throws(JSONError) -> Bool {
        switch try nextByte() {
        case UInt8(ascii: "t"):
            try literal("true")
            return true
        case UInt8(ascii: "f"):
            try literal("false")
            return false
        default: throw mismatch(.bool)
        }
    }

    /// Consumes `null` if it is next, and returns whether it was.
    @inlinable
    public mutating func null() throws(JSONError) -> Bool {
        guard try nextByte() == UInt8(ascii: "n") else { return false }
        try literal("null")
        return true
    }

    /// Consumes an integer that fits `Int64`, or consumes `null` and returns `nil`.
    @inlinable
    public mutating func int64OrNull() throws(JSONError) -> Int64? {
        if try null() { return nil }
        return try int64()
    }

    /// Consumes a number, or consumes `null` and returns `nil`.
    @inlinable
    public mutating func doubleOrNull() throws(JSONError) -> Double? {
        if try null() { return nil }
        return try double()
    }

    /// Consumes a Boolean, or consumes `null` and returns `nil`.
    @inlinable
    public mutating func boolOrNull() throws(JSONError) -> Bool? {
        if try null() { return nil }
        return try bool()
    }

    /// Consumes a word whose first letter is at the cursor.
    @inlinable
    @inline(__always)
    mutating func literal(_ word: StaticString) throws(JSONError) {
        let start = position
        let length = word.utf8CodeUnitCount
        let isThere = bytes.withUnsafeBufferPointer { text in
            guard text.count - start >= length, let base = text.baseAddress else { return false }
            return json_same_bytes(base + start, word.utf8Start, length)
        }
        guard isThere else { return try wrongLiteral(word) }
        position = start + length
    }

    @usableFromInline
    @inline(never)
    mutating func wrongLiteral(_ word: StaticString) throws(JSONError) {
        let start = position
        position = try bytes.withUnsafeBufferPointer { (text) throws(JSONError) in
            try JSONScanner(text: text).literalEnd(from: start, word)
        }
    }

    /// Consumes the next value, which must be a number.
    mutating func number() throws(JSONError) -> JSONNumber {
        let byte = try nextByte()
        guard byte == UInt8(ascii: "-") || JSONByte.isDigit(byte) else { throw mismatch(.number) }
        let start = position
        let number = try bytes.withUnsafeBufferPointer { (text) throws(JSONError) in
            try JSONScanner(text: text).number(from: start)
        }
        position = number.range.upperBound
        return number
    }

    /// Moves back to the start of a number that does not fit the requested type, and returns the error.
    private mutating func rejected(_ number: JSONNumber) -> JSONError {
        position = number.range.lowerBound
        return JSONError(.invalidNumber, at: position)
    }
}

extension JSONNumber {
    /// The value of an integer, or `nil` if it does not fit.
    var int64: Int64? {
        if !isNegative { return Int64(exactly: significand) }
        return significand <= Int64.min.magnitude ? Int64(truncatingIfNeeded: 0 &- significand) : nil
    }
}
