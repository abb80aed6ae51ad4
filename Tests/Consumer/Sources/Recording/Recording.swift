/// A type of the application's own.
public struct RecordingMarker {
    /// Creates the type.
    public init() {}
}
