import CWeirJSONScan
public import WeirJSON

/// The id of an entity. A UUID in its usual form (lower case, 36 characters) is stored as 16
/// bytes, any other id as text.
///
/// The initialisers choose the case, so that each id has exactly one value: they never create a
/// `text` that spells a UUID.
public enum EntityID: Hashable, Comparable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
    /// The two halves of a UUID, each big-endian.
    case uuid(UInt64, UInt64)
    /// An id of any other form, as written.
    case text(String)

    /// Creates the id written as `string`.
    public init(_ string: String) {
        if let (high, low) = Self.halves(of: string.utf8.span) {
            self = .uuid(high, low)
        } else {
            self = .text(string)
        }
    }

    /// Creates the id written as a literal.
    public init(stringLiteral text: String) { self.init(text) }

    /// The number of characters in a UUID of the usual form.
    static let uuidLength = 36

    /// Creates an id from `bytes` if they spell a UUID in its usual form; otherwise returns `nil`.
    @inline(__always)
    init?(uuid bytes: borrowing Span<UInt8>) {
        guard let (high, low) = Self.halves(of: bytes) else { return nil }
        self = .uuid(high, low)
    }

    /// Creates an id from UTF-8 bytes. Invalid UTF-8 is repaired to U+FFFD.
    init(utf8 bytes: borrowing Span<UInt8>) {
        if let (high, low) = Self.halves(of: bytes) {
            self = .uuid(high, low)
        } else {
            self = .text(bytes.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) })
        }
    }

    /// The id in the backend's spelling.
    public var description: String {
        switch self {
        case .uuid(let high, let low): Self.text(high, low)
        case .text(let text): text
        }
    }

    /// The id without characters, which backends write for "none". It also marks an id that is absent or not read yet.
    public static var none: EntityID { .text("") }

    /// Whether the id has no characters.
    public var isNone: Bool { if case .text(let text) = self { text.isEmpty } else { false } }

    /// The id, or `nil` when it has no characters.
    public var ifAny: EntityID? { isNone ? nil : self }

    /// Throws a mismatch if the id is `.none`: it is the required `field` of an object that starts at `offset`.
    @inline(__always)
    func require(_ field: StaticString, at offset: Int) throws(Mismatch) {
        if isNone { throw Mismatch(.missing(field), at: offset) }
    }

    /// Hashes a UUID as one word, the exclusive or of its halves. Its bits distinguish it well enough,
    /// however it was generated.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .uuid(let high, let low): hasher.combine(high ^ low)
        case .text(let text): hasher.combine(text)
        }
    }

    /// The hash by which a table of rows finds the id. It differs from process to process. For a UUID it
    /// costs a fraction of `hashValue`, and a peer that does not know the secrets of the process cannot
    /// choose ids that collide.
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

    /// Orders UUIDs before other ids, and each kind by its text.
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
    /// Returns the halves of the UUID in `text`, or `nil` unless it is 8-4-4-4-12 lower-case hexadecimal digits.
    private static func halves(of text: borrowing Span<UInt8>) -> (UInt64, UInt64)? {
        guard text.count == uuidLength else { return nil }
        let raw = text.bytes
        // The bytes 0–7, 8–15, 16–23, 20–27 and 28–35, each with its first byte in the low eight bits.
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

    /// Converts four groups of eight hexadecimal digits to bytes. Digits and bytes are in the order of the text, the
    /// first in the low eight bits.
    ///
    /// Each byte is converted to its nibble and back to the digit of that nibble; a byte that does not come
    /// back unchanged is not a lower-case digit. No step carries from one byte into the next: the largest sum
    /// is 9 + 15 + 0x30 + 0x27.
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

    /// Writes the id as a JSON string. This costs less than writing its `description`.
    @inline(__always)
    public func write(into writer: inout JSONWriter) {
        switch self {
        case .uuid(let high, let low): writer.uuid(high, low)
        case .text(let text): writer.string(text)
        }
    }

    /// Writes the id as the member `name` of an open object.
    @inline(__always)
    public func write(as name: StaticString, into writer: inout JSONWriter) {
        switch self {
        case .uuid(let high, let low): writer.member(name, uuid: high, low)
        case .text(let text): writer.member(name, string: text)
        }
    }

    /// Appends the UTF-8 of `description` to `bytes`.
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

    /// Returns the usual form of a UUID, in lower case.
    private static func text(_ high: UInt64, _ low: UInt64) -> String {
        String(unsafeUninitializedCapacity: uuidLength) { buffer in
            if let base = buffer.baseAddress { json_uuid(base, high, low) }
            return uuidLength
        }
    }
}
