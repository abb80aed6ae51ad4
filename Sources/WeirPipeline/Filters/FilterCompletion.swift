/// The completions at the end of a partly typed filter: fields, operators, values and connectives.
package struct FilterCompletion {
    private let text: String
    /// The text before the word to complete.
    package let head: String
    /// The possible words in the order to offer them. Each is complete, and quoted if necessary.
    package let words: [String]

    /// Computes the completions of `text`.
    ///
    /// - Parameters:
    ///   - kinds: The kinds that a profile declares.
    ///   - paths: Known payload fields, such as `payload.data.text`.
    ///   - values: Returns known values of a field that has no closed list of values.
    package init(
        of text: String, kinds: [String] = [], paths: [String] = [], values: (FilterField) -> [String] = { _ in [] }
    ) {
        let (head, word) = Self.split(text)
        (self.text, self.head) = (text, head)
        let wanted = word.drop { $0 == "\"" || $0 == "'" }
        words = Self.candidates(after: head, kinds, paths, values)
            .filter { $0.hasPrefix(word) || FilterSyntax.value($0).hasPrefix(word) || $0.hasPrefix(wanted) }
            .map { Self.isSyntax($0) ? $0 : FilterSyntax.value($0) }
    }

    /// The text extended by the common prefix of all words, or by the whole word when there is only one. It is never
    /// shorter than the typed text.
    package var completed: String {
        guard let first = words.first else { return text }
        if words.count == 1 { return head + first + (first == "(" ? "" : " ") }
        let common = head + words.dropFirst().reduce(first[...]) { $0.commonPrefix(with: $1) }
        return common.hasPrefix(text) ? common : text
    }

    /// Splits the text before its last word, which may be empty. An open quote belongs to the word.
    private static func split(_ text: String) -> (head: String, word: String) {
        var (start, quote): (String.Index, Character?) = (text.startIndex, nil)
        for index in text.indices {
            let sign = text[index]
            if let open = quote {
                if sign == open { quote = nil }
            } else if sign == "\"" || sign == "'" {
                (start, quote) = (index, sign)
            } else if " (,=!<>~&|".contains(sign) {
                start = text.index(after: index)
            }
        }
        return (String(text[..<start]), String(text[start...]))
    }

    private static func candidates(
        after head: String, _ kinds: [String], _ paths: [String], _ values: (FilterField) -> [String]
    ) -> [String] {
        let tokens = tokens(of: head)
        guard let last = tokens.last else { return fields(paths) }
        if last.lowercased() == "in" { return ["("] }
        if let field = field(valuedAfter: tokens) {
            if case .truth = field.domain { return ["true", "false"] }
            return field.words(with: kinds) ?? values(field)
        }
        if ["and", "or", "not", "(", "&&", "||", "!"].contains(last.lowercased()) { return fields(paths) }
        if let field = FilterField.named.first(where: { $0.name == last })?.field {
            return field.allowed.map(\.rawValue)
        }
        return last.hasPrefix("payload.") ? FilterTest.Operator.allCases.map(\.rawValue) : ["and", "or"]
    }

    private static func fields(_ paths: [String]) -> [String] { FilterField.named.map(\.name) + paths }

    /// Returns the field whose value comes next: after its operator, or inside the parentheses after `in`.
    private static func field(valuedAfter tokens: [String]) -> FilterField? {
        var rest = tokens[...]
        if ["(", ","].contains(rest.last) {
            guard let open = rest.lastIndex(of: "("), open > 0, rest[open - 1].lowercased() == "in" else { return nil }
            rest = rest[..<open]
        }
        guard let operation = rest.popLast()?.lowercased(), valued.contains(operation) else { return nil }
        if rest.last?.lowercased() == "not" { rest.removeLast() }
        return FilterField.named.first { $0.name == rest.last }?.field
    }

    private static let valued: Set<String> = ["=", "==", "!=", "<", "<=", ">", ">=", "~", "!~", "=~", "in", "like"]

    private static func isSyntax(_ word: String) -> Bool {
        word == "(" || word.hasPrefix("payload") || FilterTest.Operator(rawValue: word) != nil
    }

    /// Splits the text into words, operators and quoted strings.
    private static func tokens(of text: String) -> [String] {
        var (tokens, current, quote): ([String], String, Character?) = ([], "", nil)
        func isSign(_ character: Character) -> Bool { "=!<>~&|".contains(character) }
        func end() {
            if !current.isEmpty { tokens.append(current) }
            current = ""
        }
        for character in text {
            if let open = quote {
                current.append(character)
                if character == open { quote = nil }
            } else if character == " " {
                end()
            } else if "(,)".contains(character) {
                end()
                tokens.append(String(character))
            } else {
                if let last = current.last, isSign(last) != isSign(character) { end() }
                if character == "\"" || character == "'" { quote = character }
                current.append(character)
            }
        }
        end()
        return tokens
    }
}

extension Substring {
    fileprivate func commonPrefix(with other: String) -> Substring {
        prefix(zip(self, other).prefix { $0 == $1 }.count)
    }
}
