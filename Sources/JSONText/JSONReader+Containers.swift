extension JSONReader {
    /// Consumes `{`. Read the members with `nextKey()` until it gives nil.
    @inlinable
    public mutating func beginObject() throws(JSONError) {
        guard try nextByte() == UInt8(ascii: "{") else { throw mismatch(.object) }
        try descend()
    }

    /// Consumes the next key and its colon; nil (and `}` consumed) at the end of the object.
    @inlinable
    public mutating func nextKey() throws(JSONError) -> JSONKey? {
        guard try nextMember(opening: UInt8(ascii: "{")) else { return nil }
        guard try nextByte() == UInt8(ascii: "\"") else { throw unexpectedByte() }
        let contents = try contents()
        guard try nextByte() == UInt8(ascii: ":") else { throw unexpectedByte() }
        position += 1
        return JSONKey(range: contents)
    }

    /// Consumes `[`. Before each element call `nextElement()` until it gives false.
    @inlinable
    public mutating func beginArray() throws(JSONError) {
        guard try nextByte() == UInt8(ascii: "[") else { throw mismatch(.array) }
        try descend()
    }

    /// True when another element follows; false (and `]` consumed) at the end of the array.
    @inlinable
    public mutating func nextElement() throws(JSONError) -> Bool {
        guard try nextMember(opening: UInt8(ascii: "[")) else { return false }
        // What follows a comma must be a value: a closing bracket would otherwise be taken for a second end.
        if try nextByte() == UInt8(ascii: "]") { throw unexpectedByte() }
        return true
    }

    /// Consumes the bracket at the cursor.
    @inlinable
    @inline(__always)
    mutating func descend() throws(JSONError) {
        guard depth < maximumDepth else { throw JSONError(.tooDeep, at: position) }
        depth += 1
        position += 1
    }

    /// Consumes the comma before the next member and says true, or consumes the closing bracket and says false.
    ///
    /// Whether a member came before shows in the byte before the cursor: it is the opening bracket, or the end of a value, which is
    /// never an opening bracket. So nothing has to be kept, and reading can be taken up at any offset.
    @inlinable
    @inline(__always)
    mutating func nextMember(opening: UInt8) throws(JSONError) -> Bool {
        let isFirst = position > 0 && bytes[position - 1] == opening
        let byte = try nextByte()
        // The closing brackets stand two above the opening ones in ASCII.
        if byte == opening + 2 {
            position += 1
            if depth > 0 { depth -= 1 }
            return false
        }
        if isFirst || isAfter(opening) { return true }
        guard byte == UInt8(ascii: ",") else { throw unexpectedByte() }
        position += 1
        return true
    }

    /// Whether only white space, which a `peek()` may have consumed, lies between `opening` and the cursor.
    @inlinable
    @inline(__always)
    func isAfter(_ opening: UInt8) -> Bool {
        position > 0 && bytes[position - 1] <= UInt8(ascii: " ") && isAfterSpace(opening)
    }

    @usableFromInline
    @inline(never)
    func isAfterSpace(_ opening: UInt8) -> Bool {
        var i = position - 1
        while i > 0, JSONByte.isSpace(bytes[i]) { i -= 1 }
        return i >= 0 && bytes[i] == opening
    }
}
