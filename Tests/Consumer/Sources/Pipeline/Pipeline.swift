/// A type of the application's own.
public struct PipelineMarker {
    /// Creates the type.
    public init() {}
}
