/// The order of the entities in a section. It can be changed while a model contains entities.
public struct EntityOrder<Entity: ModelEntity>: Sendable {
    @usableFromInline
    enum Rule: Sendable {
        /// The order of arrival, and of moves by hand.
        case manual
        case keys(@Sendable (Entity) -> OrderKey)
        case comparing(@Sendable (Entity, Entity) -> Bool)
    }

    @usableFromInline
    let rule: Rule

    @inlinable
    init(rule: Rule) { self.rule = rule }

    /// The order of arrival, and of moves by hand: new entities are last.
    @inlinable
    public static var manual: EntityOrder { EntityOrder(rule: .manual) }

    /// Returns the ascending order of a key. Entities with equal keys keep the order of their arrival.
    ///
    /// The key is copied when the entity is written; this is the fastest order.
    @inlinable
    public static func ascending<Key: Comparable & Sendable>(
        _ key: @escaping @Sendable (Entity) -> Key
    ) -> EntityOrder {
        EntityOrder(rule: .keys { OrderKey(key($0), descending: false) })
    }

    /// Returns the descending order of a key. Entities with equal keys keep the order of their arrival.
    @inlinable
    public static func descending<Key: Comparable & Sendable>(
        _ key: @escaping @Sendable (Entity) -> Key
    ) -> EntityOrder {
        EntityOrder(rule: .keys { OrderKey(key($0), descending: true) })
    }

    /// Returns the order of a comparison, as `sort(by:)` takes it: a strict weak order that depends on the values
    /// alone. Prefer a key if there is one.
    ///
    /// A comparison that is not such an order makes a strange order, and nothing worse: a row has its position once it
    /// is written, and is compared again only when it changes.
    @inlinable
    public static func comparing(
        _ areInIncreasingOrder: @escaping @Sendable (Entity, Entity) -> Bool
    ) -> EntityOrder {
        EntityOrder(rule: .comparing(areInIncreasingOrder))
    }

    /// Returns this order, with another one among the entities that are equal in it. Nothing can follow a manual order.
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

    /// Returns the key to copy into the row.
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

/// The order of sections. It can be changed while a model contains entities.
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

    /// The order of arrival: a new section is last.
    @inlinable
    public static var arrival: SectionOrder { SectionOrder(rule: .arrival) }

    /// The ascending order of the names.
    @inlinable
    public static var name: SectionOrder { SectionOrder(rule: .name) }

    /// Returns the ascending order of a key of the sections' contents. Sections with equal keys keep their relative
    /// order. A section is evaluated again when anything in its contents changes.
    @inlinable
    public static func ascending<Key: Comparable & SendableMetatype>(
        _ key: @escaping @Sendable (SectionInfo<Entity>) -> Key
    ) -> SectionOrder {
        .comparing { key($0) < key($1) }
    }

    /// Returns the descending order of a key of the sections' contents.
    @inlinable
    public static func descending<Key: Comparable & SendableMetatype>(
        _ key: @escaping @Sendable (SectionInfo<Entity>) -> Key
    ) -> SectionOrder {
        .comparing { key($1) < key($0) }
    }

    /// Returns the order of a comparison, as `sort(by:)` takes it: a strict weak order of the sections' contents.
    @inlinable
    public static func comparing(
        _ areInIncreasingOrder: @escaping @Sendable (SectionInfo<Entity>, SectionInfo<Entity>) -> Bool
    ) -> SectionOrder {
        SectionOrder(rule: .comparing(areInIncreasingOrder))
    }
}

/// The key by which rows are sorted, copied from the entity when it is written, so that a later change
/// of the entity cannot affect it.
@usableFromInline
enum OrderKey: Sendable {
    /// The key of a model without a sort key; all are equal.
    case none
    case integer(Int64)
    case number(Double)
    case text(String)
    case textDescending(String)
    indirect case other(AnyOrderKey)
    /// Several keys, compared one after the other.
    case several([OrderKey])

    @inlinable
    init<Key: Comparable & Sendable>(_ key: Key, descending: Bool) {
        if let key = key as? Int {
            self = .integer(descending ? ~Int64(key) : Int64(key))
        } else if let key = key as? Int64 {
            self = .integer(descending ? ~key : key)
        } else if let key = key as? Double {
            self = .number(descending ? -key : key)
        } else if let key = key as? String {
            self = descending ? .textDescending(key) : .text(key)
        } else {
            self = .other(AnyOrderKey(key: key, isDescending: descending))
        }
    }

    /// The number of the case. All keys of one order have the same case; ordering the cases makes
    /// the order total for any keys.
    @inlinable
    var kind: Int {
        switch self {
        case .none: 0
        case .integer: 1
        case .number: 2
        case .text: 3
        case .textDescending: 4
        case .other: 5
        case .several: 6
        }
    }
}

extension OrderKey: Comparable {
    @inlinable
    static func == (a: OrderKey, b: OrderKey) -> Bool {
        switch (a, b) {
        case (.none, .none): true
        case (.integer(let a), .integer(let b)): a == b
        case (.number(let a), .number(let b)): a == b
        case (.text(let a), .text(let b)), (.textDescending(let a), .textDescending(let b)): a == b
        case (.other(let a), .other(let b)): a == b
        case (.several(let a), .several(let b)): a == b
        case (.none, _), (.integer, _), (.number, _), (.text, _), (.textDescending, _), (.other, _), (.several, _):
            false
        }
    }

    @inlinable
    static func < (a: OrderKey, b: OrderKey) -> Bool {
        switch (a, b) {
        case (.none, .none): false
        case (.integer(let a), .integer(let b)): a < b
        case (.number(let a), .number(let b)): a < b
        case (.text(let a), .text(let b)): a < b
        case (.textDescending(let a), .textDescending(let b)): b < a
        case (.other(let a), .other(let b)): a < b
        case (.several(let a), .several(let b)): a.lexicographicallyPrecedes(b)
        case (.none, _), (.integer, _), (.number, _), (.text, _), (.textDescending, _), (.other, _), (.several, _):
            a.kind < b.kind
        }
    }
}

/// A key of any comparable type; all keys of one order have the same type.
@usableFromInline
struct AnyOrderKey: Comparable, Sendable {
    @usableFromInline
    let key: any Comparable & Sendable
    @usableFromInline
    let isDescending: Bool

    @inlinable
    init(key: any Comparable & Sendable, isDescending: Bool) {
        self.key = key
        self.isDescending = isDescending
    }

    @inlinable
    static func == (a: AnyOrderKey, b: AnyOrderKey) -> Bool { isEqual(a.key, b.key) }

    @inlinable
    static func < (a: AnyOrderKey, b: AnyOrderKey) -> Bool {
        a.isDescending ? precedes(b.key, a.key) : precedes(a.key, b.key)
    }

    @inlinable
    static func isEqual<Key: Comparable>(_ a: Key, _ b: any Comparable & Sendable) -> Bool { a == b as? Key }

    @inlinable
    static func precedes<Key: Comparable>(_ a: Key, _ b: any Comparable & Sendable) -> Bool {
        (b as? Key).map { a < $0 } ?? false
    }
}
