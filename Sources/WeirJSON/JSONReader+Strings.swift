public import CWeirJSONScan

extension JSONReader {
    /// Consumes a string and returns its value, with escapes resolved.
    @inlinable
    public mutating func string() throws(JSONError) -> String { string(at: try stringRange()) }

    /// Consumes a string and returns the location of its contents, without the quotes and with escapes unresolved.
    @inlinable
    public mutating func stringRange() throws(JSONError) -> JSONStringRange {
        guard try nextByte() == UInt8(ascii: "\"") else { throw mismatch(.string) }
        return try contents()
    }

    /// Consumes a string and returns its value, or consumes `null` and returns `nil`.
    @inlinable
    public mutating func stringOrNull() throws(JSONError) -> String? {
        if try null() { return nil }
        return try string()
    }

    /// Consumes a string and returns the location of its contents, or consumes `null` and returns `nil`.
    @inlinable
    public mutating func stringRangeOrNull() throws(JSONError) -> JSONStringRange? {
        if try null() { return nil }
        return try stringRange()
    }

    /// Returns the value of a string at a location from this reader or another reader of the same bytes.
    @inlinable
    public func string(at contents: JSONStringRange) -> String { Self.string(contents, in: bytes) }

    // Static, on the bytes instead of the reader, so that a caller that only compares need not keep the whole reader in
    // memory.
    @usableFromInline
    @inline(never)
    static func string(_ contents: JSONStringRange, in bytes: Span<UInt8>) -> String {
        precondition(contents.range.upperBound <= bytes.count, "the string is outside the bytes read")
        return bytes.withUnsafeBufferPointer { JSONScanner(text: $0).string(contents) }
    }

    /// Returns the raw bytes of a string, with escapes unresolved.
    @inlinable
    @_lifetime(copy self)
    public func span(at contents: JSONStringRange) -> Span<UInt8> { bytes.extracting(contents.range) }

    /// Returns the bytes at a range that this reader returned.
    @inlinable
    @_lifetime(copy self)
    public func span(at range: Range<Int>) -> Span<UInt8> { bytes.extracting(range) }

    /// Returns the `count` bytes at the cursor, or `nil` if fewer remain. The bytes are not checked.
    @inlinable
    @_lifetime(copy self)
    public func next(_ count: Int) -> Span<UInt8>? {
        bytes.count - position >= count ? bytes.extracting(position..<position + count) : nil
    }

    /// Returns the text of a key that this reader just read, with escapes resolved.
    public func string(_ key: JSONKey) -> String { string(at: key.range) }

    /// Returns whether `key`, which this reader just read, equals `name`. Escapes in the key are resolved.
    @inlinable
    @inline(__always)
    public func matches(_ key: JSONKey, _ name: StaticString) -> Bool { matches(key.range, name) }

    /// Returns whether `key`, which this reader just read, equals `name`. Escapes in the key are resolved.
    package func matches(_ key: JSONKey, text name: String) -> Bool {
        key.range.hasEscapes ? string(key) == name : matches(key.range, text: name)
    }

    /// Returns whether the value of a string that this reader just read equals `name`.
    ///
    /// For a literal, this costs one comparison of lengths and, if they are equal, a few loads.
    @inlinable
    @inline(__always)
    public func matches(_ contents: JSONStringRange, _ name: StaticString) -> Bool {
        if contents.hasEscapes { return Self.resolves(contents, in: bytes, to: name) }
        let range = contents.range
        guard range.count == name.utf8CodeUnitCount else { return false }
        precondition(range.upperBound <= bytes.count, "the string is outside the bytes read")
        return bytes.withUnsafeBufferPointer { text in
            guard let base = text.baseAddress else { return false }
            return json_same_bytes(base + range.lowerBound, name.utf8Start, name.utf8CodeUnitCount)
        }
    }

    /// Returns whether the value of a string that this reader just read equals `value`. Always false for a string with
    /// escapes.
    public func matches(_ contents: JSONStringRange, text value: String) -> Bool {
        let value = value.utf8.span
        guard !contents.hasEscapes, contents.range.count == value.count else { return false }
        let text = span(at: contents)
        return text.withUnsafeBufferPointer { text in
            value.withUnsafeBufferPointer { value in
                guard let text = text.baseAddress, let start = value.baseAddress else { return true }
                return json_same_bytes(text, start, value.count)
            }
        }
    }

    /// Returns whether the bytes at two ranges from this reader are equal.
    public func isSame(_ a: Range<Int>, _ b: Range<Int>) -> Bool {
        guard a.count == b.count else { return false }
        return span(at: a).withUnsafeBufferPointer { a in
            span(at: b).withUnsafeBufferPointer { b in
                guard let start = a.baseAddress, let other = b.baseAddress else { return true }
                return json_same_bytes(start, other, a.count)
            }
        }
    }

    /// Returns whether the bytes at a range from this reader equal `literal`.
    public func isSame(_ range: Range<Int>, _ literal: StaticString) -> Bool {
        guard range.count == literal.utf8CodeUnitCount else { return false }
        return span(at: range).withUnsafeBufferPointer { text in
            guard let start = text.baseAddress else { return true }
            return json_same_bytes(start, literal.utf8Start, text.count)
        }
    }

    /// Returns whether a string with escapes equals `name`.
    @usableFromInline
    @inline(never)
    static func resolves(_ contents: JSONStringRange, in bytes: Span<UInt8>, to name: StaticString) -> Bool {
        let value = string(contents, in: bytes)
        return name.withUTF8Buffer { value.utf8.elementsEqual($0) }
    }

    /// Consumes the string at the cursor. The caller has checked the opening quote.
    @inlinable
    @inline(__always)
    mutating func contents() throws(JSONError) -> JSONStringRange {
        let start = position + 1
        let end = bytes.withUnsafeBufferPointer { text in
            guard let base = text.baseAddress else { return start }
            return start + json_plain_prefix(base + start, text.count - start)
        }
        if end < bytes.count, bytes[end] == UInt8(ascii: "\"") {
            position = end + 1
            return JSONStringRange(Range(uncheckedBounds: (start, end)), .ascii)
        }
        return try contentsWithEscapes()
    }

    @usableFromInline
    @inline(never)
    mutating func contentsWithEscapes() throws(JSONError) -> JSONStringRange {
        let start = position
        let contents = try bytes.withUnsafeBufferPointer { (text) throws(JSONError) in
            try JSONScanner(text: text).contents(from: start)
        }
        position = contents.range.upperBound + 1
        return contents
    }
}

extension Span<UInt8> {
    /// Returns whether the bytes from `place` on begin with `text`. `place` may be the end of the span.
    @inlinable
    @inline(__always)
    package func starts(with text: StaticString, at place: Int = 0) -> Bool {
        let length = text.utf8CodeUnitCount
        guard count - place >= length else { return false }
        return withUnsafeBufferPointer { bytes in
            guard let base = bytes.baseAddress else { return length == 0 }
            return json_same_bytes(base + place, text.utf8Start, length)
        }
    }
}
