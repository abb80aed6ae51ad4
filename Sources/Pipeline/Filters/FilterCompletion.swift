/// What may come next at the end of a filter that is being typed: a field, an operator, a value, or a word that joins.
package struct FilterCompletion {
    private let text: String
    /// The text before the word that is completed.
    package let head: String
    /// Words that may stand there, each whole and in quotes where it needs them, in the order they are offered.
    package let words: [String]

    /// `values` gives what is known of the values of a field that is no closed list; `paths` are fields of the payload.
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

    /// The text with what all the words have in common, never less than was typed; with the whole word when there is one.
    package var completed: String {
        guard let first = words.first else { return text }
        if words.count == 1 { return head + first + (first == "(" ? "" : " ") }
        let common = head + words.dropFirst().reduce(first[...]) { $0.commonPrefix(with: $1) }
        return common.hasPrefix(text) ? common : text
    }

    /// The word at the end, which may be empty, and what is before it. A quote that is open belongs to its word.
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

    /// The field of which a value comes next: after its operator, or within the parentheses after `in`.
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

    /// Words, signs and quoted texts, one after another.
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
