/// A type of the application, next to the module of Weir that has a similar name.
public struct NetworkMarker {
    /// Creates a value, which the consumer prints along with the others.
    public init() {}
}
