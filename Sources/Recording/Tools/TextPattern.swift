import RegularExpressions

/// A regular expression (as RE2 has it) or a plain text that is looked for in bytes.
package final class TextPattern {
    /// Why a pattern is none.
    package struct Malformed: Error {
        /// What the library says of it.
        package var message: String
    }

    private enum Form {
        case fixed([UInt8])
        case expression(RegularExpression)
    }

    private let form: Form
    private let ignoresCase: Bool

    /// A pattern. `isFixed` takes it for text.
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

    /// The first match in `text` that begins at `start` or behind it.
    func match(in text: [UInt8], from start: Int = 0) -> Range<Int>? {
        guard start <= text.count else { return nil }
        switch form {
        case .fixed(let needle): return fixedMatch(needle, in: text, from: start)
        case .expression(let expression): return expression.match(in: text, from: start)
        }
    }

    /// All matches, none of them empty.
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

    /// ASCII letters alone: what else is a letter depends on more than bytes.
    private static func lowered(_ byte: UInt8) -> UInt8 {
        byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
    }
}
