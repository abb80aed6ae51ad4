/// A text that must never be shown: its description is a constant, and only `reveal()` gives it away.
public struct Secret: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let text: String
    /// Hides `text`.
    public init(_ text: String) { self.text = text }
    /// The text itself, for the one place that sends it.
    public func reveal() -> String { text }
    /// A constant.
    public var description: String { "‹secret›" }
    /// A constant.
    public var debugDescription: String { description }
    /// Nothing inside.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
