import Terminal

/// What is wrong with a filter, and where.
public struct FilterError: Error, Hashable, Sendable {
    /// One sentence, with what may have been meant.
    public let message: String
    /// The filter as it was given. It is whoever wrote it who reads this.
    public let source: String
    /// What is meant, counted in Unicode scalars of `source` from 0; at its end it is empty.
    public let range: Range<Int>

    /// The first character that is meant, from 1.
    public var column: Int { range.lowerBound + 1 }

    /// The filter with what is meant marked below it; both lines safe for a terminal.
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

    /// Characters shown on both sides of what is meant.
    private static let (before, behind) = (50, 30)
}
