import WeirEvents
import WeirJSON
import WeirRegex
import WeirTerminal
import WeirWire

/// A parser for filters that also checks each test against its field.
package struct FilterParser {
    /// The limits of a filter, which may come from another process. `mostCharacters` limits both the source and the
    /// printed form.
    package static let (mostCharacters, mostTests, deepest) = (65_536, 256, 64)

    package var reader: FilterReader
    /// The kinds that a profile declares. Filters may use them in addition to the known kinds.
    let kinds: [String]
    private var depth = 0
    private var tests = 0

    package init(_ text: String, kinds: [String] = []) {
        reader = FilterReader(text)
        self.kinds = kinds
    }

    package static func parse(_ text: String, kinds: [String] = []) throws(FilterError) -> FilterExpression {
        var parser = FilterParser(text, kinds: kinds)
        guard parser.reader.count <= mostCharacters else {
            throw parser.reader.error(
                "a filter has at most \(mostCharacters) characters", mostCharacters..<parser.reader.count)
        }
        guard parser.reader.peek() != nil else {
            throw parser.reader.error(
                "the expression is empty; write FIELD OPERATOR VALUE, such as kind = message", 0..<0)
        }
        let expression = try parser.alternatives()
        if let rest = parser.reader.peek() { throw parser.unexpected(rest) }
        return expression
    }

    private mutating func unexpected(_ scalar: Unicode.Scalar) -> FilterError {
        let start = reader.position
        if scalar == ")" { return reader.error("nothing is open that ) could close", start..<start + 1) }
        let word = reader.word()
        if let near = Suggestion.nearest(to: word.lowercased(), among: ["and", "or"]), !word.isEmpty {
            return reader.error("and or or is expected here; did you mean '\(near)'?", start..<reader.position)
        }
        let end = max(reader.position, start + 1)
        return reader.error("expected 'and' or 'or' here; write a value with spaces in quotes", start..<end)
    }

    // MARK: - Or, and, not

    private mutating func alternatives() throws(FilterError) -> FilterExpression {
        var parts = [try conjunction()]
        while takeConnective("or", "||") { parts.append(try conjunction()) }
        return .some(parts)
    }

    private mutating func conjunction() throws(FilterError) -> FilterExpression {
        var parts = [try negation()]
        while takeConnective("and", "&&") { parts.append(try negation()) }
        return .every(parts)
    }

    private mutating func takeConnective(_ keyword: String, _ sign: String) -> Bool {
        reader.take(keyword: keyword) || reader.take(sign)
    }

    private mutating func negation() throws(FilterError) -> FilterExpression {
        let start = reader.position
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.deepest else {
            throw reader.error("a filter is at most \(Self.deepest) deep", start..<start + 1)
        }
        guard let first = reader.peek() else {
            throw reader.error("something is missing at the end", reader.count..<reader.count)
        }
        if first == "!" {
            reader.skip()
            return .not(try negation())
        }
        if reader.take(keyword: "not") { return .not(try negation()) }
        if first == "(" { return try group() }
        if first == "/" {
            return .test(FilterTest(field: .text, operation: .matches, values: [try pattern(of: .text)]))
        }
        return try test()
    }

    private mutating func group() throws(FilterError) -> FilterExpression {
        let start = reader.position
        reader.skip()
        let inner = try alternatives()
        guard reader.peek() == ")" else {
            if let rest = reader.peek() { throw unexpected(rest) }
            throw reader.error("this ( is not closed", start..<start + 1)
        }
        reader.skip()
        return inner
    }

    // MARK: - A test

    private mutating func test() throws(FilterError) -> FilterExpression {
        tests += 1
        guard tests <= Self.mostTests else {
            throw reader.error("a filter has at most \(Self.mostTests) tests", reader.position..<reader.position + 1)
        }
        if reader.take(keyword: "exists") {
            return .test(FilterTest(field: try field().field, operation: .exists, values: []))
        }
        let (field, range) = try self.field()
        guard let operation = try operation(of: field) else { return .test(try bare(field, range)) }
        let values: [FilterValue] =
            switch operation {
            case .exists: []
            case .oneOf, .noneOf: try list(of: field)
            case .matches, .matchesNot: [try pattern(of: field)]
            case .like, .unlike: [try glob(of: field)]
            case .equal, .notEqual, .less, .atMost, .greater, .atLeast: [try value(of: field)]
            }
        return .test(FilterTest(field: field, operation: operation, values: values))
    }

    /// Returns the test for a bare Boolean field: `known` alone means `known = true`.
    private func bare(_ field: FilterField, _ range: Range<Int>) throws(FilterError) -> FilterTest {
        guard case .truth = field.domain else {
            throw reader.error(
                "an operator is missing after \(field): \(field.operators)", range.upperBound..<range.upperBound)
        }
        return FilterTest(field: field, operation: .equal, values: [.truth(true)])
    }

    private mutating func list(of field: FilterField) throws(FilterError) -> [FilterValue] {
        _ = reader.peek()
        let start = reader.position
        guard reader.take("(") else {
            throw reader.error("a list in parentheses is missing: in (…, …)", start..<start)
        }
        var values: [FilterValue] = []
        repeat {
            tests += 1
            guard tests <= Self.mostTests else {
                throw reader.error("a filter has at most \(Self.mostTests) tests", reader.position..<reader.position)
            }
            values.append(try value(of: field))
        } while reader.take(",")
        guard reader.take(")") else {
            throw reader.error("the list is not closed: , or ) is missing", reader.position..<reader.position)
        }
        return values
    }
}

