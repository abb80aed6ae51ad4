/// An entity of an entity model: a value with an identity that can be grouped, merged and compared.
///
/// Two values are equal when there is nothing to redraw between them: contents count, not identity alone.
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
