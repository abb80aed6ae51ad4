/// Reads one JSON text in one pass, as a cursor over borrowed bytes.
///
/// The reader checks everything it passes over (grammar, UTF-8, escapes, depth, number range), whether the value is taken
/// or skipped, so a text read to `end()` without an error is valid JSON (RFC 8259).
public struct JSONReader: ~Copyable, ~Escapable {
    @usableFromInline let bytes: Span<UInt8>

    /// The place of the next byte to be read, counted from the start of the bytes given.
    public private(set) var offset: Int

    /// Reads `bytes` from `offset` on. `maximumDepth` bounds nested arrays and objects.
    @_lifetime(copy bytes)
    public init(_ bytes: Span<UInt8>, at offset: Int = 0, maximumDepth: Int = 256) {
        self.bytes = bytes
        self.offset = offset
    }

    /// The kind of the next value, without consuming it (white space is consumed).
    public mutating func peek() throws(JSONError) -> JSONKind { fatalError("stub") }

    /// Consumes `{`. Read the members with `nextKey()` until it gives nil.
    public mutating func beginObject() throws(JSONError) { fatalError("stub") }

    /// Consumes the next key and its colon; nil (and `}` consumed) at the end of the object.
    public mutating func nextKey() throws(JSONError) -> JSONKey? { fatalError("stub") }

    /// Whether `key`, just read by this reader, is `name` (escapes in the key are resolved).
    public func matches(_ key: JSONKey, _ name: StaticString) -> Bool { fatalError("stub") }

    /// The text of a key just read by this reader.
    public func string(_ key: JSONKey) -> String { fatalError("stub") }

    /// Consumes `[`. Before each element call `nextElement()` until it gives false.
    public mutating func beginArray() throws(JSONError) { fatalError("stub") }

    /// True when another element follows; false (and `]` consumed) at the end of the array.
    public mutating func nextElement() throws(JSONError) -> Bool { fatalError("stub") }

    /// Consumes a string and gives its value, escapes resolved.
    public mutating func string() throws(JSONError) -> String { fatalError("stub") }

    /// Consumes a string and gives where its contents stand, without quotes, escapes not resolved.
    public mutating func stringRange() throws(JSONError) -> JSONStringRange { fatalError("stub") }

    /// Consumes a number that is an integer in range.
    public mutating func int64() throws(JSONError) -> Int64 { fatalError("stub") }

    /// Consumes any number; one too large for a finite `Double` is an error.
    public mutating func double() throws(JSONError) -> Double { fatalError("stub") }

    /// Consumes `true` or `false`.
    public mutating func bool() throws(JSONError) -> Bool { fatalError("stub") }

    /// Consumes `null` if it is next and says whether it was.
    public mutating func null() throws(JSONError) -> Bool { fatalError("stub") }

    /// Consumes any one value, checking it wholly, and gives the range of its bytes (no surrounding white space).
    @discardableResult
    public mutating func skip() throws(JSONError) -> Range<Int> { fatalError("stub") }

    /// Consumes any one value as a tree.
    public mutating func value() throws(JSONError) -> JSONValue { fatalError("stub") }

    /// Checks that only white space remains.
    public mutating func end() throws(JSONError) { fatalError("stub") }

    /// Goes back (or forth) to an offset this reader had before, to read a value again.
    public mutating func seek(to offset: Int) { self.offset = offset }
}

/// What kind of value comes next.
public enum JSONKind: Sendable, Hashable {
    case object, array, string, number, bool, null
}

/// A key as it stands in the bytes.
public struct JSONKey: Sendable, Hashable {
    @usableFromInline let range: JSONStringRange
    @usableFromInline init(range: JSONStringRange) { self.range = range }
}

/// Where the contents of a string stand in the bytes read, and whether they hold escapes.
public struct JSONStringRange: Sendable, Hashable {
    /// Offsets of the contents, quotes not included.
    public var range: Range<Int>
    /// Whether the contents hold a backslash, so that bytes and value differ.
    public var hasEscapes: Bool
    /// A range of string contents.
    public init(range: Range<Int>, hasEscapes: Bool) {
        self.range = range
        self.hasEscapes = hasEscapes
    }
}
