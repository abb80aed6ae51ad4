/// An element of a sectioned collection: a value with an identity, the section that it belongs
/// to, and its position there.
///
/// Section, order and identity depend on the value alone: equal values have equal ones. All three must
/// be totally ordered. A value that does not equal itself, such as a floating-point NaN, has no
/// position, and its element is refused.
public protocol SectionedElement: Equatable, Sendable {
    /// The type of the identity, which is unique across the whole collection. Its order breaks
    /// ties between equal sort keys.
    associatedtype ID: Hashable, Comparable, Sendable
    /// The type that names a section. Sections are in the order of (rank, key).
    associatedtype SectionKey: Hashable, Comparable, Sendable
    /// The type that orders the elements of a section.
    associatedtype SortKey: Comparable, Sendable
    /// The identity, which is unique across the whole collection.
    var id: ID { get }
    /// The section that this element belongs to.
    var sectionKey: SectionKey { get }
    /// The position in the section, ascending.
    var sortKey: SortKey { get }
    /// Returns the hash by which an id is looked up. Equal ids have equal hashes, which may differ from process to
    /// process. The default is the id's `hashValue`.
    static func hash(of id: ID) -> Int
    /// Whether identity, section and sort key each equal themselves, as binary search requires. The default compares
    /// each with itself; types whose keys always have a position in an order can return true.
    var isOrdered: Bool { get }
    /// Feeds everything that determines the value, including its keys, but not what `feedIdentity` already fed. Equal
    /// values feed equally, in every process.
    ///
    /// Only a collection that keeps a checksum calls this.
    func feed(_ digest: inout ElementDigest)
    /// Feeds what follows from identity and section alone; the default feeds nothing. A collection keeps the result
    /// while a row changes within its section.
    func feedIdentity(_ digest: inout ElementDigest)
    /// Feeds a section's key; the default feeds its description. Only called when sections have ranks.
    static func feed(_ section: SectionKey, _ digest: inout ElementDigest)
}

/// A position in a given state of a collection: the section, and the item within it, both counted from 0.
public struct SectionPath: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The index of the section, from 0.
    public var section: Int
    /// The index of the item within its section, from 0.
    public var item: Int
    /// Creates the path of an item in a section.
    @inlinable
    public init(section: Int, item: Int) {
        self.section = section
        self.item = item
    }
    /// The path as it appears in messages.
    public var description: String { "section \(section), item \(item)" }
    /// Orders paths by section, then by item.
    @inlinable
    public static func < (a: SectionPath, b: SectionPath) -> Bool { (a.section, a.item) < (b.section, b.item) }
    /// Returns whether both section and item are equal.
    @inlinable
    public static func == (a: SectionPath, b: SectionPath) -> Bool { a.section == b.section && a.item == b.item }
}

extension SectionedElement {
    /// Feeds the description of the key.
    @inlinable
    public static func feed(_ section: SectionKey, _ digest: inout ElementDigest) { digest.feed("\(section)") }

    /// Feeds nothing, which is the default.
    @inlinable
    public func feedIdentity(_ digest: inout ElementDigest) {}

    /// Returns the `hashValue` of the id.
    @inlinable
    public static func hash(of id: ID) -> Int { id.hashValue }

    /// Whether identity, section and sort key each equal themselves, found by comparison.
    @inlinable
    public var isOrdered: Bool { id == id && sectionKey == sectionKey && sortKey == sortKey }

    /// Returns whether another element with the same identity has the same position in the total order.
    @inlinable
    func sharesPlace(with other: Self) -> Bool { sortKey == other.sortKey && sectionKey == other.sectionKey }
}

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
