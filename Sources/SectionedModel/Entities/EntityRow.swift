/// An entity in its row, with a copy of everything that decided its place when it was written.
public struct EntityRow<Entity: ModelEntity>: SectionedElement {
    /// The position of a row in its section.
    public struct Place: Comparable, Sendable {
        @usableFromInline
        var key: OrderKey
        /// Orders rows with equal keys: by arrival, or by moves by hand.
        @usableFromInline
        var label: Int64

        @inlinable
        init(key: OrderKey, label: Int64) {
            self.key = key
            self.label = label
        }

        /// Orders places by key, then by label.
        @inlinable
        public static func < (a: Place, b: Place) -> Bool { a.key < b.key || (a.key == b.key && a.label < b.label) }
    }

    /// The position of the row in its section.
    public var sortKey: Place
    /// The section that contains the row.
    public var sectionName: String
    /// The section that the entity names. The row is in another one while a move by hand keeps it there.
    @usableFromInline
    var ownSectionName: String
    /// The number of times heavy properties were dropped or loaded again: equal entities may differ in these.
    @usableFromInline
    var revision: UInt32 = 0
    /// The entity of the row, as written.
    public var entity: Entity

    @inlinable
    init(_ entity: Entity, in section: String, at place: Place) {
        self.entity = entity
        sectionName = section
        ownSectionName = section
        sortKey = place
    }

    /// The unique value of the entity.
    @inlinable
    public var id: Entity.UniqueValue { entity.uniqueValue }

    /// The name of the row's section.
    @inlinable
    public var sectionKey: String { sectionName }

    /// Feeds the section, the label, and what the entity feeds.
    @inlinable
    public func feed(_ digest: inout ElementDigest) {
        digest.feed(sectionName)
        digest.feed(sortKey.label)
        entity.feed(&digest)
    }

    @inlinable
    var label: Int64 {
        get { sortKey.label }
        set { sortKey.label = newValue }
    }
}
