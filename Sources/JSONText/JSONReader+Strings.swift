public import CJSONScan

extension JSONReader {
    /// Consumes a string and gives its value, escapes resolved.
    @inlinable
    public mutating func string() throws(JSONError) -> String { string(at: try stringRange()) }

    /// Consumes a string and gives where its contents stand, without quotes, escapes not resolved.
    @inlinable
    public mutating func stringRange() throws(JSONError) -> JSONStringRange {
        guard try nextByte() == UInt8(ascii: "\"") else { throw mismatch(.string) }
        return try contents()
    }

    /// Consumes a string, or null and gives nil.
    @inlinable
    public mutating func stringOrNull() throws(JSONError) -> String? {
        if try null() { return nil }
        return try string()
    }

    /// Consumes a string and gives where its contents stand, or null and gives nil.
    @inlinable
    public mutating func stringRangeOrNull() throws(JSONError) -> JSONStringRange? {
        if try null() { return nil }
        return try stringRange()
    }

    /// The value of a string whose place this reader, or another over the same bytes, gave.
    @inlinable
    public func string(at contents: JSONStringRange) -> String { Self.string(contents, in: bytes) }

    // Of the bytes, not of the reader: who only looks does not need all of a reader in memory.
    @usableFromInline
    @inline(never)
    static func string(_ contents: JSONStringRange, in bytes: Span<UInt8>) -> String {
        precondition(contents.range.upperBound <= bytes.count, "the string stands outside the bytes read")
        return bytes.withUnsafeBufferPointer { JSONScanner(text: $0).string(contents) }
    }

    /// The bytes of a string as they stand, escapes not resolved.
    @inlinable
    @_lifetime(copy self)
    public func span(at contents: JSONStringRange) -> Span<UInt8> { bytes.extracting(contents.range) }

    /// The bytes at a range this reader gave.
    @inlinable
    @_lifetime(copy self)
    public func span(at range: Range<Int>) -> Span<UInt8> { bytes.extracting(range) }

    /// The `count` bytes at the cursor, nil when there are fewer. They may be anything.
    @inlinable
    @_lifetime(copy self)
    public func next(_ count: Int) -> Span<UInt8>? {
        bytes.count - position >= count ? bytes.extracting(position..<position + count) : nil
    }

    /// The text of a key just read by this reader.
    public func string(_ key: JSONKey) -> String { string(at: key.range) }

    /// Whether `key`, just read by this reader, is `name` (escapes in the key are resolved).
    @inlinable
    @inline(__always)
    public func matches(_ key: JSONKey, _ name: StaticString) -> Bool { matches(key.range, name) }

    /// Whether `key`, just read by this reader, is `name`, escapes resolved.
    package func matches(_ key: JSONKey, text name: String) -> Bool {
        key.range.hasEscapes ? string(key) == name : matches(key.range, text: name)
    }

    /// Whether the value of a string, just read by this reader, is `name`. Given a literal this costs a comparison of lengths and, when they
    /// agree, a few loads.
    @inlinable
    @inline(__always)
    public func matches(_ contents: JSONStringRange, _ name: StaticString) -> Bool {
        if contents.hasEscapes { return Self.resolves(contents, in: bytes, to: name) }
        let range = contents.range
        guard range.count == name.utf8CodeUnitCount else { return false }
        precondition(range.upperBound <= bytes.count, "the string stands outside the bytes read")
        return bytes.withUnsafeBufferPointer { text in
            guard let base = text.baseAddress else { return false }
            return json_same_bytes(base + range.lowerBound, name.utf8Start, name.utf8CodeUnitCount)
        }
    }

    /// Whether the value of a string, just read by this reader, is `value`. False, as well, for one that is written with escapes.
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

    /// Whether the bytes at two ranges this reader gave are the same.
    public func isSame(_ a: Range<Int>, _ b: Range<Int>) -> Bool {
        guard a.count == b.count else { return false }
        return span(at: a).withUnsafeBufferPointer { a in
            span(at: b).withUnsafeBufferPointer { b in
                guard let start = a.baseAddress, let other = b.baseAddress else { return true }
                return json_same_bytes(start, other, a.count)
            }
        }
    }

    /// Whether the bytes at a range this reader gave are those of `literal`.
    public func isSame(_ range: Range<Int>, _ literal: StaticString) -> Bool {
        guard range.count == literal.utf8CodeUnitCount else { return false }
        return span(at: range).withUnsafeBufferPointer { text in
            guard let start = text.baseAddress else { return true }
            return json_same_bytes(start, literal.utf8Start, text.count)
        }
    }

    /// Whether a string with escapes is `name`.
    @usableFromInline
    @inline(never)
    static func resolves(_ contents: JSONStringRange, in bytes: Span<UInt8>, to name: StaticString) -> Bool {
        let value = string(contents, in: bytes)
        return name.withUTF8Buffer { value.utf8.elementsEqual($0) }
    }

    /// Consumes the string at the cursor, whose opening quote is known to be there.
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
