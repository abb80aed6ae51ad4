/// A type of the application's own.
public struct StoreMarker {
    /// Creates the type.
    public init() {}
}
