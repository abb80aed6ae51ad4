/// The id of an entity. A UUID in its usual form (lower case, 36 characters) is kept as 16 bytes, anything else as text.
///
/// The initialisers choose the case, so that one id has one value; a `text` that spells a UUID is never made by them.
public enum EntityID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The two halves of a UUID, big-endian.
    case uuid(UInt64, UInt64)
    /// Any other id.
    case text(String)

    /// The id written as `string`.
    public init(_ string: String) {
        if let (high, low) = Self.halves(of: string.utf8.span) {
            self = .uuid(high, low)
        } else {
            self = .text(string)
        }
    }

    /// The id written as the UTF-8 in `bytes`; what is not UTF-8 is repaired to U+FFFD.
    init(utf8 bytes: borrowing Span<UInt8>) {
        if let (high, low) = Self.halves(of: bytes) {
            self = .uuid(high, low)
        } else {
            self = .text(bytes.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) })
        }
    }

    /// The id as the backend writes it.
    public var description: String {
        switch self {
        case .uuid(let high, let low): Self.text(high, low)
        case .text(let text): text
        }
    }

    /// Whether the id has no characters, as backends write "none".
    var isEmpty: Bool { self == .text("") }

    /// UUIDs come before other ids; each kind is in the order of its text.
    public static func < (a: EntityID, b: EntityID) -> Bool {
        switch (a, b) {
        case (.uuid(let high, let low), .uuid(let otherHigh, let otherLow)): (high, low) < (otherHigh, otherLow)
        case (.uuid, .text): true
        case (.text, .uuid): false
        case (.text(let text), .text(let other)): text < other
        }
    }
}

extension EntityID {
    /// The halves of the UUID in `text`, nil when it is anything but 8-4-4-4-12 lower-case hexadecimal digits.
    private static func halves(of text: borrowing Span<UInt8>) -> (UInt64, UInt64)? {
        guard text.count == 36 else { return nil }
        let dash = UInt8(ascii: "-")
        guard text[8] == dash, text[13] == dash, text[18] == dash, text[23] == dash else { return nil }
        let raw = text.bytes
        let first = raw.unsafeLoadUnaligned(fromByteOffset: 0, as: UInt64.self)
        let second = joined(raw, 9, 14)
        let third = joined(raw, 19, 24)
        let fourth = raw.unsafeLoadUnaligned(fromByteOffset: 28, as: UInt64.self)
        guard let a = digits(first), let b = digits(second), let c = digits(third), let d = digits(fourth) else {
            return nil
        }
        return (a << 32 | b, c << 32 | d)
    }

    /// The four bytes at `a` followed by the four bytes at `b`, in the byte order of memory.
    private static func joined(_ raw: borrowing RawSpan, _ a: Int, _ b: Int) -> UInt64 {
        let first = UInt32(littleEndian: raw.unsafeLoadUnaligned(fromByteOffset: a, as: UInt32.self))
        let second = UInt32(littleEndian: raw.unsafeLoadUnaligned(fromByteOffset: b, as: UInt32.self))
        return UInt64(littleEndian: UInt64(first) | UInt64(second) << 32)
    }

    /// The value of eight hexadecimal digits as they lie in memory, eight at a step.
    ///
    /// Each byte is turned to its nibble and back to the digit of that nibble; any byte that does not come back was no
    /// lower-case digit. No step carries from one byte into the next: the largest byte is 9 + 15 + 0x30 + 0x27.
    private static func digits(_ memory: UInt64) -> UInt64? {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let characters = UInt64(bigEndian: memory)
        let letters = (characters >> 6) & ones
        let nibbles = (characters & (ones &* 0x0F)) &+ letters &* 9
        let aboveNine = ((nibbles &+ ones &* 6) >> 4) & ones
        let written = nibbles &+ ones &* 0x30 &+ aboveNine &* 0x27
        guard written == characters, nibbles & (ones &* 0xF0) == 0 else { return nil }
        let pairs = (nibbles | nibbles >> 4) & 0x00FF_00FF_00FF_00FF
        let fours = (pairs | pairs >> 8) & 0x0000_FFFF_0000_FFFF
        return (fours | fours >> 16) & 0xFFFF_FFFF
    }

    /// The usual form of a UUID.
    private static func text(_ high: UInt64, _ low: UInt64) -> String {
        String(unsafeUninitializedCapacity: 36) { buffer in
            var place = 0
            for digit in 0..<32 {
                if digit == 8 || digit == 12 || digit == 16 || digit == 20 {
                    buffer[place] = UInt8(ascii: "-")
                    place += 1
                }
                let half = digit < 16 ? high : low
                let nibble = UInt8(truncatingIfNeeded: half >> UInt64(60 - (digit & 15) * 4)) & 15
                buffer[place] = nibble < 10 ? nibble + UInt8(ascii: "0") : nibble - 10 + UInt8(ascii: "a")
                place += 1
            }
            return place
        }
    }
}
