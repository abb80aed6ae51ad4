import JSONText

/// The reader in the words of the decoders: what a backend sends loosely is read loosely here, in one place.
///
/// Each function tries the usual form first and looks at the kind of the value only when that fails: a failure leaves the reader before
/// the value.
extension JSONReader {
    /// The kind of the next value; afterwards `offset` is where that value starts.
    mutating func kind() throws(Mismatch) -> JSONKind {
        do { return try peek() } catch { throw Mismatch(error) }
    }

    /// Enters an object and says where it starts.
    @inline(__always)
    mutating func open() throws(Mismatch) -> Int {
        do { try beginObject() } catch { throw Mismatch(error) }
        return offset - 1
    }

    /// Enters an object. Null and arrays (PHP writes an empty map as `[]`) count as none and are passed over.
    mutating func openIfAny() throws(Mismatch) -> Bool {
        do {
            if try null() { return false }
            try beginObject()
            return true
        } catch {
            guard error.found == .array else { throw Mismatch(error) }
            try pass()
            return false
        }
    }

    /// The next field of the object entered.
    @inline(__always)
    mutating func field() throws(Mismatch) -> JSONKey? {
        do { return try nextKey() } catch { throw Mismatch(error) }
    }

    /// Whether the next value is null, which then is passed over.
    @inline(__always)
    mutating func isNull() throws(Mismatch) -> Bool {
        do { return try null() } catch { throw Mismatch(error) }
    }

    /// Whether the field just read is called `name`.
    @inline(__always)
    func isNamed(_ key: JSONKey, _ name: StaticString) -> Bool { matches(key, name) }

    /// Whether the next value is written `[]`, which then is passed over.
    @inline(__always)
    mutating func isEmptyList() -> Bool {
        guard let text = next(2), text[0] == UInt8(ascii: "["), text[1] == UInt8(ascii: "]") else { return false }
        seek(to: offset + 2)
        return true
    }

    /// Enters an array; null counts as none.
    mutating func openListIfAny() throws(Mismatch) -> Bool {
        do {
            if try null() { return false }
            try beginArray()
            return true
        } catch { throw Mismatch(error) }
    }

    /// Whether the array entered has another element.
    mutating func another() throws(Mismatch) -> Bool {
        do { return try nextElement() } catch { throw Mismatch(error) }
    }

    /// Passes over a value and says where it stood.
    @discardableResult
    mutating func pass() throws(Mismatch) -> Range<Int> {
        do { return try skip() } catch { throw Mismatch(error) }
    }

    /// A string.
    mutating func text() throws(Mismatch) -> String {
        do { return try string() } catch { throw Mismatch(error) }
    }

    /// Where the contents of a string stand.
    mutating func textRange() throws(Mismatch) -> JSONStringRange {
        do { return try stringRange() } catch { throw Mismatch(error) }
    }

    /// Where the contents of a string stand, or nil for null.
    mutating func textRangeIfAny() throws(Mismatch) -> JSONStringRange? {
        do { return try stringRangeOrNull() } catch { throw Mismatch(error) }
    }

    /// A string, or nil for null.
    mutating func textIfAny() throws(Mismatch) -> String? {
        do { return try stringOrNull() } catch { throw Mismatch(error) }
    }

    /// The text of a string, a slice of the payload that is read; nil for null.
    mutating func rawIfAny(of payload: ArraySlice<UInt8>) throws(Mismatch) -> RawJSON? {
        do {
            if try null() { return nil }
            let start = offset
            let end = try stringRange().range.upperBound + 1
            return RawJSON(payload, start..<end)
        } catch { throw Mismatch(error) }
    }

    /// An id: a string, or a number in the text it is written in. Null and the empty string, both written for "none", give nil.
    mutating func idIfAny() throws(Mismatch) -> EntityID? {
        let id = try id()
        return id.isNone ? nil : id
    }

