/// A type of the application's own.
public struct EventsMarker {
    /// Creates the type.
    public init() {}
}
