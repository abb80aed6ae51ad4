/// Reads the text of a filter scalar by scalar. The caller decides what to read next, because a bare value may contain
/// characters that are operators elsewhere.
package struct FilterReader {
    package let source: String
    private let scalars: [Unicode.Scalar]
    private(set) var position = 0

    package init(_ source: String) {
        self.source = source
        scalars = Array(source.unicodeScalars)
    }

    package var count: Int { scalars.count }

    /// Skips spaces and returns the next scalar, or `nil` at the end.
    package mutating func peek() -> Unicode.Scalar? {
        while position < scalars.count, FilterSyntax.isSpace(scalars[position]) { position += 1 }
        return position < scalars.count ? scalars[position] : nil
    }

    package mutating func skip(_ count: Int = 1) { position = min(position + count, scalars.count) }

    package mutating func go(to place: Int) { position = place }

    /// Consumes `text` if it comes next.
    package mutating func take(_ text: String) -> Bool {
        _ = peek()
        guard scalars[position...].starts(with: text.unicodeScalars) else { return false }
        position += text.unicodeScalars.count
        return true
    }

    /// Reads a run of letters, digits, `_` and `-`, which may be empty.
    package mutating func word() -> String {
        _ = peek()
        return run(FilterSyntax.isKeyCharacter)
    }

    /// Consumes a keyword, in any case, if it comes next as a whole word.
    package mutating func take(keyword: String) -> Bool {
        _ = peek()
        let start = position
        guard word().lowercased() == keyword else {
            position = start
            return false
        }
        return true
    }

    /// Reads the scalars that satisfy a predicate. Does not skip leading spaces.
    package mutating func run(_ isWanted: (Unicode.Scalar) -> Bool) -> String {
        var text = String.UnicodeScalarView()
        while position < scalars.count, isWanted(scalars[position]) {
            text.append(scalars[position])
            position += 1
        }
        return String(text)
    }

    /// Reads a value, which is quoted or bare.
    package mutating func value() throws(FilterError) -> (text: String, isQuoted: Bool) {
        let first = peek()
        if first == "\"" || first == "'" { return (try quoted(), true) }
        let start = position
        let text = run(FilterSyntax.isValueCharacter)
        guard !text.isEmpty else { throw error("a value is missing", start..<start) }
        return (text, false)
    }

    /// Reads a quoted string and returns its contents.
    package mutating func quoted() throws(FilterError) -> String {
        let start = position
        let quote = scalars[position]
        position += 1
        var text = String.UnicodeScalarView()
        while position < scalars.count {
            let scalar = scalars[position]
            position += 1
            if scalar == quote { return String(text) }
            text.append(scalar == "\\" ? try escape() : scalar)
        }
        throw error("the quotes are not closed", start..<scalars.count)
    }

    private mutating func escape() throws(FilterError) -> Unicode.Scalar {
        let start = position - 1
        guard position < scalars.count else { throw error("the quotes are not closed", start..<position) }
        let scalar = scalars[position]
        position += 1
        switch scalar {
        case "\"", "'", "\\", "/": return scalar
        case "n": return "\n"
        case "r": return "\r"
        case "t": return "\t"
        case "u":
            if position < scalars.count, scalars[position] == "{" {
                position += 1
                let digits = run { $0 != "}" && FilterSyntax.isKeyCharacter($0) }
                if position < scalars.count, scalars[position] == "}", let value = UInt32(digits, radix: 16),
                    let scalar = Unicode.Scalar(value)
                {
                    position += 1
                    return scalar
                }
            }
        default: break
        }
        throw error(
            "a backslash must be followed by \", ', \\, n, r, t or u{…}; write \\\\ for a backslash", start..<position)
    }

    /// Reads a regular expression: between slashes (`\/` is a slash), quoted, or bare.
    package mutating func pattern() throws(FilterError) -> String {
        guard peek() == "/" else { return FilterReader.withPlainSlashes(try value().text) }
        let start = position
        position += 1
        var text = String.UnicodeScalarView()
        while position < scalars.count {
            let scalar = scalars[position]
            position += 1
            if scalar == "/" { return String(text) }
            if scalar == "\\", position < scalars.count {
                if scalars[position] != "/" { text.append(scalar) }
                text.append(scalars[position])
                position += 1
            } else {
                text.append(scalar)
            }
        }
        throw error("the regular expression has no second /", start..<scalars.count)
    }

    /// Removes the backslash from `\/`. Only a pattern between slashes needs it.
    private static func withPlainSlashes(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        var isEscaped = false
        for scalar in text.unicodeScalars {
            if isEscaped, scalar == "/" { result.removeLast() }
            result.append(scalar)
            isEscaped = scalar == "\\" && !isEscaped
        }
        return String(result)
    }

    package func error(_ message: String, _ range: Range<Int>) -> FilterError {
        // The range of something missing at the end may lie outside the text.
        FilterError(message: message, source: source, range: range.clamped(to: 0..<scalars.count))
    }
}

/// The lexical rules of filters, for reading and for printing.
package enum FilterSyntax {
    package static func isKeyCharacter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "_", "-": true
        default: false
        }
    }

    /// Whether a payload key can be written without quotes.
    package static func isPlainKey(_ key: String) -> Bool {
        !key.isEmpty && key.unicodeScalars.allSatisfy(isKeyCharacter)
    }

    package static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        scalar == " " || scalar == "\t" || scalar == "\n" || scalar == "\r"
    }

    /// Whether the scalar continues a bare value: anything except characters that have a meaning after a value.
    package static func isValueCharacter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "(", ")", ",", "\"", "'": false
        default: !isSpace(scalar)
        }
    }

    /// Returns a string in filter syntax: bare if it then reads as the same string, otherwise quoted.
    package static func value(_ text: String) -> String {
        let isPlain = text.unicodeScalars.allSatisfy { scalar in
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "_", "-", ".", "/", ":", "*", "?", "@", "#", "%", "+", "&": true
            default: false
            }
        }
        return isPlain && !text.isEmpty ? text : quoted(text)
    }

    /// Returns a string in double quotes, with escapes.
    package static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\" + String(scalar)
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            default:
                if scalar.value < 0x20 || scalar.value == 0x7F {
                    result += "\\u{" + String(scalar.value, radix: 16) + "}"
                } else {
                    result.unicodeScalars.append(scalar)
                }
            }
        }
        return result + "\""
    }

    /// Returns a regular expression between slashes.
    package static func pattern(_ text: String) -> String {
        var result = "/"
        var isEscaped = false
        for scalar in text.unicodeScalars {
            if scalar == "/", !isEscaped { result += "\\" }
            result.unicodeScalars.append(scalar)
            isEscaped = scalar == "\\" && !isEscaped
        }
        return result + "/"
    }
}
