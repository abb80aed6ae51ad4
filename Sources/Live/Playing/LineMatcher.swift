import Pipeline
import RegularExpressions
import Terminal

/// Matches reports against a regular expression, using their compact lines without colours and at full length.
final class LineMatcher {
    private let pattern: RegularExpression

    init(_ pattern: RegularExpression) { self.pattern = pattern }

    /// Returns whether any line of the reports matches.
    func matches(_ reports: [StampedReport]) -> Bool {
        var lines = EventLines(isCompact: true, width: nil)
        var buffer = TerminalBuffer()
        for report in reports { lines.append(report, to: &buffer) }
        return !buffer.bytes.isEmpty && pattern.matchesLine(of: buffer.bytes)
    }
}
