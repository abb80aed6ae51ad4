/// A type of the application's own.
public struct NetworkMarker {
    /// Creates the type.
    public init() {}
}
