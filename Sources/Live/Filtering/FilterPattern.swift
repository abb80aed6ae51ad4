import JSONText
import Recording

/// A regular expression of a filter, compiled. Not for several threads at once.
final class FilterPattern {
    private let pattern: RegularExpression

    /// Nil for one that cannot be compiled, which no checked filter has.
    init?(_ text: String) {
        guard let pattern = try? RegularExpression(text) else { return nil }
        self.pattern = pattern
    }

    /// Whether it matches somewhere in a text.
    func matches(_ text: String) -> Bool {
        let bytes = text.utf8.span
        return bytes.withUnsafeBufferPointer { pattern.matches($0) }
    }

    /// Whether it matches one of the lines.
    func matchesLine(of text: [UInt8]) -> Bool { pattern.matchesLine(of: text) }
}
