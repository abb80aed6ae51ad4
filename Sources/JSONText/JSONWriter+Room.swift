// The room that is written into, and what has been written.
//
// There are `slack` bytes behind `limit`. `next` is no farther than that when anything public begins, so that a key and a value of a length
// that is bounded are put without a question; then more room is made if `next` came beyond it. What may be longer asks before.
extension JSONWriter {
    /// How many bytes have been written.
    public var count: Int { next - start - (next[-1] == UInt8(ascii: ",") ? 1 : 0) }
    /// Whether nothing has been written.
    public var isEmpty: Bool { next == start }
    /// A copy of what has been written.
    public var bytes: [UInt8] { withUnsafeBytes { Array($0) } }
    /// Calls `body` with what has been written, where it lies.
    public func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(start: start, count: count))
    }

    /// Room for the longest key that is put without a question, for the longest value of bounded length (39 bytes), and for what is written
    /// behind it and then written over.
    static var slack: Int { 256 }
    @usableFromInline static var longestKey: Int { 128 }
    /// What a new writer can take before it needs more room.
    static var firstRoom: Int { 256 }

    /// Room for so many bytes and the slack, and the one before them.
    static func room(of count: Int) -> UnsafeMutablePointer<UInt8> {
        let room = UnsafeMutablePointer<UInt8>.allocate(capacity: 1 + count + slack)
        room[0] = 0
        return room + 1
    }

    static func free(_ start: UnsafeMutablePointer<UInt8>) { (start - 1).deallocate() }

    /// Makes room for `count` bytes before the slack begins.
    @inlinable
    @inline(__always)
    mutating func makeRoom(for count: Int) {
        if limit - next < count { grow(for: count) }
    }

    /// Makes room when the slack has begun.
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

    /// Puts one byte.
    @inlinable
    @inline(__always)
    mutating func put(_ byte: UInt8) {
        next[0] = byte
        next += 1
        makeRoomIfNone()
    }

    /// Puts a word, which has its comma.
    @inlinable
    @inline(__always)
    mutating func put(word: StaticString) {
        let length = word.utf8CodeUnitCount
        UnsafeMutableRawPointer(next).copyMemory(from: word.utf8Start, byteCount: length)
        next += length
        makeRoomIfNone()
    }

    /// Puts a key and its colon: into the slack, of which enough is left for a value of bounded length.
    @inlinable
    @inline(__always)
    mutating func put(key name: StaticString) {
        assert(Self.isInert(name), "\(name) is to be written as a String")
        let length = name.utf8CodeUnitCount
        if length > Self.longestKey { makeRoom(for: length) }
        next[0] = UInt8(ascii: "\"")
        UnsafeMutableRawPointer(next + 1).copyMemory(from: name.utf8Start, byteCount: length)
        next[length + 1] = UInt8(ascii: "\"")
        next[length + 2] = UInt8(ascii: ":")
        next += length + 3
    }

    /// Puts the quote that ends a string, and `mark`.
    @inline(__always)
    mutating func endString(then mark: UInt8 = UInt8(ascii: ",")) {
        next[0] = UInt8(ascii: "\"")
        next[1] = mark
        next += 2
        makeRoomIfNone()
    }

    /// Puts what ends an array, an object or a line in the place of the comma that stands last, if one does.
    @inlinable
    @inline(__always)
    mutating func close(_ byte: UInt8, isValue: Bool = true) {
        if next[-1] == UInt8(ascii: ",") { next -= 1 }
        next[0] = byte
        next[1] = UInt8(ascii: ",")
        next += isValue ? 2 : 1
        makeRoomIfNone()
    }

    /// Whether a key needs no escapes.
    @usableFromInline
    static func isInert(_ key: StaticString) -> Bool {
        key.withUTF8Buffer { JSONScanner(text: $0).inertPrefix(at: 0) == $0.count }
    }
}
