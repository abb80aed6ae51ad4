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
    case other(AnyOrderKey)
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
