/// Reads one JSON text in one pass, as a cursor over borrowed bytes.
///
/// The reader checks everything it passes over (grammar, UTF-8, escapes, depth), whether the value is taken or skipped, so a text read to
/// `end()` without an error is valid JSON (RFC 8259). A number may be of any size and a surrogate may stand alone, as JavaScript and Python
/// send them; a number too large for the type that is asked for is an error of that read alone.
///
/// What it remembers is one offset and the depth; where it stands in an object or array shows in the bytes around. So a value can be
/// skipped and read later: keep `offset` before the value, `skip()` it, and either `seek(to:)` back or make another reader there.
/// After an error the offset is at or before the place of the error; `seek(to:)` makes the reader usable again.
public struct JSONReader: ~Copyable, ~Escapable {
    @usableFromInline let bytes: Span<UInt8>
    @usableFromInline let maximumDepth: Int
    @usableFromInline var position: Int
    /// How many arrays and objects are open as far as this reader knows: it was told of no others.
    @usableFromInline var depth = 0

    /// The place of the next byte to be read, counted from the start of the bytes given.
    @inlinable
    public var offset: Int { position }

    /// Levels that a value may have where no other limit is said: what simdjson and most readers of the field take.
    public static var standardDepth: Int { 1024 }
    /// Levels that can be passed over. A value is read into memory by recursion, and must have fewer.
    public static var largestDepth: Int { 1 << 16 }

    /// Reads `bytes` from `offset` on. `maximumDepth` bounds nested arrays and objects; at most `largestDepth`.
    @inlinable
    @_lifetime(copy bytes)
    public init(_ bytes: Span<UInt8>, at offset: Int = 0, maximumDepth: Int = JSONReader.standardDepth) {
        self.bytes = bytes
        self.position = max(0, min(offset, bytes.count))
        self.maximumDepth = max(0, min(maximumDepth, JSONReader.largestDepth))
    }

    /// The kind of the next value, without consuming it (white space is consumed).
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

    /// Consumes any one value, checking it wholly, and gives the range of its bytes (no surrounding white space).
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

    /// Consumes any one value, checking it wholly, and gives a copy of its text.
    public mutating func raw() throws(JSONError) -> RawJSON { try raw(at: skip()) }

    /// A copy of the text at `range`, which `skip()` gave.
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

    /// Goes back (or forth) to an offset this reader had before, to read a value again.
    @inlinable
    public mutating func seek(to offset: Int) { position = max(0, min(offset, bytes.count)) }

    /// Where a reader stands, and how deep.
    public struct Place: Sendable {
        let position: Int
        let depth: Int
    }

    /// Where it stands, to go back to it after an error inside a value.
    public var place: Place { Place(position: position, depth: depth) }

    /// Goes back to a place where this reader was before.
    public mutating func seek(to place: Place) { (position, depth) = (place.position, place.depth) }

    /// Another reader of the same bytes, at their start.
    public var fromStart: JSONReader {
        @_lifetime(copy self)
        get { JSONReader(bytes, maximumDepth: maximumDepth) }
    }

    /// Consumes white space and looks at the byte after it.
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

    /// Why the byte at the cursor cannot stand there.
    @usableFromInline
    @inline(never)
    func unexpectedByte() -> JSONError {
        position < bytes.count
            ? JSONError(.unexpectedByte(bytes[position]), at: position) : JSONError(.unexpectedEnd, at: position)
    }

    /// Why the value at the cursor is not the `expected` one.
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

/// A key as it stands in the bytes.
public struct JSONKey: Sendable, Hashable {
    /// Where the key's contents stand.
    public let range: JSONStringRange
    @usableFromInline init(range: JSONStringRange) { self.range = range }
}

/// Where the contents of a string stand in the bytes read, and how they are written. Made by readers only: it says that the contents were
/// checked.
public struct JSONStringRange: Sendable, Hashable {
    /// How the contents of a string are written, as far as it is known.
    @usableFromInline
    enum Form: UInt8, Sendable, Hashable {
        /// ASCII that stands for itself.
        case ascii
        /// Characters that stand for themselves.
        case characters
        /// With backslashes, so that bytes and value differ.
        case escaped
        /// The same, and one of the escapes is a surrogate without its partner.
        case broken
    }

    /// Offsets of the contents, quotes not included.
    public let range: Range<Int>
    @usableFromInline let form: Form

    /// Whether the contents hold a backslash, so that bytes and value differ.
    @inlinable
    public var hasEscapes: Bool { form == .escaped || form == .broken }

    /// Whether an escape is a surrogate without its partner, which no `String` holds. In the value it stands as its escape.
    @inlinable
    public var hasLoneSurrogate: Bool { form == .broken }

    @inlinable
    init(_ range: Range<Int>, _ form: Form) {
        self.range = range
        self.form = form
    }
}
