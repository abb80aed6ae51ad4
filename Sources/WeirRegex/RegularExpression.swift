internal import CWeirRE2

/// A compiled regular expression in the syntax of RE2 (<https://github.com/google/re2/wiki/Syntax>).
///
/// Any expression, even from an untrusted source, matches in time proportional to the text and in bounded memory. Texts are UTF-8; bytes
/// that are not valid UTF-8 match nothing. If several matches begin at one position, the longest wins. `.` matches any character, including
/// a line end. It can be used from any thread.
package final class RegularExpression: Sendable {
    /// The reason why a text is not a valid expression.
    package struct Malformed: Error, Hashable, Sendable {
        /// RE2's description of the error, with the part of the expression that it refers to.
        package let message: String
    }

    /// The memory that RE2 may use for an expression and its caches, in bytes. RE2 refuses an expression that needs
    /// more.
    private static let mostMemory: Int64 = 4 << 20
    /// The longest error message, in characters. RE2's message may contain the whole expression.
    private static let longestMessage = 100

    private nonisolated(unsafe) let compiled: OpaquePointer

    /// Compiles an expression. Throws if RE2 refuses it.
    package init(_ text: String, ignoresCase: Bool = false) throws(Malformed) {
        compiled = Self.compile(text, ignoresCase)
        guard let message = cre2_error(compiled) else { return }
        throw Malformed(message: String(String(cString: message).prefix(Self.longestMessage)))
    }

    private static func compile(_ text: String, _ ignoresCase: Bool) -> OpaquePointer {
        var text = text
        return text.withUTF8 { text in
            text.withMemoryRebound(to: CChar.self) {
                cre2_compile($0.baseAddress, $0.count, ignoresCase, mostMemory)
            }
        }
    }

    deinit { cre2_free(compiled) }

    /// Returns whether the expression matches anywhere in a text.
    package func matches(_ text: String) -> Bool { matches(text.utf8.span) }

    /// Returns whether the expression matches anywhere in a text.
    package func matches(_ text: Span<UInt8>) -> Bool { find(in: text, from: 0, nil) }

    /// Returns whether the expression matches in any line. Lines end with LF.
    package func matchesLine(of text: [UInt8]) -> Bool {
        let text = text.span
        var start = 0
        while start < text.count {
            var end = start
            while end < text.count, text[end] != UInt8(ascii: "\n") { end += 1 }
            if matches(text.extracting(start..<end)) { return true }
            start = end + 1
        }
        return false
    }

    /// Returns the first match that begins at or after `start`, as a range of the text's bytes. `^` matches only the
    /// start of the text, not `start`.
    package func match(in text: [UInt8], from start: Int) -> Range<Int>? {
        var match = cre2_match()
        return find(in: text.span, from: start, &match) ? match.begin..<match.end : nil
    }

    private func find(in text: Span<UInt8>, from start: Int, _ match: UnsafeMutablePointer<cre2_match>?) -> Bool {
        text.withUnsafeBytes { text in
            cre2_find(compiled, text.baseAddress?.assumingMemoryBound(to: CChar.self), text.count, start, match)
        }
    }
}