    /// The same with `.none` for "none".
    mutating func id() throws(Mismatch) -> EntityID {
        do {
            if let id = uuid() { return id }
            if try null() { return .none }
            let contents = try stringRange()
            if contents.hasEscapes { return EntityID(string(at: contents)) }
            return EntityID(utf8: span(at: contents))
        } catch {
            guard error.found == .number else { throw Mismatch(error) }
            return EntityID(utf8: span(at: try pass()))
        }
    }

    /// A UUID in its usual form where the reader stands, which needs no other check; nil, and nothing consumed, for anything else.
    @inline(__always)
    private mutating func uuid() -> EntityID? {
        let start = offset
        guard let contents = next(EntityID.uuidLength + 2), contents[0] == UInt8(ascii: "\""),
            contents[EntityID.uuidLength + 1] == UInt8(ascii: "\""),
            let id = EntityID(uuid: contents.extracting(1..<EntityID.uuidLength + 1))
        else { return nil }
        seek(to: start + EntityID.uuidLength + 2)
        return id
    }

    /// A list of ids; null counts as an empty one.
    mutating func ids() throws(Mismatch) -> [EntityID] {
        if isEmptyList() { return [] }
        var ids: [EntityID] = []
        guard try openListIfAny() else { return ids }
        ids.reserveCapacity(countUsualIDs())
        while try another() {
            if let id = try idIfAny() { ids.append(id) }
        }
        return ids
    }

    /// How many elements look like UUIDs in their usual form, one behind the other without white space, from the cursor on.
    private mutating func countUsualIDs() -> Int {
        let (length, quote, start) = (EntityID.uuidLength + 2, UInt8(ascii: "\""), offset)
        defer { seek(to: start) }
        var count = 0
        while let text = next(length + 1), text[0] == quote, text[length - 1] == quote {
            count += 1
            guard text[length] == UInt8(ascii: ",") else { break }
            seek(to: offset + length + 1)
        }
        return count
    }

    /// A number whose fraction, if any, is cut off; nil for null.
    mutating func integerIfAny() throws(Mismatch) -> Int64? {
        do { return try int64() } catch {
            if error.found == .null {
                try pass()
                return nil
            }
            guard error.reason == .invalidNumber else { throw Mismatch(error) }
            return try cutInteger()
        }
    }

    /// A number that is no integer in range as it is written.
    private mutating func cutInteger() throws(Mismatch) -> Int64 {
        let start = offset
        do {
            let number = try double()
            if abs(number) < 9.0e18 { return Int64(number) }
        } catch { throw Mismatch(error) }
        throw Mismatch(.json(.invalidNumber), at: start)
    }

    /// A point in time in seconds or milliseconds, with or without a fraction, or nil for null.
    @inline(__always)
    mutating func timeIfAny() throws(Mismatch) -> Timestamp? {
        try integerIfAny().map { Timestamp(wire: $0) }
    }

    /// A count, nil for null; negative ones are read as 0.
    mutating func countIfAny() throws(Mismatch) -> Int? {
        try integerIfAny().map { Int(clamping: max(0, $0)) }
    }

    /// A Boolean; 0 and 1 count, and nil is null.
    mutating func flagIfAny() throws(Mismatch) -> Bool? {
        do { return try bool() } catch {
            guard error.found == .null || error.found == .number else { throw Mismatch(error) }
            return try integerIfAny().map { $0 != 0 }
        }
    }

    /// Checks that the text ends here.
    mutating func finish() throws(Mismatch) {
        do { try end() } catch { throw Mismatch(error) }
    }
}

extension JSONError {
    /// The kind of the value that stands where another was asked for; nil for any other error.
    fileprivate var found: JSONKind? {
        if case .wrongKind(_, let found) = reason { found } else { nil }
    }
}

extension Optional {
    /// The value of a field an object cannot do without; the object starts at `offset`.
    @inline(__always)
    func required(_ field: StaticString, at offset: Int) throws(Mismatch) -> Wrapped {
        guard let value = self else { throw Mismatch(.missing(field), at: offset) }
        return value
    }
}