extension FilterParser {
    package mutating func field() throws(FilterError) -> (field: FilterField, range: Range<Int>) {
        _ = reader.peek()
        let start = reader.position
        let name = reader.run { FilterSyntax.isKeyCharacter($0) }
        if name == "payload" { return (.payload(try steps(behind: start)), start..<reader.position) }
        let rest = reader.run { FilterSyntax.isKeyCharacter($0) || $0 == "." }
        let range = start..<max(reader.position, start + 1)
        guard let known = FilterField.named.first(where: { $0.name == name + rest }) else {
            throw unknown(field: name + rest, range)
        }
        return (known.field, range)
    }

    private func unknown(field name: String, _ range: Range<Int>) -> FilterError {
        let names = FilterField.named.map(\.name)
        guard !name.isEmpty else { return reader.error("a field is expected here: " + Self.fields, range) }
        if let near = Suggestion.nearest(to: name.lowercased(), among: names + ["payload."]) {
            return reader.error("unknown field '\(name)'; did you mean '\(near)'?", range)
        }
        return reader.error(
            "unknown field '\(name)'; fields are \(Self.fields); text is looked for by /\(name)/", range)
    }

    private static var fields: String {
        (FilterField.named.map(\.name) + ["payload.…"]).joined(separator: ", ")
    }

    private mutating func steps(behind start: Int) throws(FilterError) -> [FilterField.Step] {
        var steps: [FilterField.Step] = []
        while steps.count < Self.deepest {
            let place = reader.position
            switch reader.run({ $0 == "." || $0 == "[" }) {
            case "": return try checked(steps, start..<place)
            case ".":
                let isQuoted = reader.peek() == "\"" && reader.position == place + 1
                let key = isQuoted ? try reader.quoted() : reader.run(FilterSyntax.isKeyCharacter)
                guard isQuoted || !key.isEmpty else {
                    throw reader.error("a key is missing after the dot", place..<place + 1)
                }
                if steps.isEmpty, !isQuoted, Int(key) != nil {
                    throw reader.error("no argument is named .\(key): \(JSONPath.hint)", place..<reader.position)
                }
                steps.append(.key(key))
            case "[":
                let digits = reader.run { $0 != "]" && FilterSyntax.isKeyCharacter($0) }
                guard let index = Int(digits), index >= 0, reader.run({ $0 == "]" }) == "]" else {
                    throw reader.error(
                        "write a number, at least 0, in the brackets: payload.list[0]", place..<reader.position)
                }
                steps.append(.element(index))
            default: throw reader.error("one . or one [ leads on, as in payload.list[0].id", place..<reader.position)
            }
        }
        throw reader.error("a path has at most \(Self.deepest - 1) steps", start..<reader.position)
    }

    private func checked(
        _ steps: [FilterField.Step], _ range: Range<Int>
    ) throws(FilterError) -> [FilterField.Step] {
        guard !steps.isEmpty else {
            throw reader.error("a way into the payload is missing: payload.KEY, payload[1].KEY", range)
        }
        return steps
    }

    // MARK: - Operators

    /// Reads the next operator, or returns `nil` when the next word is not an operator.
    package mutating func operation(of field: FilterField) throws(FilterError) -> FilterTest.Operator? {
        _ = reader.peek()
        let start = reader.position
        guard let operation = takeOperator() else { return nil }
        guard field.allows(operation) else {
            throw reader.error(
                "\(field) does not support \(operation.rawValue): \(field.operators)", start..<reader.position)
        }
        return operation
    }

