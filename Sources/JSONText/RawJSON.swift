/// One JSON value kept as its text: checked once, copied through, decoded when somebody asks.
public struct RawJSON: Hashable, Sendable, CustomStringConvertible {
    /// The text of exactly one JSON value, UTF-8.
    public var bytes: ArraySlice<UInt8>
    /// Keeps `bytes`, which must already be known to be one valid JSON value.
    public init(unchecked bytes: ArraySlice<UInt8>) { self.bytes = bytes }
    /// Keeps `bytes`, without surrounding white space, after checking that they are one JSON value.
    public init(checking bytes: ArraySlice<UInt8>) throws(JSONError) {
        var reader = JSONReader(bytes.span)
        let range = try reader.skip()
        try reader.end()
        self.bytes = bytes[bytes.startIndex + range.lowerBound..<bytes.startIndex + range.upperBound]
    }
    /// The text.
    public var description: String { String(decoding: bytes, as: UTF8.self) }
}
