/// A 64-bit digest of one element, the same in every process; what is fed, and in which order, is the element's to say.
///
/// It finds accidents: a lost line, a flipped bit. It is no defence against somebody who forges states.
public struct ElementDigest: Sendable {
    @usableFromInline var state: UInt64 = 0x9E37_79B9_7F4A_7C15

    @inlinable
    init() {}

    /// Feeds an integer by its value.
    @inlinable
    public mutating func feed(_ value: some BinaryInteger) { mix(UInt64(truncatingIfNeeded: value)) }

    /// Feeds a number; both zeros are equal and feed equally.
    @inlinable
    public mutating func feed(_ value: Double) { mix(value == 0 ? 0 : value.bitPattern) }

    /// Feeds a text by its UTF-8 and its length.
    @inlinable
    public mutating func feed(_ text: String) {
        var text = text
        text.withUTF8 { feed(bytes: UnsafeRawBufferPointer($0)) }
    }

    /// Feeds bytes and their number.
    @inlinable
    public mutating func feed(bytes: UnsafeRawBufferPointer) {
        var rest = bytes[...]
        while rest.count >= 8 {
            mix(UInt64(littleEndian: UnsafeRawBufferPointer(rebasing: rest).loadUnaligned(as: UInt64.self)))
            rest = rest.dropFirst(8)
        }
        var tail: UInt64 = 0
        for byte in rest.reversed() { tail = tail << 8 | UInt64(byte) }
        mix(tail)
        mix(UInt64(bytes.count))
    }

    /// Multiplies to twice the width and folds: every bit of the word reaches every bit of the state.
    @inlinable
    mutating func mix(_ word: UInt64) {
        let product = (state ^ word).multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
        state = (product.high ^ product.low) &+ 0x9E37_79B9_7F4A_7C15
    }

    /// The digest of what was fed.
    @usableFromInline var value: UInt64 {
        var last = self
        last.mix(0x2545_F491_4F6C_DD1D)
        return last.state
    }
}
