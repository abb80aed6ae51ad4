import CJSONScan
public import JSONText

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

    /// How many characters a UUID in its usual form has.
    static let uuidLength = 36

    /// The id written as `bytes` if that is a UUID in its usual form.
    @inline(__always)
    init?(uuid bytes: borrowing Span<UInt8>) {
        guard let (high, low) = Self.halves(of: bytes) else { return nil }
        self = .uuid(high, low)
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

    /// No characters, as backends write "none"; stands for an id that is still to be read, or that is not there.
    public static var none: EntityID { .text("") }

    /// Whether the id has no characters.
    public var isNone: Bool { if case .text(let text) = self { text.isEmpty } else { false } }

    /// The id, or nil when it has no characters.
    public var ifAny: EntityID? { isNone ? nil : self }

    /// Checks that the id was read: it is the `field` that an object starting at `offset` cannot do without.
    @inline(__always)
    func require(_ field: StaticString, at offset: Int) throws(Mismatch) {
        if isNone { throw Mismatch(.missing(field), at: offset) }
    }

    /// A UUID is told from others by its bits well enough to be hashed as one word: its halves, which differ in either way of making one.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .uuid(let high, let low): hasher.combine(high ^ low)
        case .text(let text): hasher.combine(text)
        }
    }

    /// What a table of rows finds the id by; another in every process. For a UUID it costs a fraction of `hashValue`, and who does not know
    /// the secrets of the process cannot choose ids that all have the same.
    package var lookupHash: Int {
        switch self {
        case .uuid(let high, let low):
            let secrets = Self.secrets
            let product = (high ^ secrets.high).multipliedFullWidth(by: low ^ secrets.low)
            return Int(truncatingIfNeeded: product.high ^ product.low)
        case .text(let text): return text.hashValue
        }
    }

    private static let secrets = (
        high: UInt64(bitPattern: Int64("high".hashValue)), low: UInt64(bitPattern: Int64("low".hashValue))
    )

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
        guard text.count == uuidLength else { return nil }
        let raw = text.bytes
        // The bytes 0–7, 8–15, 16–23, 20–27 and 28–35, the first of each in the low eight bits.
        let first = UInt64(littleEndian: raw.unsafeLoadUnaligned(fromByteOffset: 0, as: UInt64.self))
        let second = UInt64(littleEndian: raw.unsafeLoadUnaligned(fromByteOffset: 8, as: UInt64.self))
        let third = UInt64(littleEndian: raw.unsafeLoadUnaligned(fromByteOffset: 16, as: UInt64.self))
        let overlap = UInt64(littleEndian: raw.unsafeLoadUnaligned(fromByteOffset: 20, as: UInt64.self))
        let last = UInt64(littleEndian: raw.unsafeLoadUnaligned(fromByteOffset: 28, as: UInt64.self))
        guard second & 0xFF00_0000_00FF == 0x2D00_0000_002D else { return nil }
        guard third & 0xFF00_0000_00FF_0000 == 0x2D00_0000_002D_0000 else { return nil }
        let digits = SIMD4(
            first,
            (second >> 8) & 0xFFFF_FFFF | (second >> 48) << 32 | third << 48,
            (third >> 24) & 0xFFFF_FFFF | (overlap >> 32) << 32,
            last)
        guard let bytes = bytes(of: digits) else { return nil }
        return ((bytes[0] | bytes[1] << 32).byteSwapped, (bytes[2] | bytes[3] << 32).byteSwapped)
    }

    /// The bytes that four times eight hexadecimal digits stand for; digits and bytes in the order of the text, the first in the low eight bits.
    ///
    /// Each byte is turned to its nibble and back to the digit of that nibble; a byte that does not come back was no lower-case
    /// digit. No step carries from one byte into the next: the largest is 9 + 15 + 0x30 + 0x27.
    @inline(__always)
    private static func bytes(of digits: SIMD4<UInt64>) -> SIMD4<UInt64>? {
        let ones = SIMD4<UInt64>(repeating: 0x0101_0101_0101_0101)
        let letters = (digits &>> 6) & ones
        let nibbles = (digits & (ones &* 0x0F)) &+ (letters &<< 3) &+ letters
        let aboveNine = ((nibbles &+ ones &* 6) &>> 4) & ones
        let written = nibbles &+ ones &* 0x30 &+ (aboveNine &<< 5) &+ (aboveNine &<< 3) &- aboveNine
        let wrong = (written ^ digits) | (nibbles & (ones &* 0xF0))
        guard wrong == SIMD4(repeating: 0) else { return nil }
        let pairs = (nibbles &<< 4 | nibbles &>> 8) & SIMD4(repeating: 0x00FF_00FF_00FF_00FF)
        let fours = (pairs | pairs &>> 8) & SIMD4(repeating: 0x0000_FFFF_0000_FFFF)
        return (fours | fours &>> 16) & SIMD4(repeating: 0xFFFF_FFFF)
    }

    /// Writes the id as a JSON string; costs less than writing its `description`.
    @inline(__always)
    public func write(into writer: inout JSONWriter) {
        switch self {
        case .uuid(let high, let low): writer.uuid(high, low)
        case .text(let text): writer.string(text)
        }
    }

    /// Writes the id as the member of that name of an object.
    @inline(__always)
    public func write(as name: StaticString, into writer: inout JSONWriter) {
        switch self {
        case .uuid(let high, let low): writer.member(name, uuid: high, low)
        case .text(let text): writer.member(name, string: text)
        }
    }

    /// Appends the `description`.
    package func append(to bytes: inout [UInt8]) {
        switch self {
        case .uuid(let high, let low):
            bytes.append(contentsOf: repeatElement(0, count: Self.uuidLength))
            bytes.withUnsafeMutableBufferPointer { bytes in
                if let base = bytes.baseAddress { json_uuid(base + bytes.count - Self.uuidLength, high, low) }
            }
        case .text(let text): bytes.append(contentsOf: text.utf8)
        }
    }

    /// The usual form of a UUID.
    private static func text(_ high: UInt64, _ low: UInt64) -> String {
        String(unsafeUninitializedCapacity: uuidLength) { buffer in
            if let base = buffer.baseAddress { json_uuid(base, high, low) }
            return uuidLength
        }
    }
}
