/// Patterns put together: `@work + @oncall - #noisy`. Of those that match a room, the last one decides.
package struct RoomExpression: Hashable, Sendable {
    /// One pattern of it.
    package struct Term: Hashable, Sendable {
        /// Whether rooms that match are left out.
        package var isExcluded: Bool
        /// Which rooms.
        package var pattern: RoomPattern
        /// A term.
        package init(_ pattern: RoomPattern, isExcluded: Bool = false) {
            self.isExcluded = isExcluded
            self.pattern = pattern
        }
    }

    /// The patterns, in order.
    package var terms: [Term]
    /// Terms an expression has at most, those in parentheses counted.
    static let mostTerms = 1000
    private static let deepest = 16

    /// An expression of these patterns.
    package init(_ terms: [Term]) { self.terms = terms }

    /// Reads an expression. Its operators stand between spaces; `-PATTERN` leaves out, too.
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

    /// Reads the words of a command line, each a pattern, an operator or an expression; between two patterns a plus is meant.
    package init(words: [String]) throws(RoomPatternError) {
        var terms: [Term] = []
        var pending: Bool?
        for word in words {
            if word == "+" || word == "-" {
                guard pending == nil else { throw RoomPatternError("two operators stand side by side") }
                pending = word == "-"
                continue
            }
            var read = try RoomExpression(parsing: word).terms
            if pending == true {
                // A minus before an expression is about what the whole of it means.
                let pattern = read.count == 1 ? read[0].pattern : .group(RoomExpression(read))
                guard read.count > 1 || !read[0].isExcluded else {
                    throw RoomPatternError("two operators stand side by side")
                }
                read = [Term(pattern, isExcluded: true)]
            }
            terms += read
            pending = nil
        }
        guard pending == nil else { throw RoomPatternError("a pattern is missing behind the operator") }
        self.terms = terms
        guard count <= Self.mostTerms else { throw RoomPatternError("more than \(Self.mostTerms) patterns") }
    }

    /// What a wish that was recorded means; one that cannot be read names a room.
    package init(recorded text: String) {
        self = (try? RoomExpression(parsing: text)) ?? RoomExpression([Term(.exact(text))])
    }

    /// How many patterns there are.
    private var count: Int {
        terms.reduce(0) { sum, term in
            if case .group(let group) = term.pattern { sum + group.count } else { sum + 1 }
        }
    }

    /// The sets that are named in it, in order, each once.
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

    /// The same with what the sets hold in the place of their names.
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

    /// Whether the room is meant.
    package func matches(_ room: RoomFacts) -> Bool { RoomMatcher(.group(self)).matches(room) }

    /// Whether text stands for itself between spaces and parentheses.
    static func isPlain(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first, !Scanner.isSign(first), !first.properties.isWhitespace,
            !text.unicodeScalars.contains(where: { $0 == "(" || $0 == ")" || $0 == "\"" })
        else { return false }
        var scanner = Scanner(rest: text.unicodeScalars[...])
        return scanner.word().text == text
    }

    /// Whether there is nothing to take apart, as far as a look at the bytes tells.
    private static func isOneWord(_ text: String) -> Bool {
        guard let first = text.utf8.first, first != UInt8(ascii: "+"), first != UInt8(ascii: "-") else { return false }
        return text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "\""): false
            default: byte > UInt8(ascii: " ") && byte < 0x7F
            }
        }
    }

    /// Takes an expression apart. By scalars: a stranger's name may begin with an accent, which is one character with the quotation mark
    /// before it.
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
                        throw RoomPatternError("two operators stand side by side")
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
                guard !text.isEmpty else { throw RoomPatternError("a pattern is missing behind the operator") }
                let pattern = try RoomPattern(parsing: text)
                // Else it would swallow the one that closes the group around it.
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

        /// Whether a space is next, and behind it an operator.
        private var standsBeforeOperator: Bool {
            var next = rest
            guard next.popFirst()?.properties.isWhitespace == true, let sign = next.popFirst(), Self.isSign(sign) else {
                return false
            }
            return next.first.map { $0.properties.isWhitespace || $0 == ")" } ?? true
        }

        private static let hint =
            #"a name with parentheses stands in quotation marks, and in /…/ a single one is \x28 or \x29"#

        /// Takes what belongs to one pattern: up to the next operator between spaces, or a parenthesis that was not opened in it.
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
                    // Elsewhere a quotation mark is a character as any other.
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
    /// As it is read again.
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
