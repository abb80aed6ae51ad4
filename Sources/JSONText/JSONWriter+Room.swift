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
