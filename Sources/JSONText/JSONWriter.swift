/// Writes JSON text into a room of its own that can be reused; commas and colons are put in by the writer.
///
/// Strings come out inert on a terminal: see `string(_:)`. Well-formedness is the caller's: what is begun must be ended, a key must stand
/// before each member's value.
///
/// Behind each value stands a comma from the first, which what closes an array or an object takes the place of: so nothing looks for what
/// stands before it. That which stands last is not part of what has been written.
public struct JSONWriter: ~Copyable {
    /// Where what has been written begins. The byte before it is there, and no comma.
    @usableFromInline var start: UnsafeMutablePointer<UInt8>
    /// Where what is put next begins.
    @usableFromInline var next: UnsafeMutablePointer<UInt8>
    /// How far `next` may come before there must be more room: `slack` before the end of it.
    @usableFromInline var limit: UnsafeMutablePointer<UInt8>
    let asciiOnly: Bool

    /// An empty writer. With `asciiOnly`, characters outside ASCII are written as `\uXXXX` (Engine.IO 3 polling needs it).
    public init(asciiOnly: Bool = false) {
        start = Self.room(of: Self.firstRoom)
        next = start
        limit = start + Self.firstRoom
        self.asciiOnly = asciiOnly
    }

    deinit { Self.free(start) }

    /// Forgets what was written and keeps the room.
    public mutating func reset() { next = start }

    /// Forgets what was written, and gives back the room when it is larger than `most` bytes.
    public mutating func reset(keepingAtMost most: Int) {
        if limit - start > most {
            Self.free(start)
            start = Self.room(of: Self.firstRoom)
            limit = start + Self.firstRoom
        }
        next = start
    }

    /// Makes room for so many bytes at once, so that what is written next is not moved while the room grows.
    public mutating func reserve(_ count: Int) { makeRoom(for: count) }

    /// Opens an object as the next value.
    @inlinable
    @inline(__always)
    public mutating func beginObject() { put(UInt8(ascii: "{")) }
    /// Closes the object.
    @inlinable
    @inline(__always)
    public mutating func endObject() { close(UInt8(ascii: "}")) }
    /// Opens an array as the next value.
    @inlinable
    @inline(__always)
    public mutating func beginArray() { put(UInt8(ascii: "[")) }
    /// Closes the array.
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
    /// Writes any key. A literal takes the other overload, which need not look for escapes.
    @_disfavoredOverload
    public mutating func key(_ name: String) { putString(name, then: UInt8(ascii: ":")) }

    /// Writes a string. Control, bidirectional and zero-width characters and U+2028/9 are escaped, so that the text is inert on a terminal.
    public mutating func string(_ value: String) { putString(value, then: UInt8(ascii: ",")) }
    /// Writes a key that needs no escapes and a string behind it.
    @inlinable
    @inline(__always)
    public mutating func member(_ name: StaticString, string value: String) {
        put(key: name)
        string(value)
    }
    /// Writes bytes as a string: UTF-8 as it is, what is not UTF-8 as U+FFFD.
    public mutating func string(utf8 value: UnsafeBufferPointer<UInt8>) { putString(value) }
    /// Writes bytes as a string: UTF-8 as it is, what is not UTF-8 as U+FFFD.
    public mutating func string(utf8 value: ArraySlice<UInt8>) {
        value.withUnsafeBufferPointer { string(utf8: $0) }
    }
    /// Writes a string of `count` bytes that need no escapes; `fill` writes them into the given buffer.
    public mutating func inertString(count: Int, _ fill: (UnsafeMutablePointer<UInt8>) -> Void) {
        makeRoom(for: count + 1)
        next[0] = UInt8(ascii: "\"")
        fill(next + 1)
        next += count + 1
        endString()
    }
    /// Writes `true` or `false`.
    @inlinable
    @inline(__always)
    public mutating func bool(_ value: Bool) { value ? put(word: "true,") : put(word: "false,") }
    /// Writes `null`.
    public mutating func null() { put(word: "null,") }

    /// Writes a value that is JSON text already, as it is (with `asciiOnly`: as `inertRaw(_:)` does).
    public mutating func raw(_ value: RawJSON) {
        if asciiOnly { return inertRaw(value) }
        value.bytes.withUnsafeBufferPointer { append($0) }
        put(UInt8(ascii: ","))
    }
    /// Writes a value that is JSON text already so that it is inert on a terminal and stays on one line: characters that `string(_:)` would
    /// escape are escaped, white space between the tokens is left out, and the value is the same.
    public mutating func inertRaw(_ value: RawJSON) {
        value.bytes.withUnsafeBufferPointer { appendInert($0) }
        put(UInt8(ascii: ","))
    }
    /// Writes a tree. What it holds as text is written as `inertRaw(_:)` does.
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

/// Members of which nothing is written when the value is nil. No name needs an escape.
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

    /// A member that is `null` for nil.
    package mutating func member(_ name: StaticString, orNull value: String?) {
        key(name)
        if let value { string(value) } else { null() }
    }

    /// A member that is `null` for nil.
    package mutating func member(_ name: StaticString, orNull value: (some BinaryInteger)?) {
        key(name)
        if let value { integer(value) } else { null() }
    }

    /// What is JSON text already, inert and on one line.
    @inlinable
    @inline(__always)
    package mutating func member(_ name: StaticString, _ value: RawJSON?) {
        guard let value else { return }
        key(name)
        inertRaw(value)
    }

    /// What is JSON text already, as it is.
    package mutating func member(_ name: StaticString, raw value: RawJSON?) {
        guard let value else { return }
        key(name)
        raw(value)
    }

    /// A list of texts, also an empty one.
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
