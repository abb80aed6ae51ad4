/// What an entity model holds: values with an identity, that can be grouped, merged and compared.
///
/// Two values are equal when there is nothing to redraw between them: contents count, not identity alone.
public protocol ModelEntity: Equatable, Sendable {
    /// Identity; its order breaks the last ties.
    associatedtype UniqueValue: Hashable, Comparable, Sendable
    /// Unique over the whole model, and the same for the life of the entity.
    var uniqueValue: UniqueValue { get }
    /// The name of the section this entity belongs to when the model is grouped by `key`; nil for the one section without a name.
    subscript(key: String) -> String? { get }
    /// Takes over what a newer value of the same entity says. Replaces everything unless said otherwise.
    mutating func update(with entity: Self)
    /// Feeds all that makes the value what it is. Only a model that keeps a checksum asks; unless said otherwise nothing is
    /// fed, and the checksum then vouches for sections and order alone.
    func feed(_ digest: inout ElementDigest)
}

extension ModelEntity {
    /// No sections.
    @inlinable
    public subscript(key: String) -> String? { nil }

    /// Replaces everything.
    @inlinable
    public mutating func update(with entity: Self) { self = entity }

    /// Feeds nothing.
    @inlinable
    public func feed(_ digest: inout ElementDigest) {}
}

/// An entity with heavy properties that can be dropped and brought back.
public protocol FaultableEntity: ModelEntity {
    /// Whether the heavy properties are dropped.
    var isFault: Bool { get set }
    /// Drops the heavy properties. What the entity is grouped, sorted or filtered by is none of them.
    mutating func fault()
    /// Brings them back.
    mutating func fire()
}
