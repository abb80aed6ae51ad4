public import CJSONScan

extension JSONReader {
    /// Consumes `{`. Read the members by calling `nextKey()` until it returns `nil`.
    @inlinable
    public mutating func beginObject() throws(JSONError) {
        guard try nextByte() == UInt8(ascii: "{") else { throw mismatch(.object) }
        try descend()
    }

    /// Consumes the next key and its colon. At the end of the object, consumes `}` and returns `nil`.
    @inlinable
    public mutating func nextKey() throws(JSONError) -> JSONKey? {
        let start = position
        if let contents = bytes.withUnsafeBufferPointer({ Self.compactKey(in: $0, at: start) }) {
            position = contents.upperBound + 2
            return JSONKey(range: JSONStringRange(contents, .ascii))
        }
        if start < bytes.count, bytes[start] == UInt8(ascii: "}") {
            leave()
            return nil
        }
        return try nextKeySlowly()
    }

    /// Returns the range of the next key's contents if it has the most common form: directly after a comma or the
    /// opening brace, without white space or escapes. Returns `nil` for any other form.
    @inlinable
    @inline(__always)
    static func compactKey(in text: UnsafeBufferPointer<UInt8>, at start: Int) -> Range<Int>? {
        guard let base = text.baseAddress, start > 0, start < text.count - 2 else { return nil }
        let isFirst = base[start - 1] == UInt8(ascii: "{")
        guard isFirst || base[start] == UInt8(ascii: ",") else { return nil }
        let quote = isFirst ? start : start + 1
        guard base[quote] == UInt8(ascii: "\"") else { return nil }
        let end = quote + 1 + json_plain_prefix(base + quote + 1, text.count - quote - 1)
        guard end < text.count - 1, base[end] == UInt8(ascii: "\""), base[end + 1] == UInt8(ascii: ":") else {
            return nil
        }
        return Range(uncheckedBounds: (quote + 1, end))
    }

    @usableFromInline
    @inline(never)
    mutating func nextKeySlowly() throws(JSONError) -> JSONKey? {
        guard try nextMember(opening: UInt8(ascii: "{")) else { return nil }
        guard try nextByte() == UInt8(ascii: "\"") else { throw unexpectedByte() }
        let contents = try contents()
        guard try nextByte() == UInt8(ascii: ":") else { throw unexpectedByte() }
        position += 1
        return JSONKey(range: contents)
    }

    /// Consumes `[`. Call `nextElement()` before each element until it returns false.
    @inlinable
    public mutating func beginArray() throws(JSONError) {
        guard try nextByte() == UInt8(ascii: "[") else { throw mismatch(.array) }
        try descend()
    }

    /// Returns whether another element follows.
    ///
    /// If it returns true, the caller must read or skip that element. If it returns false, the closing `]` has been
    /// consumed.
    @inlinable
    public mutating func nextElement() throws(JSONError) -> Bool {
        let start = position
        guard start > 0, start < bytes.count else { return try nextElementSlowly() }
        let byte = bytes[start]
        if byte == UInt8(ascii: "]") {
            leave()
            return false
        }
        // After an opening bracket, anything may start the first element. After a value, only a comma leads to the next
        // one.
        let before = bytes[start - 1]
        guard before > UInt8(ascii: " "), byte > UInt8(ascii: " ") else { return try nextElementSlowly() }
        if before == UInt8(ascii: "[") { return true }
        guard byte == UInt8(ascii: ",") else { throw unexpectedByte() }
        position = start + 1
        return true
    }

    @usableFromInline
    @inline(never)
    mutating func nextElementSlowly() throws(JSONError) -> Bool { try nextMember(opening: UInt8(ascii: "[")) }

    /// Consumes the opening bracket at the cursor.
    @inlinable
    @inline(__always)
    mutating func descend() throws(JSONError) {
        guard depth < maximumDepth else { throw tooDeep() }
        depth += 1
        position += 1
    }

    @usableFromInline
    @inline(never)
    func tooDeep() -> JSONError {
        bytes.withUnsafeBufferPointer { JSONScanner(text: $0).tooDeep(at: position, limit: maximumDepth) }
    }

    /// Consumes the closing bracket at the cursor.
    @inlinable
    @inline(__always)
    mutating func leave() {
        position += 1
        if depth > 0 { depth -= 1 }
    }

    /// Consumes the comma before the next member and returns true, or consumes the closing bracket and returns false.
    ///
    /// The byte before the cursor shows whether a member came before: it is either the opening bracket or the end of a
    /// value, and a value never ends with an opening bracket. The reader therefore stores no state for this, and
    /// reading can resume at any offset.
    private mutating func nextMember(opening: UInt8) throws(JSONError) -> Bool {
        let isFirst = isAfter(opening)
        let byte = try nextByte()
        // In ASCII, each closing bracket is its opening bracket plus 2.
        if byte == opening + 2 {
            leave()
            return false
        }
        if isFirst { return true }
        guard byte == UInt8(ascii: ",") else { throw unexpectedByte() }
        position += 1
        return true
    }

    /// Whether only white space (which `peek()` may have consumed), or nothing, lies between `opening` and the cursor.
    private func isAfter(_ opening: UInt8) -> Bool {
        var i = position
        while i > 0 {
            i -= 1
            if bytes[i] == opening { return true }
            guard JSONByte.isSpace(bytes[i]) else { return false }
        }
        return false
    }
}