    private mutating func takeOperator() -> FilterTest.Operator? {
        let signs: [(String, FilterTest.Operator)] = [
            ("!=", .notEqual), ("!~", .matchesNot), ("<=", .atMost), (">=", .atLeast), ("==", .equal), ("=~", .matches),
            ("<", .less), (">", .greater), ("=", .equal), ("~", .matches),
        ]
        for (sign, operation) in signs where reader.take(sign) { return operation }
        if reader.take(keyword: "in") { return .oneOf }
        if reader.take(keyword: "like") { return .like }
        if reader.take(keyword: "exists") { return .exists }
        let start = reader.position
        guard reader.take(keyword: "not") else { return nil }
        if reader.take(keyword: "in") { return .noneOf }
        if reader.take(keyword: "like") { return .unlike }
        reader.go(to: start)
        return nil
    }

    // MARK: - Values

    package mutating func value(of field: FilterField) throws(FilterError) -> FilterValue {
        _ = reader.peek()
        let start = reader.position
        let (text, isQuoted) = try reader.value()
        let range = start..<reader.position
        switch field.domain {
        case .words:
            let words = field.words(with: kinds) ?? []
            guard words.contains(text) else { throw reader.error(field.unknown(text, words), range) }
            return .string(text)
        case .text: return .string(text)
        case .size:
            if let bytes = TypedAmount.bytes(text), bytes >= 0 { return .size(bytes) }
            throw reader.error("invalid size '\(text)'; write bytes, or 64K, 1.5M, 2G", range)
        case .span:
            if let span = TypedAmount.microseconds(text) { return .span(span) }
            throw reader.error("invalid duration '\(text)'; write it like 500ms, 2s, 1.5m or 1h", range)
        case .instant:
            // A date without a time means its first moment, in UTC.
            let whole = text.utf8.count == 10 ? text + "T00:00:00Z" : text
            if let time = Timestamp(iso8601: whole) { return .instant(time, text) }
            throw reader.error("invalid time '\(text)'; write it like 2026-07-29 or 2026-07-29T23:40:00Z", range)
        case .truth:
            if text == "true" || text == "false" { return .truth(text == "true") }
            throw reader.error("\(field) is true or false, not '\(text)'", range)
        case .json:
            if isQuoted { return .string(text) }
            if text == "true" || text == "false" { return .truth(text == "true") }
            if text == "null" { return .null }
            return FilterNumber(text) == nil ? .string(text) : .number(text)
        }
    }

    package mutating func glob(of field: FilterField) throws(FilterError) -> FilterValue {
        _ = reader.peek()
        let start = reader.position
        let text = try reader.value().text
        if let message = field.problem(withGlob: text, kinds) { throw reader.error(message, start..<reader.position) }
        return .string(text)
    }

    package mutating func pattern(of field: FilterField) throws(FilterError) -> FilterValue {
        _ = reader.peek()
        let start = reader.position
        let text = try reader.pattern()
        let range = start..<reader.position
        do throws(RegularExpression.Malformed) {
            _ = try RegularExpression(text)
        } catch {
            throw reader.error("the regular expression is malformed: \(error.message)", range)
        }
        return .pattern(text)
    }
}

extension FilterField {
    /// Returns the error message for a value that is not in the field's list of words.
    package func unknown(_ value: String, _ words: [String]) -> String {
        let near = Suggestion.phrase(for: value, among: words)
        return "no \(self) is named '\(value)'"
            + (near.isEmpty ? "; it is one of " + words.joined(separator: ", ") : near)
    }

    /// Returns an error message when a glob pattern matches none of the field's words, otherwise `nil`.
    package func problem(withGlob text: String, _ kinds: [String]) -> String? {
        guard let words = words(with: kinds) else { return nil }
        let glob = Glob(text)
        if words.contains(where: { glob.matches($0) }) { return nil }
        return "no \(self) is like '\(text)'; it is one of " + words.joined(separator: ", ")
    }

    package func allows(_ operation: FilterTest.Operator) -> Bool { allowed.contains(operation) }

    package var allowed: [FilterTest.Operator] {
        switch domain {
        case .words, .text: [.equal, .notEqual, .matches, .matchesNot, .like, .unlike, .oneOf, .noneOf, .exists]
        case .size, .span, .instant:
            [.equal, .notEqual, .less, .atMost, .greater, .atLeast, .oneOf, .noneOf, .exists]
        case .truth: [.equal, .notEqual, .exists]
        case .json: FilterTest.Operator.allCases
        }
    }

    /// The allowed operators, separated by spaces, for error messages.
    package var operators: String { allowed.map(\.rawValue).joined(separator: " ") }
}
