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
