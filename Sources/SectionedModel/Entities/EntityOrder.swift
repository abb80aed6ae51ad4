/// How the entities of a section are ordered. Can be changed while a model holds entities.
public struct EntityOrder<Entity: ModelEntity>: Sendable {
    @usableFromInline
    enum Rule: Sendable {
        /// As they came, and as they were put by hand.
        case manual
        case keys(@Sendable (Entity) -> OrderKey)
        case comparing(@Sendable (Entity, Entity) -> Bool)
    }

    @usableFromInline
    let rule: Rule

    @inlinable
    init(rule: Rule) { self.rule = rule }

    /// As they came, and as they were put by hand: new entities come last.
    @inlinable
    public static var manual: EntityOrder { EntityOrder(rule: .manual) }

    /// By a key, ascending. Entities with equal keys stay in the order in which they came.
    ///
    /// The key is copied when the entity is written; this is the fastest order.
    @inlinable
    public static func ascending<Key: Comparable & Sendable>(
        _ key: @escaping @Sendable (Entity) -> Key
    ) -> EntityOrder {
        EntityOrder(rule: .keys { OrderKey(key($0), descending: false) })
    }

    /// By a key, descending. Entities with equal keys stay in the order in which they came.
    @inlinable
    public static func descending<Key: Comparable & Sendable>(
        _ key: @escaping @Sendable (Entity) -> Key
    ) -> EntityOrder {
        EntityOrder(rule: .keys { OrderKey(key($0), descending: true) })
    }

    /// By a comparison, as `sort(by:)` takes it: a strict weak order, of the values alone. Prefer a key where there is one.
    ///
    /// A comparison that is no such order makes a strange order, and nothing worse: a row has its place once it is written, and
    /// is compared again only when it changes.
    @inlinable
    public static func comparing(
        _ areInIncreasingOrder: @escaping @Sendable (Entity, Entity) -> Bool
    ) -> EntityOrder {
        EntityOrder(rule: .comparing(areInIncreasingOrder))
    }

    /// This order, and another among those it holds equal. Nothing can follow a manual order.
    @inlinable
    public func then(_ next: EntityOrder) -> EntityOrder {
        switch (rule, next.rule) {
        case (.manual, _), (_, .manual): self
        case (.keys(let first), .keys(let second)):
            EntityOrder(rule: .keys { .several([first($0), second($0)]) })
        case (.keys, .comparing), (.comparing, .keys), (.comparing, .comparing):
            EntityOrder(
                rule: .comparing { a, b in
                    if precedes(a, b) { return true }
                    return !precedes(b, a) && next.precedes(a, b)
                })
        }
    }

    @inlinable
    func precedes(_ a: Entity, _ b: Entity) -> Bool {
        switch rule {
        case .manual: false
        case .keys(let key): key(a) < key(b)
        case .comparing(let precedes): precedes(a, b)
        }
    }

    /// The key to be copied into the row.
    @inlinable
    func key(of entity: Entity) -> OrderKey {
        switch rule {
        case .manual, .comparing: .none
        case .keys(let key): key(entity)
        }
    }

    @inlinable
    var isManual: Bool {
        switch rule {
        case .manual: true
        case .keys, .comparing: false
        }
    }
}

/// How sections are ordered. Can be changed while a model holds entities.
public struct SectionOrder<Entity: ModelEntity>: Sendable {
    @usableFromInline
    enum Rule: Sendable {
        case arrival
        case name
        case comparing(@Sendable (SectionInfo<Entity>, SectionInfo<Entity>) -> Bool)
    }

    @usableFromInline
    let rule: Rule

    @inlinable
    init(rule: Rule) { self.rule = rule }

    /// As they came: a new section is the last one.
    @inlinable
    public static var arrival: SectionOrder { SectionOrder(rule: .arrival) }

    /// By name, ascending.
    @inlinable
    public static var name: SectionOrder { SectionOrder(rule: .name) }

    /// By a key of what is in them, ascending; sections with equal keys stay as they stood. A section is looked at again when
    /// anything in it has changed.
    @inlinable
    public static func ascending<Key: Comparable & SendableMetatype>(
        _ key: @escaping @Sendable (SectionInfo<Entity>) -> Key
    ) -> SectionOrder {
        .comparing { key($0) < key($1) }
    }

    /// By a key of what is in them, descending.
    @inlinable
    public static func descending<Key: Comparable & SendableMetatype>(
        _ key: @escaping @Sendable (SectionInfo<Entity>) -> Key
    ) -> SectionOrder {
        .comparing { key($1) < key($0) }
    }

    /// By a comparison, as `sort(by:)` takes it: a strict weak order of what is in the sections.
    @inlinable
    public static func comparing(
        _ areInIncreasingOrder: @escaping @Sendable (SectionInfo<Entity>, SectionInfo<Entity>) -> Bool
    ) -> SectionOrder {
        SectionOrder(rule: .comparing(areInIncreasingOrder))
    }
}
