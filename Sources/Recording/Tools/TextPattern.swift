import RegularExpressions

/// A pattern to search for in bytes: a regular expression in RE2 syntax, or plain text.
package final class TextPattern {
    /// An error for an invalid pattern.
    package struct Malformed: Error {
        /// The error message of the library.
        package var message: String
    }

    private enum Form {
        case fixed([UInt8])
        case expression(RegularExpression)
    }

    private let form: Form
    private let ignoresCase: Bool

    /// Creates a pattern. With `isFixed` it is plain text instead of a regular expression.
    package init(_ pattern: String, isFixed: Bool = false, ignoresCase: Bool = false) throws(Malformed) {
        self.ignoresCase = ignoresCase
        if isFixed {
            form = .fixed(Array(pattern.utf8).map { ignoresCase ? Self.lowered($0) : $0 })
            return
        }
        do throws(RegularExpression.Malformed) {
            form = .expression(try RegularExpression(pattern, ignoresCase: ignoresCase))
        } catch {
            throw Malformed(message: error.message)
        }
    }

    /// Returns the first match in `text` that begins at or after `start`.
    func match(in text: [UInt8], from start: Int = 0) -> Range<Int>? {
        guard start <= text.count else { return nil }
        switch form {
        case .fixed(let needle): return fixedMatch(needle, in: text, from: start)
        case .expression(let expression): return expression.match(in: text, from: start)
        }
    }

    /// Returns all matches that are not empty.
    func matches(in text: [UInt8]) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var place = 0
        while let match = match(in: text, from: place) {
            if !match.isEmpty { found.append(match) }
            place = max(match.upperBound, match.lowerBound + 1)
        }
        return found
    }

    private func fixedMatch(_ needle: [UInt8], in text: [UInt8], from start: Int) -> Range<Int>? {
        guard let first = needle.first else { return start..<start }
        guard text.count - start >= needle.count else { return nil }
        for place in start...(text.count - needle.count) {
            let byte = ignoresCase ? Self.lowered(text[place]) : text[place]
            guard byte == first else { continue }
            let isMatch = needle.indices.allSatisfy {
                (ignoresCase ? Self.lowered(text[place + $0]) : text[place + $0]) == needle[$0]
            }
            if isMatch { return place..<place + needle.count }
        }
        return nil
    }

    /// Lowers only ASCII letters, since case outside ASCII cannot be decided by single bytes.
    private static func lowered(_ byte: UInt8) -> UInt8 {
        byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
    }
}
