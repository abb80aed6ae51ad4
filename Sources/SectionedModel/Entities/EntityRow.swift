/// An entity in its row: all the model decided by when the entity was written is copied in.
public struct EntityRow<Entity: ModelEntity>: SectionedElement {
    /// Where the row stands in its section.
    public struct Place: Comparable, Sendable {
        @usableFromInline
        var key: OrderKey
        /// Orders rows of equal keys: by arrival, or as they were put.
        @usableFromInline
        var label: Int64

        @inlinable
        init(key: OrderKey, label: Int64) {
            self.key = key
            self.label = label
        }

        /// Key first, then label.
        @inlinable
        public static func < (a: Place, b: Place) -> Bool { a.key < b.key || (a.key == b.key && a.label < b.label) }
    }

    /// The place in the section.
    public var sortKey: Place
    /// The section the row stands in.
    public var sectionName: String
    /// The section the entity named itself; the row stands in another while somebody has moved it there.
    @usableFromInline
    var ownSectionName: String
    /// Counts how often heavy properties were dropped or brought back: entities that are equal may differ in them.
    @usableFromInline
    var revision: UInt32 = 0
    /// The entity.
    public var entity: Entity

    @inlinable
    init(_ entity: Entity, in section: String, at place: Place) {
        self.entity = entity
        sectionName = section
        ownSectionName = section
        sortKey = place
    }

    /// The entity's unique value.
    @inlinable
    public var id: Entity.UniqueValue { entity.uniqueValue }

    /// The section's name.
    @inlinable
    public var sectionKey: String { sectionName }

    /// Feeds section, order and what the entity feeds.
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
