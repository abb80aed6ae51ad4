/// What a sectioned collection holds: values with an identity, the section they belong to, and their place in it.
///
/// Section, order and identity are functions of the value alone; equal values have equal ones. All three must be totally
/// ordered: a value that is not equal to itself, as a floating-point NaN, has no place, and its element is refused.
public protocol SectionedElement: Equatable, Sendable {
    /// Unique over the whole collection. Its order breaks ties between equal sort keys.
    associatedtype ID: Hashable, Comparable, Sendable
    /// Names a section; sections stand in the order of their keys.
    associatedtype SectionKey: Hashable, Comparable, Sendable
    /// Orders the elements of a section.
    associatedtype SortKey: Comparable, Sendable
    /// Unique over the whole collection.
    var id: ID { get }
    /// The section this element belongs to.
    var sectionKey: SectionKey { get }
    /// The place in the section, ascending.
    var sortKey: SortKey { get }
    /// By what an id is looked up: equal ids have equal ones, which may be others in every process. Its `hashValue`, unless said otherwise.
    static func hash(of id: ID) -> Int
    /// Whether identity, section and sort key are each equal to themselves, as binary search needs them to be. They are compared, unless
    /// said otherwise: true for types whose keys always have a place in an order.
    var isOrdered: Bool { get }
    /// Feeds what makes the value what it is, keys included, besides what `feedIdentity` feeds before: equal values feed equally, in every
    /// process.
    ///
    /// Only asked for by a collection that keeps a checksum.
    func feed(_ digest: inout ElementDigest)
    /// Feeds what follows from identity and section alone; nothing, unless said otherwise. A collection does that once for a row, however
    /// often the row changes.
    func feedIdentity(_ digest: inout ElementDigest)
    /// Feeds a section's key; its description, unless said otherwise. Only asked for when sections are ranked.
    static func feed(_ section: SectionKey, _ digest: inout ElementDigest)
}

/// A place in a stated state of a collection: which section, which item in it, both counted from 0.
public struct SectionPath: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Index of the section.
    public var section: Int
    /// Index of the item in its section.
    public var item: Int
    /// A place.
    @inlinable
    public init(section: Int, item: Int) {
        self.section = section
        self.item = item
    }
    /// As it reads in a message.
    public var description: String { "section \(section), item \(item)" }
    /// Section first, then item.
    @inlinable
    public static func < (a: SectionPath, b: SectionPath) -> Bool { (a.section, a.item) < (b.section, b.item) }
    /// Both are the same.
    @inlinable
    public static func == (a: SectionPath, b: SectionPath) -> Bool { a.section == b.section && a.item == b.item }
}

extension SectionedElement {
    /// Feeds the description of the key.
    @inlinable
    public static func feed(_ section: SectionKey, _ digest: inout ElementDigest) { digest.feed("\(section)") }

    /// Feeds nothing.
    @inlinable
    public func feedIdentity(_ digest: inout ElementDigest) {}

    /// The `hashValue`.
    @inlinable
    public static func hash(of id: ID) -> Int { id.hashValue }

    /// Compares each with itself.
    @inlinable
    public var isOrdered: Bool { id == id && sectionKey == sectionKey && sortKey == sortKey }

    /// Whether the other element, of the same identity, would stand at the very same place in the total order.
    @inlinable
    func sharesPlace(with other: Self) -> Bool { sortKey == other.sortKey && sectionKey == other.sectionKey }
}
