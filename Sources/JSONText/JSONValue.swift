/// A JSON value as a tree; object members keep the order of the text. For places where speed does not matter.
public enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([Member])

    /// One member of an object.
    public struct Member: Hashable, Sendable {
        /// The key, escapes resolved.
        public var key: String
        /// The value.
        public var value: JSONValue
        /// A member.
        public init(_ key: String, _ value: JSONValue) {
            self.key = key
            self.value = value
        }
    }

    /// Parses a whole text.
    public init(parsing bytes: ArraySlice<UInt8>) throws(JSONError) { fatalError("stub") }

    /// The first member called `key`, when this is an object that has one.
    public subscript(key: String) -> JSONValue? { fatalError("stub") }
}

/// One JSON value kept as its text: checked once, copied through, decoded when somebody asks.
public struct RawJSON: Hashable, Sendable, CustomStringConvertible {
    /// The text of exactly one JSON value, UTF-8.
    public var bytes: ArraySlice<UInt8>
    /// Keeps `bytes`, which must already be known to be one valid JSON value.
    public init(unchecked bytes: ArraySlice<UInt8>) { self.bytes = bytes }
    /// Keeps `bytes` after checking that they are one JSON value.
    public init(checking bytes: ArraySlice<UInt8>) throws(JSONError) { fatalError("stub") }
    /// The text.
    public var description: String { String(decoding: bytes, as: UTF8.self) }
}
