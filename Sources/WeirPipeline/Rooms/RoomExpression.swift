/// A combination of patterns, such as `@work + @oncall - #noisy`. The last pattern that matches a room decides.
package struct RoomExpression: Hashable, Sendable {
    /// A pattern of an expression, and its sign.
    package struct Term: Hashable, Sendable {
        /// Whether matching rooms are excluded.
        package var isExcluded: Bool
        /// The pattern that selects the rooms.
        package var pattern: RoomPattern
        /// Creates a term, which includes matching rooms by default.
        package init(_ pattern: RoomPattern, isExcluded: Bool = false) {
            self.isExcluded = isExcluded
            self.pattern = pattern
        }
    }

    /// The terms, in the order in which they are written.
    package var terms: [Term]
    /// The maximum number of terms in an expression, including those in parentheses.
    static let mostTerms = 1000
    private static let deepest = 16

    /// Creates an expression from terms.
    package init(_ terms: [Term]) { self.terms = terms }

    /// Parses an expression. Operators must be surrounded by spaces; `-PATTERN` also excludes.
    package init(parsing text: String) throws(RoomPatternError) {
        // Most expressions name one room, and there may be thousands of them.
        if Self.isOneWord(text) {
            terms = [Term(try RoomPattern(parsing: text))]
            return
        }
        var scanner = Scanner(rest: text.unicodeScalars[...])
        terms = try scanner.terms(depth: 0)
        guard count <= Self.mostTerms else { throw RoomPatternError("more than \(Self.mostTerms) patterns") }
    }

    /// Parses the words of a command line. Each is a pattern, an operator or an expression. A plus is implied between
    /// two patterns.
    package init(words: [String]) throws(RoomPatternError) {
        var terms: [Term] = []
        var pending: Bool?
        for word in words {
            if word == "+" || word == "-" {
                guard pending == nil else { throw RoomPatternError("two operators without a pattern between them") }
                pending = word == "-"
                continue
            }
            var read = try RoomExpression(parsing: word).terms
            if pending == true {
                // A minus before an expression applies to the expression as a whole.
                let pattern = read.count == 1 ? read[0].pattern : .group(RoomExpression(read))
                guard read.count > 1 || !read[0].isExcluded else {
                    throw RoomPatternError("two operators without a pattern between them")
                }
                read = [Term(pattern, isExcluded: true)]
            }
            terms += read
            pending = nil
        }
        guard pending == nil else { throw RoomPatternError("a pattern is missing after the operator") }
        self.terms = terms
        guard count <= Self.mostTerms else { throw RoomPatternError("more than \(Self.mostTerms) patterns") }
    }

    /// Creates the expression of a recorded wish. Text that cannot be parsed names a room.
    package init(recorded text: String) {
        self = (try? RoomExpression(parsing: text)) ?? RoomExpression([Term(.exact(text))])
    }

    /// The number of patterns, including those in parentheses.
    private var count: Int {
        terms.reduce(0) { sum, term in
            if case .group(let group) = term.pattern { sum + group.count } else { sum + 1 }
        }
    }

    /// The names of the sets in the expression, in order and without duplicates.
    package var setNames: [String] {
        var names: [String] = []
        for term in terms {
            switch term.pattern {
            case .set(let name): if !names.contains(name) { names.append(name) }
            case .group(let group): names += group.setNames.filter { !names.contains($0) }
            case .exact, .title, .glob, .expression, .selector: break
            }
        }
        return names
    }

    /// Returns the expression with the names of sets replaced by their contents.
    package func expanding(_ sets: [String: RoomExpression]) throws(RoomPatternError) -> RoomExpression {
        let expanded = try expanding(sets, within: [])
        guard expanded.count <= Self.mostTerms else {
            throw RoomPatternError("the sets hold more than \(Self.mostTerms) patterns")
        }
        return expanded
    }

    private func expanding(
        _ sets: [String: RoomExpression], within names: [String]
    ) throws(RoomPatternError) -> RoomExpression {
        guard names.count < Self.deepest, count <= Self.mostTerms else {
            throw RoomPatternError("sets within sets are too deep")
        }
        var result: [Term] = []
        for term in terms {
            switch term.pattern {
            case .exact, .title, .glob, .expression, .selector: result.append(term)
            case .group(let group):
                result.append(Term(.group(try group.expanding(sets, within: names)), isExcluded: term.isExcluded))
            case .set(let name):
                guard !names.contains(name) else { throw RoomPatternError("the set @\(name) holds itself") }
                guard let set = sets[name] else {
                    throw RoomPatternError("there is no set @\(name)", word: name, among: sets.keys.sorted())
                }
                let group = try set.expanding(sets, within: names + [name])
                result.append(Term(.group(group), isExcluded: term.isExcluded))
            }
        }
        return RoomExpression(result)
    }

    /// Returns whether the expression includes a room.
    package func matches(_ room: RoomFacts) -> Bool { RoomMatcher(.group(self)).matches(room) }

    /// Returns whether text is a single word that needs no quotation marks in an expression.
    static func isPlain(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first, !Scanner.isSign(first), !first.properties.isWhitespace,
            !text.unicodeScalars.contains(where: { $0 == "(" || $0 == ")" || $0 == "\"" })
        else { return false }
        var scanner = Scanner(rest: text.unicodeScalars[...])
        return scanner.word().text == text
    }

    /// Returns whether the text is a single pattern, as far as its bytes show.
    private static func isOneWord(_ text: String) -> Bool {
        guard let first = text.utf8.first, first != UInt8(ascii: "+"), first != UInt8(ascii: "-") else { return false }
        return text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "\""): false
            default: byte > UInt8(ascii: " ") && byte < 0x7F
            }
        }
    }

    /// A parser for expressions. It reads Unicode scalars, because a peer's name may begin with an accent, which forms
    /// one character with the quotation mark before it.
    private struct Scanner {
        var rest: Substring.UnicodeScalarView

        mutating func terms(depth: Int) throws(RoomPatternError) -> [Term] {
            guard depth < RoomExpression.deepest else { throw RoomPatternError("parentheses are too deep") }
            var terms: [Term] = []
            while true {
                skipSpaces()
                guard let first = rest.first else { break }
                if first == ")" {
                    guard depth == 0 else { break }
                    throw RoomPatternError("nothing is open that ) could close; \(Self.hint)")
                }
                if Self.isSign(first) {
                    rest.removeFirst()
                    skipSpaces()
                    if let next = rest.first, Self.isSign(next) {
                        throw RoomPatternError("two operators without a pattern between them")
                    }
                }
                terms.append(Term(try pattern(depth: depth), isExcluded: first == "-"))
            }
            guard depth == 0 || !terms.isEmpty else { throw RoomPatternError("parentheses are empty") }
            return terms
        }

        private mutating func pattern(depth: Int) throws(RoomPatternError) -> RoomPattern {
            guard rest.first == "(" else {
                let (text, isClosed) = word()
                guard !text.isEmpty else { throw RoomPatternError("a pattern is missing after the operator") }
                let pattern = try RoomPattern(parsing: text)
                // Otherwise the pattern would swallow the parenthesis that closes the group around it.
                guard isClosed else { throw RoomPatternError("a parenthesis is not closed; \(Self.hint)") }
                return pattern
            }
            rest.removeFirst()
            let inner = try terms(depth: depth + 1)
            guard rest.popFirst() == ")" else { throw RoomPatternError("a parenthesis is not closed") }
            return .group(RoomExpression(inner))
        }

        private mutating func skipSpaces() { rest = rest.drop { $0.properties.isWhitespace } }

        static func isSign(_ scalar: Unicode.Scalar) -> Bool { scalar == "+" || scalar == "-" }

        /// Whether a space follows, and an operator after it.
        private var standsBeforeOperator: Bool {
            var next = rest
            guard next.popFirst()?.properties.isWhitespace == true, let sign = next.popFirst(), Self.isSign(sign) else {
                return false
            }
            return next.first.map { $0.properties.isWhitespace || $0 == ")" } ?? true
        }

        private static let hint =
            #"write a name with parentheses in quotation marks, and a single one in /…/ as \x28 or \x29"#

        /// Reads one pattern: up to the next operator between spaces, or a closing parenthesis that was not opened in
        /// the pattern.
        mutating func word() -> (text: String, isClosed: Bool) {
            var word = String.UnicodeScalarView()
            var (open, isQuoted) = (0, false)
            while let scalar = rest.first {
                if isQuoted {
                    if scalar == "\\" { word.append(rest.removeFirst()) }
                    if scalar == "\"" { isQuoted = false }
                } else if standsBeforeOperator || (scalar == ")" && open == 0) {
                    break
                } else {
                    if scalar == "(" { open += 1 }
                    if scalar == ")" { open -= 1 }
                    // Elsewhere a quotation mark is an ordinary character.
                    if scalar == "\"" { isQuoted = word.isEmpty || word.elementsEqual("#".unicodeScalars) }
                }
                if let taken = rest.popFirst() { word.append(taken) }
            }
            while let last = word.last, last.properties.isWhitespace { word.removeLast() }
            return (String(word), open == 0)
        }
    }
}

extension RoomExpression: CustomStringConvertible {
    /// The expression in the syntax that `init(parsing:)` reads.
    package var description: String {
        var text = ""
        for term in terms {
            if text.isEmpty {
                text = (term.isExcluded ? "-" : "") + "\(term.pattern)"
            } else {
                text += (term.isExcluded ? " - " : " + ") + "\(term.pattern)"
            }
        }
        return text
    }
}
