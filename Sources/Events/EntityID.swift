/// The id of an entity. A UUID in its usual form (lower case, 36 characters) is kept as 16 bytes, anything else as text.
public enum EntityID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The two halves of a UUID, big-endian.
    case uuid(UInt64, UInt64)
    /// Any other id.
    case text(String)

    /// The id written as `string`.
    public init(_ string: String) { fatalError("stub") }
    /// The id as the backend writes it.
    public var description: String { fatalError("stub") }
    public static func < (a: EntityID, b: EntityID) -> Bool { fatalError("stub") }
}
