/// An immutable object that is downloaded at most once.
public struct StoreThing: Hashable, Sendable {
    /// The kinds of immutable objects.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The picture of an account.
        case picture
        /// The contents of a file.
        case file
    }

    /// The kind of the object; keys are unique within a kind.
    public var kind: Kind
    /// The identifier within the kind, such as the path it is downloaded from.
    public var key: String
    /// Creates the name of an immutable object.
    public init(_ kind: Kind, _ key: String) {
        self.kind = kind
        self.key = key
    }
}
