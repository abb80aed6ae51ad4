/// A type of the application's own.
public struct StreamsMarker {
    /// Creates the type.
    public init() {}
}
