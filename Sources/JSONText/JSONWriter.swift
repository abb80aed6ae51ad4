/// Writes JSON text into its own reusable buffer, and inserts the commas and colons.
///
/// Strings are safe to print on a terminal; see `string(_:)`. The caller is responsible for well-formed output: it must
/// end each array and object that it begins, and write a key before each member's value.
///
/// A comma is written after every value; the closing bracket overwrites it. No function therefore looks at the
/// preceding text. The last comma is not part of the written text.
public struct JSONWriter: ~Copyable {
    /// The start of the written text. The byte before it is allocated, and is never a comma.
    @usableFromInline var start: UnsafeMutablePointer<UInt8>
    /// The address of the next write.
    @usableFromInline var next: UnsafeMutablePointer<UInt8>
    /// The address that `next` may reach before the buffer must grow: `slack` bytes before the end of the buffer.
    @usableFromInline var limit: UnsafeMutablePointer<UInt8>
    let asciiOnly: Bool

    /// Creates an empty writer. With `asciiOnly`, it writes characters outside ASCII as `\uXXXX`, which Engine.IO 3
    /// polling needs.
    public init(asciiOnly: Bool = false) {
        start = Self.room(of: Self.firstRoom)
        next = start
        limit = start + Self.firstRoom
        self.asciiOnly = asciiOnly
    }

    deinit { Self.free(start) }

    /// Discards the written text and keeps the buffer.
    public mutating func reset() { next = start }

    /// Discards the written text, and shrinks the buffer if it is larger than `most` bytes.
    public mutating func reset(keepingAtMost most: Int) {
        if limit - start > most {
            Self.free(start)
            start = Self.room(of: Self.firstRoom)
            limit = start + Self.firstRoom
        }
        next = start
    }

    /// Makes room for `count` bytes at once, so that the next writes do not grow and move the buffer repeatedly.
    public mutating func reserve(_ count: Int) { makeRoom(for: count) }

    /// Begins an object as the next value.
    @inlinable
    @inline(__always)
    public mutating func beginObject() { put(UInt8(ascii: "{")) }
    /// Ends the innermost object. Call it once for each `beginObject()`.
    @inlinable
    @inline(__always)
    public mutating func endObject() { close(UInt8(ascii: "}")) }
    /// Begins an array as the next value.
    @inlinable
    @inline(__always)
    public mutating func beginArray() { put(UInt8(ascii: "[")) }
    /// Ends the innermost array. Call it once for each `beginArray()`.
    @inlinable
    @inline(__always)
    public mutating func endArray() { close(UInt8(ascii: "]")) }

    /// Writes a key that needs no escapes.
    @inlinable
    @inline(__always)
    public mutating func key(_ name: StaticString) {
        put(key: name)
        makeRoomIfNone()
    }
    /// Writes any key. A literal uses the other overload, which does not look for escapes.
    @_disfavoredOverload
    public mutating func key(_ name: String) { putString(name, then: UInt8(ascii: ":")) }

    /// Writes a string as the next value.
    ///
    /// Control, bidirectional and zero-width characters and U+2028/9 are escaped, so that the text is safe to print on
    /// a terminal.
    public mutating func string(_ value: String) { putString(value, then: UInt8(ascii: ",")) }
    /// Writes a string member. The key must need no escapes.
    @inlinable
    @inline(__always)
    public mutating func member(_ name: StaticString, string value: String) {
        put(key: name)
        string(value)
    }
    /// Writes bytes as a string. UTF-8 is written as in `string(_:)`; each invalid sequence becomes U+FFFD.
    public mutating func string(utf8 value: UnsafeBufferPointer<UInt8>) { putString(value) }
    /// Writes bytes as a string. UTF-8 is written as in `string(_:)`; each invalid sequence becomes U+FFFD.
    public mutating func string(utf8 value: ArraySlice<UInt8>) {
        value.withUnsafeBufferPointer { string(utf8: $0) }
    }
    /// Writes a string of `count` bytes that need no escapes. `fill` writes the bytes into the given buffer.
    public mutating func inertString(count: Int, _ fill: (UnsafeMutablePointer<UInt8>) -> Void) {
        makeRoom(for: count + 1)
        next[0] = UInt8(ascii: "\"")
        fill(next + 1)
        next += count + 1
        endString()
    }
    /// Writes a Boolean: `true` or `false`.
    @inlinable
    @inline(__always)
    public mutating func bool(_ value: Bool) { value ? put(word: "true,") : put(word: "false,") }
    /// Writes `null` as the next value.
    public mutating func null() { put(word: "null,") }

