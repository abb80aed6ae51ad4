internal import CRE2

/// A regular expression in the syntax of RE2 (<https://github.com/google/re2/wiki/Syntax>), compiled. Whatever it asks for, and whatever a
/// stranger wrote, looking for it takes time in proportion to the text and bounded memory. Texts are UTF-8; bytes that are none match nothing. Of
/// the matches that begin at one place the longest counts, and `.` is any character. For any thread.
package final class RegularExpression: Sendable {
    /// Why an expression is none.
    package struct Malformed: Error, Hashable, Sendable {
        /// What RE2 says of it, with the part that it means.
        package let message: String
    }

    /// What RE2 may take for an expression and its caches, in bytes. One that would take more is refused.
    private static let mostMemory: Int64 = 4 << 20
    /// The most that is told of a refusal, in characters: it may hold the whole expression.
    private static let longestMessage = 100

    private nonisolated(unsafe) let compiled: OpaquePointer

    /// Compiles an expression.
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

    /// Whether it matches somewhere in a text.
    package func matches(_ text: String) -> Bool { matches(text.utf8.span) }

    /// Whether it matches somewhere in a text.
    package func matches(_ text: Span<UInt8>) -> Bool { find(in: text, from: 0, nil) }

    /// Whether one of the lines matches.
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

    /// The first match that begins at `start` or behind it, as a range of the text's bytes. `^` is the text's begin, and no other `start`.
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
