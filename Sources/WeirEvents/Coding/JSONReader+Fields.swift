import WeirJSON

/// The reading functions of the decoders. Values that a backend sends loosely are read leniently here, in one place.
///
/// Each function tries the usual form first and inspects the kind of the value only when that fails: a failure leaves
/// the reader before the value.
extension JSONReader {
    /// Returns the kind of the next value. Afterwards `offset` is the start of that value.
    mutating func kind() throws(Mismatch) -> JSONKind {
        do { return try peek() } catch { throw Mismatch(error) }
    }

    /// Enters an object and returns its start offset.
    @inline(__always)
    mutating func open() throws(Mismatch) -> Int {
        do { try beginObject() } catch { throw Mismatch(error) }
        return offset - 1
    }

    /// Enters an object and returns true. Null and arrays (PHP writes an empty map as `[]`) are
    /// skipped and return false.
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

    /// Returns the next key of the open object, or `nil` at its end.
    @inline(__always)
    mutating func field() throws(Mismatch) -> JSONKey? {
        do { return try nextKey() } catch { throw Mismatch(error) }
    }

    /// Returns whether the next value is null, and skips it if so.
    @inline(__always)
    mutating func isNull() throws(Mismatch) -> Bool {
        do { return try null() } catch { throw Mismatch(error) }
    }

    /// Returns whether the key just read is `name`.
    @inline(__always)
    func isNamed(_ key: JSONKey, _ name: StaticString) -> Bool { matches(key, name) }

    /// Returns whether the next value is written as `[]`, and skips it if so.
    @inline(__always)
    mutating func isEmptyList() -> Bool {
        guard let text = next(2), text[0] == UInt8(ascii: "["), text[1] == UInt8(ascii: "]") else { return false }
        seek(to: offset + 2)
        return true
    }

    /// Enters an array and returns true. Null is skipped and returns false.
    mutating func openListIfAny() throws(Mismatch) -> Bool {
        do {
            if try null() { return false }
            try beginArray()
            return true
        } catch { throw Mismatch(error) }
    }

    /// Returns whether the open array has another element.
    mutating func another() throws(Mismatch) -> Bool {
        do { return try nextElement() } catch { throw Mismatch(error) }
    }

    /// Skips a value and returns its range.
    @discardableResult
    mutating func pass() throws(Mismatch) -> Range<Int> {
        do { return try skip() } catch { throw Mismatch(error) }
    }

    mutating func text() throws(Mismatch) -> String {
        do { return try string() } catch { throw Mismatch(error) }
    }

    /// Reads a string and returns the range of its contents.
    mutating func textRange() throws(Mismatch) -> JSONStringRange {
        do { return try stringRange() } catch { throw Mismatch(error) }
    }

    /// Reads a string and returns the range of its contents, or `nil` for null.
    mutating func textRangeIfAny() throws(Mismatch) -> JSONStringRange? {
        do { return try stringRangeOrNull() } catch { throw Mismatch(error) }
    }

    /// Reads a string; returns `nil` for null.
    mutating func textIfAny() throws(Mismatch) -> String? {
        do { return try stringOrNull() } catch { throw Mismatch(error) }
    }

    /// Reads a string and returns its JSON text as a slice of `payload`; returns `nil` for null.
    mutating func rawIfAny(of payload: ArraySlice<UInt8>) throws(Mismatch) -> RawJSON? {
        do {
            if try null() { return nil }
            let start = offset
            let end = try stringRange().range.upperBound + 1
            return RawJSON(payload, start..<end)
        } catch { throw Mismatch(error) }
    }

    /// Reads an id: a string, or a number as it is written. Null and the empty string, which backends
    /// write for "none", give `nil`.
    mutating func idIfAny() throws(Mismatch) -> EntityID? {
        let id = try id()
        return id.isNone ? nil : id
    }

    /// Reads an id as `idIfAny()` does, but returns `.none` for "none".
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

    /// Reads a UUID in its usual form at the cursor, which needs no further check. For anything else it returns
    /// `nil` and consumes nothing.
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

    /// Reads a list of ids without the empty ones; null counts as an empty list.
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

    /// Returns the number of elements, from the cursor on, that look like UUIDs in their usual form, written one after
    /// the other without white space.
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

    /// Reads a number and cuts off its fraction, if any; returns `nil` for null.
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

    /// Reads a number that is not written as an integer in range.
    private mutating func cutInteger() throws(Mismatch) -> Int64 {
        let start = offset
        do {
            let number = try double()
            if abs(number) < 9.0e18 { return Int64(number) }
        } catch { throw Mismatch(error) }
        throw Mismatch(.json(.invalidNumber), at: start)
    }

    /// Reads a time in seconds or milliseconds, with or without a fraction; returns `nil` for null.
    @inline(__always)
    mutating func timeIfAny() throws(Mismatch) -> Timestamp? {
        try integerIfAny().map { Timestamp(wire: $0) }
    }

    /// Reads a count; returns `nil` for null and 0 for a negative number.
    mutating func countIfAny() throws(Mismatch) -> Int? {
        try integerIfAny().map { Int(clamping: max(0, $0)) }
    }

    /// Reads a Boolean, or a number that is true unless it is 0; returns `nil` for null.
    mutating func flagIfAny() throws(Mismatch) -> Bool? {
        do { return try bool() } catch {
            guard error.found == .null || error.found == .number else { throw Mismatch(error) }
            return try integerIfAny().map { $0 != 0 }
        }
    }

    /// Throws a mismatch unless the text ends here.
    mutating func finish() throws(Mismatch) {
        do { try end() } catch { throw Mismatch(error) }
    }
}

extension JSONError {
    /// The kind of the value found in place of the expected one; `nil` for any other error.
    fileprivate var found: JSONKind? {
        if case .wrongKind(_, let found) = reason { found } else { nil }
    }
}

extension Optional {
    /// Returns the value, or throws a mismatch for the missing `field` of an object that starts at `offset`.
    @inline(__always)
    func required(_ field: StaticString, at offset: Int) throws(Mismatch) -> Wrapped {
        guard let value = self else { throw Mismatch(.missing(field), at: offset) }
        return value
    }
}

extension JSONReader {
    /// Reads a time; returns `nil` for null. The wire's may be a number, that number in quotes, or a
    /// date. Any other text is refused.
    mutating func instantIfAny(_ form: FieldForm) throws(Mismatch) -> Timestamp? {
        if try isNull() { return nil }
        guard form == .wire else { return try loggedTime() }
        guard try kind() == .string else { return try timeIfAny() }
        let start = offset
        let text = try text()
        if text.isEmpty { return nil }
        if let number = Int64(text) { return Timestamp(wire: number) }
        guard let time = Timestamp(iso8601: text) else { throw Mismatch(.unusable("not a time"), at: start) }
        return time
    }

    /// Reads a number, in quotes or not (GroupMe GM-13: `pack_id`, GM-24: `minutes`); returns `nil` for null and for
    /// a text that is not an integer.
    mutating func looseIntegerIfAny() throws(Mismatch) -> Int? {
        guard try kind() == .string else { return try integerIfAny().map { Int(clamping: $0) } }
        return Int(try text())
    }

    /// Reads the next value as its text, without white space and inert on a terminal.
    mutating func keptText() throws(Mismatch) -> RawJSON {
        let range = try pass()
        return compactText(at: range)
    }
}
