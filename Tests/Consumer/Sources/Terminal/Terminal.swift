/// A type of the application's own.
public struct TerminalMarker {
    /// Creates the type.
    public init() {}
}
