import Terminal

/// An error in the text of a filter, with its position.
public struct FilterError: Error, Hashable, Sendable {
    /// One sentence, with a suggestion where possible.
    public let message: String
    /// The text of the filter as its author wrote it. The message is for the author, so this may be shown.
    public let source: String
    /// The faulty part, in Unicode scalars of `source` from 0. Empty when something is missing at the end.
    public let range: Range<Int>

    /// The position of the first faulty character, counted from 1.
    public var column: Int { range.lowerBound + 1 }

    /// Two lines that are safe to print on a terminal: the filter, and a marker below the faulty part.
    public var excerpt: [String] {
        let scalars = Array(source.unicodeScalars)
        let start = min(max(range.lowerBound - Self.before, 0), scalars.count)
        let end = min(range.upperBound + Self.behind, scalars.count)
        func text(_ range: Range<Int>) -> String {
            var text = String.UnicodeScalarView()
            text.append(contentsOf: scalars[range.clamped(to: 0..<scalars.count)])
            return String(text)
        }
        let lead = start > 0 ? "…" : ""
        let line = lead + text(start..<max(start, end)) + (end < scalars.count ? "…" : "")
        let indent = TerminalText.width(of: lead + text(start..<max(start, range.lowerBound)))
        let width = max(TerminalText.width(of: text(range)), 1)
        return [
            TerminalText.escaped(line),
            String(repeating: " ", count: indent) + "^" + String(repeating: "~", count: width - 1),
        ]
    }

    /// The number of characters shown before and after the faulty part.
    private static let (before, behind) = (50, 30)
}
