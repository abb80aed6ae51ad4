/// A 64-bit digest of one element, which is the same in every process. The element decides what
/// to feed, and in which order.
///
/// An element with a part that rarely changes can compute a digest of that part, keep its value, and feed that.
///
/// The digest finds accidents, such as a lost line or a flipped bit. It does not protect against forged states.
public struct ElementDigest: Sendable {
    @usableFromInline var state: UInt64 = 0x9E37_79B9_7F4A_7C15

    /// Creates a digest of no input.
    @inlinable
    public init() {}

    /// Feeds an integer by its value.
    @inlinable
    public mutating func feed(_ value: some BinaryInteger) { mix(UInt64(truncatingIfNeeded: value)) }

    /// Feeds a number. Both zeros are equal and feed equally.
    @inlinable
    public mutating func feed(_ value: Double) { mix(value == 0 ? 0 : value.bitPattern) }

    /// Feeds a string by its UTF-8 and its length.
    @inlinable
    @inline(__always)
    public mutating func feed(_ text: String) {
        text.utf8.span.withUnsafeBytes { feed(bytes: $0) }
    }

    /// Feeds bytes, and how many they are.
    @inlinable
    @inline(__always)
    public mutating func feed(bytes: UnsafeRawBufferPointer) {
        let tail = bytes.count & 7
        for place in stride(from: 0, to: bytes.count - tail, by: 8) {
            mix(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)))
        }
        mix(Self.word(of: bytes, last: tail))
        mix(UInt64(bytes.count))
    }

    /// Returns the last bytes, fewer than eight, as the low bytes of a word.
    @inlinable
    @inline(__always)
    static func word(of bytes: UnsafeRawBufferPointer, last count: Int) -> UInt64 {
        guard count > 0 else { return 0 }
        if bytes.count >= 8 {
            let end = bytes.loadUnaligned(fromByteOffset: bytes.count - 8, as: UInt64.self)
            return UInt64(littleEndian: end) >> UInt64(8 * (8 - count))
        }
        if count >= 4 {
            let first = UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self))
            let last = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self))
            return UInt64(first) | UInt64(last) << UInt64(8 * (count - 4))
        }
        // For one to three bytes, the first, the middle and the last include all of them.
        let ends = UInt64(bytes[0]) | UInt64(bytes[count - 1]) << UInt64(8 * (count - 1))
        return ends | UInt64(bytes[count / 2]) << UInt64(8 * (count / 2))
    }

    /// Multiplies to twice the width and folds, so that every bit of the word reaches every bit of the state.
    @inlinable
    @inline(__always)
    mutating func mix(_ word: UInt64) {
        let product = (state ^ word).multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
        state = (product.high ^ product.low) &+ 0x9E37_79B9_7F4A_7C15
    }

    /// The digest of the input so far.
    @inlinable
    public var value: UInt64 {
        var last = self
        last.mix(0x2545_F491_4F6C_DD1D)
        return last.state
    }
}
