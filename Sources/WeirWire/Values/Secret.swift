/// Text that must never be shown. Its description is a constant; only `reveal()` returns the text.
public struct Secret: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let text: String
    /// Creates a secret that hides `text`.
    public init(_ text: String) { self.text = text }
    /// Returns the text itself. Call it only where the text is sent.
    public func reveal() -> String { text }
    /// A constant, so that string interpolation does not show the text.
    public var description: String { "‹secret›" }
    /// A constant, so that a debugger or a log does not show the text.
    public var debugDescription: String { description }
    /// An empty mirror, so that reflection does not show the text.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
