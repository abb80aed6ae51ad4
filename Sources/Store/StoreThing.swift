/// Something that never changes once it is there, and is downloaded at most once.
public struct StoreThing: Hashable, Sendable {
    /// What it is.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// An account's picture.
        case picture
        /// A file's bytes.
        case file
    }

    /// What it is.
    public var kind: Kind
    /// Which one, such as the path it is downloaded from.
    public var key: String
    /// A thing.
    public init(_ kind: Kind, _ key: String) {
        self.kind = kind
        self.key = key
    }
}
