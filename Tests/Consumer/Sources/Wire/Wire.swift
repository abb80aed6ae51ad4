/// A type of the application's own.
public struct WireMarker {
    /// Creates the type.
    public init() {}
}
