import JSONText

/// The reader in the words of the decoders: what a backend sends loosely is read loosely here, in one place.
extension JSONReader {
    /// The kind of the next value; afterwards `offset` is where that value starts.
    mutating func kind() throws(Mismatch) -> JSONKind {
        do { return try peek() } catch { throw Mismatch(error) }
    }

    /// Enters an object and says where it starts.
    mutating func open() throws(Mismatch) -> Int {
        do {
            _ = try peek()
            let start = offset
            try beginObject()
            return start
        } catch { throw Mismatch(error) }
    }

    /// Enters an object. Null and arrays (PHP writes an empty map as `[]`) count as none and are passed over.
    mutating func openIfAny() throws(Mismatch) -> Bool {
        switch try kind() {
        case .null, .array:
            try pass()
            return false
        case .object, .string, .number, .bool:
            _ = try open()
            return true
        }
    }

    /// The next field of the object entered.
    mutating func field() throws(Mismatch) -> JSONKey? {
        do { return try nextKey() } catch { throw Mismatch(error) }
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

    /// A string, or nil for null.
    mutating func textIfAny() throws(Mismatch) -> String? {
        do { return try stringOrNull() } catch { throw Mismatch(error) }
    }

    /// An id: a string, or a number in the text it is written in. Null and the empty string, both written for "none", give nil.
    mutating func idIfAny() throws(Mismatch) -> EntityID? {
        switch try kind() {
        case .null:
            try pass()
            return nil
        case .number:
            return EntityID(utf8: span(at: JSONStringRange(range: try pass(), hasEscapes: false)))
        case .string, .object, .array, .bool:
            let contents = try textRange()
            if contents.hasEscapes { return EntityID(string(at: contents)) }
            return contents.range.isEmpty ? nil : EntityID(utf8: span(at: contents))
        }
    }

    /// A list of ids; null counts as an empty one.
    mutating func ids() throws(Mismatch) -> [EntityID] {
        var ids: [EntityID] = []
        guard try openListIfAny() else { return ids }
        while try another() {
            if let id = try idIfAny() { ids.append(id) }
        }
        return ids
    }

    /// A point in time in seconds or milliseconds, with or without a fraction, or nil for null.
    mutating func timeIfAny() throws(Mismatch) -> Timestamp? {
        switch try kind() {
        case .null:
            try pass()
            return nil
        case .number, .string, .object, .array, .bool:
            return Timestamp(wire: try integer())
        }
    }

    /// A number whose fraction, if any, is cut off.
    mutating func integer() throws(Mismatch) -> Int64 {
        do { return try int64() } catch {
            guard error.reason == .invalidNumber else { throw Mismatch(error) }
            seek(to: error.offset)
        }
        let start = offset
        do {
            let number = try double()
            if abs(number) < 9.0e18 { return Int64(number) }
        } catch { throw Mismatch(error) }
        throw Mismatch(.json(.invalidNumber), at: start)
    }

    /// A count, nil for null; negative ones are read as 0.
    mutating func countIfAny() throws(Mismatch) -> Int? {
        if try kind() == .null {
            try pass()
            return nil
        }
        return Int(clamping: max(0, try integer()))
    }

    /// A Boolean; 0 and 1 count, and nil is null.
    mutating func flagIfAny() throws(Mismatch) -> Bool? {
        switch try kind() {
        case .null:
            try pass()
            return nil
        case .number: return try integer() != 0
        case .bool, .string, .object, .array:
            do { return try bool() } catch { throw Mismatch(error) }
        }
    }

    /// Checks that the text ends here.
    mutating func finish() throws(Mismatch) {
        do { try end() } catch { throw Mismatch(error) }
    }
}

extension Optional {
    /// The value of a field an object cannot do without; the object starts at `offset`.
    func required(_ field: StaticString, at offset: Int) throws(Mismatch) -> Wrapped {
        guard let value = self else { throw Mismatch(.missing(field), at: offset) }
        return value
    }
}
