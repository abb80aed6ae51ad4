import Pipeline
import RegularExpressions
import Terminal

/// Finds the reports of which a compact line, as it is printed without colours and in full length, matches an expression.
final class LineMatcher {
    private let pattern: RegularExpression

    init(_ pattern: RegularExpression) { self.pattern = pattern }

    /// Whether one of the lines matches.
    func matches(_ reports: [StampedReport]) -> Bool {
        var lines = EventLines(isCompact: true, width: nil)
        var buffer = TerminalBuffer()
        for report in reports { lines.append(report, to: &buffer) }
        return !buffer.bytes.isEmpty && pattern.matchesLine(of: buffer.bytes)
    }
}
