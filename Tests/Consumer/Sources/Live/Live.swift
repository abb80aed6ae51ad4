/// A type of the application's own.
public struct LiveMarker {
    /// Creates the type.
    public init() {}
}
