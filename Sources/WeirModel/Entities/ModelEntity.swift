/// An entity of an entity model: a value with an identity that can be grouped, merged and compared.
///
/// A write always stores the new value. It is reported unless the value is equal to the old one and has the same
/// contents. An `update` is always reported.
public protocol ModelEntity: Equatable, Sendable {
    /// The type of the identity. Its order breaks the last ties.
    associatedtype UniqueValue: Hashable, Comparable, Sendable
    /// The identity, which is unique across the whole model and the same for the lifetime of the entity.
    var uniqueValue: UniqueValue { get }
    /// The name of the entity's section when the model is grouped by `key`; `nil` for the
    /// single section without a name.
    subscript(key: String) -> String? { get }
    /// Merges a newer value of the same entity. The default replaces everything.
    mutating func update(with entity: Self)
    /// Returns whether two equal values of one entity also have the same contents; true by default. If `==` compares
    /// less than a list shows, such as the identity alone, compare the contents here, or return false to have every
    /// write reported.
    func hasSameContents(as other: Self) -> Bool
    /// Feeds everything that determines the value. Only a model that keeps a checksum calls this. The default feeds
    /// nothing, and the checksum then covers sections and order only.
    func feed(_ digest: inout ElementDigest)
}

extension ModelEntity {
    /// `nil` by default: the model has no sections.
    @inlinable
    public subscript(key: String) -> String? { nil }

    /// Replaces the whole value by `entity`.
    @inlinable
    public mutating func update(with entity: Self) { self = entity }

    /// Returns true: equal values have the same contents.
    @inlinable
    public func hasSameContents(as other: Self) -> Bool { true }

    /// Feeds nothing, which is the default.
    @inlinable
    public func feed(_ digest: inout ElementDigest) {}
}

/// An entity with heavy properties that can be dropped and loaded again.
public protocol FaultableEntity: ModelEntity {
    /// Whether the heavy properties are dropped.
    var isFault: Bool { get set }
    /// Drops the heavy properties. They must not be properties by which the entity is grouped, sorted or filtered.
    mutating func fault()
    /// Loads the dropped properties again.
    mutating func fire()
}

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
    /// Counts the changes that are reported although the contents are the same.
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
