import Terminal

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
