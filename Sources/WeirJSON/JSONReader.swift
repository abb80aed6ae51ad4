public import CWeirJSONScan

/// A cursor over borrowed bytes that reads one JSON text in one pass.
///
/// The reader checks everything it passes over (grammar, UTF-8, escapes, depth), whether a value is read or skipped. A
/// text read to `end()` without an error is therefore valid JSON (RFC 8259). Numbers may be of any size, and a
/// surrogate may stand alone, as JavaScript and Python send them. A number too large for the requested type fails only
/// that read.
///
/// The only state is an offset and the depth; the surrounding bytes show the position within an object or array. A
/// value can therefore be skipped and read later: save `offset` before the value, call `skip()`, and then either call
/// `seek(to:)` or create another reader at that offset. After an error, the offset is at or before the position of the
/// error, and `seek(to:)` makes the reader usable again.
public struct JSONReader: ~Copyable, ~Escapable {
    @usableFromInline let bytes: Span<UInt8>
    @usableFromInline let maximumDepth: Int
    @usableFromInline var position: Int
    /// The number of open arrays and objects that this reader itself has entered.
    @usableFromInline var depth = 0

    /// The offset of the next byte to read, counted from the start of the given bytes.
    @inlinable
    public var offset: Int { position }

    /// The default limit on nesting depth, the same as that of simdjson and most other readers.
    public static var standardDepth: Int { 1024 }
    /// The largest limit on nesting depth for skipping values. Reading a value into memory recurses, so it must use a
    /// lower limit.
    public static var largestDepth: Int { 1 << 16 }

    /// Creates a reader of `bytes` that starts at `offset`.
    ///
    /// `maximumDepth` limits how deep arrays and objects may nest; it is capped at `largestDepth`.
    @inlinable
    @_lifetime(copy bytes)
    public init(_ bytes: Span<UInt8>, at offset: Int = 0, maximumDepth: Int = JSONReader.standardDepth) {
        self.bytes = bytes
        self.position = max(0, min(offset, bytes.count))
        self.maximumDepth = max(0, min(maximumDepth, JSONReader.largestDepth))
    }

    /// Returns the kind of the next value. Consumes the white space before the value, but not the value.
    @inlinable
    public mutating func peek() throws(JSONError) -> JSONKind {
        switch try nextByte() {
        case UInt8(ascii: "\""): .string
        case UInt8(ascii: "{"): .object
        case UInt8(ascii: "["): .array
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): .number
        case UInt8(ascii: "t"), UInt8(ascii: "f"): .bool
        case UInt8(ascii: "n"): .null
        default: throw unexpectedByte()
        }
    }

    /// Consumes any one value and checks it completely. Returns the range of its bytes, without surrounding white
    /// space.
    @discardableResult
    public mutating func skip() throws(JSONError) -> Range<Int> {
        _ = try nextByte()
        let start = position
        let (depth, limit) = (depth, maximumDepth)
        position = try bytes.withUnsafeBufferPointer { (text) throws(JSONError) in
            try JSONScanner(text: text).valueEnd(from: start, depth: depth, limit: limit)
        }
        return start..<position
    }

    /// Consumes any one value, checks it completely, and returns a copy of its text.
    public mutating func raw() throws(JSONError) -> RawJSON { try raw(at: skip()) }

    /// Returns a copy of the text at `range`, which must come from `skip()`.
    public func raw(at range: Range<Int>) -> RawJSON {
        RawJSON(unchecked: bytes.extracting(range).withUnsafeBufferPointer { ArraySlice($0) })
    }

    /// Checks that only white space remains.
    public mutating func end() throws(JSONError) {
        while position < bytes.count {
            guard JSONByte.isSpace(bytes[position]) else { throw JSONError(.trailingBytes, at: position) }
            position += 1
        }
    }

    /// Moves to an offset at which this reader has been before, to read a value again. The depth does not change.
    @inlinable
    public mutating func seek(to offset: Int) { position = max(0, min(offset, bytes.count)) }

    /// A saved position of a reader, with its depth.
    public struct Place: Sendable {
        let position: Int
        let depth: Int
    }

    /// The current position and depth, to return to after an error inside a value.
    public var place: Place { Place(position: position, depth: depth) }

    /// Returns to a saved position and its depth.
    public mutating func seek(to place: Place) { (position, depth) = (place.position, place.depth) }

    /// A new reader of the same bytes, positioned at their start.
    public var fromStart: JSONReader {
        @_lifetime(copy self)
        get { JSONReader(bytes, maximumDepth: maximumDepth) }
    }

    /// Consumes white space and returns the byte after it, without consuming that byte.
    @inlinable
    @inline(__always)
    mutating func nextByte() throws(JSONError) -> UInt8 {
        if position < bytes.count {
            let byte = bytes[position]
            if byte > UInt8(ascii: " ") { return byte }
        }
        return try byteAfterSpace()
    }

    @usableFromInline
    @inline(never)
    mutating func byteAfterSpace() throws(JSONError) -> UInt8 {
        while position < bytes.count {
            if !JSONByte.isSpace(bytes[position]) { return bytes[position] }
            position += 1
        }
        throw JSONError(.unexpectedEnd, at: position)
    }

    /// The error for a byte at the cursor that the grammar does not allow.
    @usableFromInline
    @inline(never)
    func unexpectedByte() -> JSONError {
        position < bytes.count
            ? JSONError(.unexpectedByte(bytes[position]), at: position) : JSONError(.unexpectedEnd, at: position)
    }

    /// The error for a value at the cursor that is not of the `expected` kind.
    @usableFromInline
    @inline(never)
    mutating func mismatch(_ expected: JSONKind) -> JSONError {
        do throws(JSONError) {
            return JSONError(.wrongKind(expected: expected, found: try peek()), at: position)
        } catch {
            return error
        }
    }
}

/// A key, as a location in the bytes that were read.
public struct JSONKey: Sendable, Hashable {
    /// The location of the key's contents.
    public let range: JSONStringRange
    @usableFromInline init(range: JSONStringRange) { self.range = range }
}

/// The location of a string's contents in the bytes that were read, and how they are written.
///
/// Only readers create it, so it proves that the contents have been checked.
public struct JSONStringRange: Sendable, Hashable {
    /// How the contents of a string are written, as far as known.
    @usableFromInline
    enum Form: UInt8, Sendable, Hashable {
        /// ASCII characters only, without any escapes.
        case ascii
        /// Characters without escapes, which may be outside ASCII.
        case characters
        /// Contains backslashes, so the bytes differ from the value.
        case escaped
        /// Contains backslashes, and one of the escapes is a surrogate without its partner.
        case broken
    }

    /// The offsets of the contents, without the quotes.
    public let range: Range<Int>
    @usableFromInline let form: Form

    /// Whether the contents contain a backslash, so that the bytes differ from the value.
    @inlinable
    public var hasEscapes: Bool { form == .escaped || form == .broken }

    /// Whether an escape is a surrogate without its partner, which a `String` cannot hold. The value keeps it as an
    /// escape.
    @inlinable
    public var hasLoneSurrogate: Bool { form == .broken }

    @inlinable
    init(_ range: Range<Int>, _ form: Form) {
        self.range = range
        self.form = form
    }
}

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
