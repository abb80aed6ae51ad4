import CWeirJSONScan

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

extension JSONWriter {
    /// Writes an integer as the next value.
    @inline(never)
    public mutating func integer(_ value: Int64) {
        next += json_integer(next, value)
        put(UInt8(ascii: ","))
    }
    /// Writes an integer member. The key must need no escapes.
    @inlinable
    @inline(__always)
    public mutating func member(_ name: StaticString, integer value: Int64) {
        put(key: name)
        integer(value)
    }
    /// Writes an integer as the next value.
    @inlinable
    @inline(__always)
    public mutating func integer(_ value: Int) { integer(Int64(value)) }
    /// Writes an integer of any other type. Slower than the overload for `Int64`.
    @_disfavoredOverload
    public mutating func integer(_ value: some BinaryInteger) {
        if let value = Int64(exactly: value) { return integer(value) }
        append(String(value))
    }
    /// Writes a finite number in the shortest form that reads back as the same number.
    public mutating func number(_ value: Double) {
        precondition(value.isFinite, "JSON has no way to write a number that is not finite")
        append(value.description)
    }

    /// Writes a UUID as a string in its usual lower-case form. `high` and `low` are its halves, big-endian.
    public mutating func uuid(_ high: UInt64, _ low: UInt64) {
        next[0] = UInt8(ascii: "\"")
        json_uuid(next + 1, high, low)
        next += 37
        endString()
    }
    /// Writes a UUID member. The key must need no escapes.
    @inlinable
    @inline(__always)
    public mutating func member(_ name: StaticString, uuid high: UInt64, _ low: UInt64) {
        put(key: name)
        uuid(high, low)
    }

    /// Writes a value as a string of 16 lower-case hexadecimal digits. Readers that store numbers as floating point
    /// cannot hold 64 bits.
    public mutating func hexadecimal(_ value: UInt64) {
        next[0] = UInt8(ascii: "\"")
        json_hexadecimal(next + 1, value)
        next += 17
        endString()
    }

    /// Appends a number that is already formatted.
    private mutating func append(_ number: String) {
        number.utf8.span.withUnsafeBufferPointer { append($0) }
        put(UInt8(ascii: ","))
    }
}

// The buffer, and the text written to it so far.
//
// `slack` bytes follow `limit`. When a public function begins, `next` is never past `limit`, so a key and a value of
// bounded length are written without a check. Afterwards the buffer grows if `next` has passed `limit`. Writes that may
// be longer check beforehand.
extension JSONWriter {
    /// The number of bytes written so far.
    public var count: Int { next - start - (next[-1] == UInt8(ascii: ",") ? 1 : 0) }
    /// Whether nothing has been written.
    public var isEmpty: Bool { next == start }
    /// A copy of the bytes written so far.
    public var bytes: [UInt8] { withUnsafeBytes { Array($0) } }
    /// Calls `body` with the bytes written so far, without copying them.
    public func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(start: start, count: count))
    }

    /// Space for the longest key that is written without a check, for the longest value of bounded length (39 bytes),
    /// and for the bytes after it that are later overwritten.
    static var slack: Int { 256 }
    @usableFromInline static var longestKey: Int { 128 }
    /// The initial capacity in bytes, without the slack.
    static var firstRoom: Int { 256 }

    /// Allocates `count` bytes, the slack, and one byte before them. Returns the address after that byte.
    static func room(of count: Int) -> UnsafeMutablePointer<UInt8> {
        let room = UnsafeMutablePointer<UInt8>.allocate(capacity: 1 + count + slack)
        room[0] = 0
        return room + 1
    }

    static func free(_ start: UnsafeMutablePointer<UInt8>) { (start - 1).deallocate() }

    /// Makes room for `count` bytes before the slack.
    @inlinable
    @inline(__always)
    mutating func makeRoom(for count: Int) {
        if limit - next < count { grow(for: count) }
    }

    /// Grows the buffer if `next` is in the slack.
    @inlinable
    @inline(__always)
    mutating func makeRoomIfNone() {
        if next > limit { grow(for: 0) }
    }

    @inline(never)
    @usableFromInline
    mutating func grow(for count: Int) {
        let written = next - start
        let room = max(2 * (limit - start), written + count)
        let old = start
        start = Self.room(of: room)
        start.update(from: old, count: written)
        next = start + written
        limit = start + room
        Self.free(old)
    }

    /// Writes one byte, and grows the buffer if needed.
    @inlinable
    @inline(__always)
    mutating func put(_ byte: UInt8) {
        next[0] = byte
        next += 1
        makeRoomIfNone()
    }

    /// Writes a word that includes its comma.
    @inlinable
    @inline(__always)
    mutating func put(word: StaticString) {
        let length = word.utf8CodeUnitCount
        UnsafeMutableRawPointer(next).copyMemory(from: word.utf8Start, byteCount: length)
        next += length
        makeRoomIfNone()
    }

    /// Writes a key and its colon, possibly into the slack. Enough slack remains for a value of bounded length.
    @inlinable
    @inline(__always)
    mutating func put(key name: StaticString) {
        assert(Self.isInert(name), "\(name) must be written as a String")
        let length = name.utf8CodeUnitCount
        if length > Self.longestKey { makeRoom(for: length) }
        next[0] = UInt8(ascii: "\"")
        UnsafeMutableRawPointer(next + 1).copyMemory(from: name.utf8Start, byteCount: length)
        next[length + 1] = UInt8(ascii: "\"")
        next[length + 2] = UInt8(ascii: ":")
        next += length + 3
    }

    /// Writes the quote that ends a string, and then `mark`.
    @inline(__always)
    mutating func endString(then mark: UInt8 = UInt8(ascii: ",")) {
        next[0] = UInt8(ascii: "\"")
        next[1] = mark
        next += 2
        makeRoomIfNone()
    }

    /// Writes the byte that ends an array, an object or a line. It overwrites a trailing comma.
    @inlinable
    @inline(__always)
    mutating func close(_ byte: UInt8, isValue: Bool = true) {
        if next[-1] == UInt8(ascii: ",") { next -= 1 }
        next[0] = byte
        next[1] = UInt8(ascii: ",")
        next += isValue ? 2 : 1
        makeRoomIfNone()
    }

    /// Returns whether a key needs no escapes.
    @usableFromInline
    static func isInert(_ key: StaticString) -> Bool {
        key.withUTF8Buffer { JSONScanner(text: $0).inertPrefix(at: 0) == $0.count }
    }
}