    /// Writes a value that is already JSON text, unchanged. With `asciiOnly`, it is written as by `inertRaw(_:)`.
    public mutating func raw(_ value: RawJSON) {
        if asciiOnly { return inertRaw(value) }
        value.bytes.withUnsafeBufferPointer { append($0) }
        put(UInt8(ascii: ","))
    }
    /// Writes a value that is already JSON text, made safe to print on a terminal, on one line.
    ///
    /// It escapes the characters that `string(_:)` escapes and drops white space between tokens. The value stays the
    /// same.
    public mutating func inertRaw(_ value: RawJSON) {
        value.bytes.withUnsafeBufferPointer { appendInert($0) }
        put(UInt8(ascii: ","))
    }
    /// Writes a tree. Its `text` values are written as by `inertRaw(_:)`.
    public mutating func value(_ value: JSONValue) {
        switch value {
        case .null: null()
        case .bool(let value): bool(value)
        case .integer(let value): integer(value)
        case .number(let value): number(value)
        case .string(let value): string(value)
        case .text(let text): inertRaw(text)
        case .array(let elements):
            beginArray()
            for element in elements { self.value(element) }
            endArray()
        case .object(let members):
            beginObject()
            for member in members {
                key(member.key)
                self.value(member.value)
            }
            endObject()
        }
    }
    /// Writes a line feed between two texts (JSON Lines).
    public mutating func endLine() { close(UInt8(ascii: "\n"), isValue: false) }
}

/// Functions that write a member, and nothing if the value is `nil`. The names must need no escapes.
extension JSONWriter {
    @inlinable
    @inline(__always)
    package mutating func member(_ name: StaticString, _ value: String?) {
        if let value { member(name, string: value) }
    }

    @inlinable
    @inline(__always)
    package mutating func member(_ name: StaticString, _ value: Int64?) {
        if let value { member(name, integer: value) }
    }

    @inlinable
    @inline(__always)
    package mutating func member(_ name: StaticString, _ value: Int?) {
        if let value { member(name, integer: Int64(value)) }
    }

    @inlinable
    @inline(__always)
    package mutating func member(_ name: StaticString, _ value: Bool?) {
        guard let value else { return }
        key(name)
        bool(value)
    }

    package mutating func member(_ name: StaticString, _ value: Double?) {
        guard let value else { return }
        key(name)
        number(value)
    }

    /// Writes a member whose value is `null` if `value` is `nil`.
    package mutating func member(_ name: StaticString, orNull value: String?) {
        key(name)
        if let value { string(value) } else { null() }
    }

    /// Writes a member whose value is `null` if `value` is `nil`.
    package mutating func member(_ name: StaticString, orNull value: (some BinaryInteger)?) {
        key(name)
        if let value { integer(value) } else { null() }
    }

    /// Writes a member whose value is already JSON text, safe to print and on one line.
    @inlinable
    @inline(__always)
    package mutating func member(_ name: StaticString, _ value: RawJSON?) {
        guard let value else { return }
        key(name)
        inertRaw(value)
    }

    /// Writes a member whose value is already JSON text, unchanged.
    package mutating func member(_ name: StaticString, raw value: RawJSON?) {
        guard let value else { return }
        key(name)
        raw(value)
    }

    /// Writes an array of strings. An empty array is written, too.
    @inlinable
    @inline(__always)
    package mutating func member(_ name: StaticString, names: [String]?) {
        guard let names else { return }
        key(name)
        beginArray()
        for name in names { string(name) }
        endArray()
    }
}
