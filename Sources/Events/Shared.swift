/// An immutable value on the heap. Passing it on costs one reference count, whatever the value contains.
@usableFromInline
final class Shared<Value: Hashable & Sendable>: Hashable, Sendable {
    @usableFromInline let value: Value

    @usableFromInline
    init(_ value: Value) { self.value = value }

    @usableFromInline
    static func == (a: Shared, b: Shared) -> Bool { a === b || a.value == b.value }

    @usableFromInline
    func hash(into hasher: inout Hasher) { hasher.combine(value) }
}
