import CJSONScan

extension JSONWriter {
    /// Writes an integer as the next value.
    @inline(never)
    public mutating func integer(_ value: Int64) {
        next += json_integer(next, value)
        put(UInt8(ascii: ","))
    }
    /// Writes an integer member. The key must need no escapes.
    @inlinable
    @inline(__always)
    public mutating func member(_ name: StaticString, integer value: Int64) {
        put(key: name)
        integer(value)
    }
    /// Writes an integer as the next value.
    @inlinable
    @inline(__always)
    public mutating func integer(_ value: Int) { integer(Int64(value)) }
    /// Writes an integer of any other type. Slower than the overload for `Int64`.
    @_disfavoredOverload
    public mutating func integer(_ value: some BinaryInteger) {
        if let value = Int64(exactly: value) { return integer(value) }
        append(String(value))
    }
    /// Writes a finite number in the shortest form that reads back as the same number.
    public mutating func number(_ value: Double) {
        precondition(value.isFinite, "JSON has no way to write a number that is not finite")
        append(value.description)
    }

    /// Writes a UUID as a string in its usual lower-case form. `high` and `low` are its halves, big-endian.
    public mutating func uuid(_ high: UInt64, _ low: UInt64) {
        next[0] = UInt8(ascii: "\"")
        json_uuid(next + 1, high, low)
        next += 37
        endString()
    }
    /// Writes a UUID member. The key must need no escapes.
    @inlinable
    @inline(__always)
    public mutating func member(_ name: StaticString, uuid high: UInt64, _ low: UInt64) {
        put(key: name)
        uuid(high, low)
    }

    /// Writes a value as a string of 16 lower-case hexadecimal digits. Readers that store numbers as floating point
    /// cannot hold 64 bits.
    public mutating func hexadecimal(_ value: UInt64) {
        next[0] = UInt8(ascii: "\"")
        json_hexadecimal(next + 1, value)
        next += 17
        endString()
    }

    /// Appends a number that is already formatted.
    private mutating func append(_ number: String) {
        number.utf8.span.withUnsafeBufferPointer { append($0) }
        put(UInt8(ascii: ","))
    }
}
