import WeirTerminal

/// A checked condition on reports: a list of clauses that must all hold. It is checked before any connection is opened.
///
/// The language, as typed (`weir help tail` has the short form):
///
///     kind = message and room like '*/channels/*' and not (size > 64K or actor in (bot, "the bot"))
///     payload.data.text ~ /deploy|release/        diff.op = delete and diff.section = messages
///
/// * Fields: `type` (event, diff, gap, …), `kind`, `room`, `actor`, `event` (the name on the wire), `namespace`, `dir`,
///   `size` (bytes of the payload), `lag`, `known`, `is_user`, `mentions`, `time`, `text` (the line as
///   `--format compact` prints it, without colours), `payload.KEY`, `payload[1].KEY`, and for changes `diff.op`,
///   `diff.section`, `diff.kind`, `diff.id`, `diff.field`. A payload path that begins with a key starts at the event's
///   first argument; `payload[0]` is the event's name.
/// * Operators: `= != < <= > >=`, `~` and `!~` (a regular expression in RE2 syntax), `like` and `not like` (`*`, `?`,
///   `[…]`, matched against the whole text), `in (…)` and `not in (…)`, `exists`; `and`, `or`, `not`, parentheses.
///   `/…/` alone tests `text`.
/// * A report without a field fails every test of that field except the negative ones: `a != b` means `not a = b`.
/// * Rooms and actors match by name and by their displayed forms: a room's short form, `#` and its channel's name, a
///   user's name.
/// * `time` is the time the report was made; for a row it is the time its message was sent. It is written as
///   `2026-07-29` or as `2026-07-29T23:40:00Z`.
/// * `mentions` contains each user and group that a message mentions, by id and by name. `me` is the user; a group such
///   as `all` does not count as the user.
/// * A change (`diff`) has the fields of the event that caused it. A change without an event, such as one from a
///   refetched answer, has only a `kind` and `mentions`, which come from its rows. Tests of `diff.…` apply to each row
///   separately. The change is shown when one row passes every clause.
/// * A typing report has the kind `typing`, an `actor` and, when an event announced it, that event's room. Joined and
///   left rooms have a `room`. The user's own actions have the direction `out`. Connection reports have only a `type`
///   and a `text`.
/// * Gaps, notices and undecodable messages are shown whatever the filter is, and so is everything written to standard
///   error.
public struct Filter: Hashable, Sendable {
    /// A condition that must hold, and its origin.
    public struct Clause: Hashable, Sendable {
        /// The option, or other source of filters, that added the clause.
        public let origin: String
        package let expression: FilterExpression

        /// The clause in normal form, with every word in its canonical spelling.
        public var text: String { expression.description }
    }

    /// The clauses, which must all hold. Without clauses, everything is shown.
    public private(set) var clauses: [Clause] = []

    /// The kinds that a profile declares. The filter accepts them in addition to the known kinds.
    public let kinds: [String]

    /// Creates a filter that shows everything.
    public init(kinds: [String] = []) { self.kinds = kinds }

    /// Creates a filter from its text. An empty text gives a filter that shows everything.
    public init(parsing text: String, origin: String = "filter", kinds: [String] = []) throws(FilterError) {
        self.kinds = kinds
        guard text.unicodeScalars.contains(where: { !FilterSyntax.isSpace($0) }) else { return }
        try add(parsing: text, origin: origin)
    }

    /// The filter as one text that parses to the same filter; empty when everything is shown.
    public var text: String { clauses.isEmpty ? "" : expression.description }

    /// Whether the filter shows everything.
    public var isEmpty: Bool { clauses.isEmpty }

    package var expression: FilterExpression { .every(clauses.map(\.expression)) }

    /// Adds a condition. The parts of a top-level `and` become separate clauses, so that each gets its own count.
    public mutating func add(parsing text: String, origin: String) throws(FilterError) {
        try add(try FilterParser.parse(text, kinds: kinds).conjuncts, origin)
    }

    /// Adds a condition that a field equals one of `values` or, with `isWanted` false, none of them.
    ///
    /// Values that contain `*`, `?` or `[` are glob patterns.
    public mutating func add(
        _ field: FilterField, among values: [String], isWanted: Bool = true, origin: String
    ) throws(FilterError) {
        guard !values.isEmpty else { return }
        var tests: [FilterExpression] = []
        let plain = values.filter { !Glob.isPattern($0) }
        var words: [FilterValue] = []
        for value in plain { words.append(try checked(value, field)) }
        if !words.isEmpty {
            tests.append(
                .test(FilterTest(field: field, operation: words.count == 1 ? .equal : .oneOf, values: words)))
        }
        for value in values where Glob.isPattern(value) {
            if let message = field.problem(withGlob: value, kinds) {
                throw FilterError(message: message, source: value, range: 0..<value.unicodeScalars.count)
            }
            tests.append(.test(FilterTest(field: field, operation: .like, values: [.string(value)])))
        }
        let wanted = FilterExpression.some(tests)
        try add([isWanted ? wanted : .not(wanted)], origin)
    }

    /// Adds a condition that the printed line matches one of the regular expressions or, with `isWanted` false, none of
    /// them.
    public mutating func add(
        patterns: [String], isWanted: Bool = true, origin: String
    ) throws(FilterError) {
        guard !patterns.isEmpty else { return }
        var tests: [FilterExpression] = []
        for pattern in patterns {
            var parser = FilterParser(FilterSyntax.quoted(pattern))
            do throws(FilterError) {
                let value = try parser.pattern(of: .text)
                tests.append(.test(FilterTest(field: .text, operation: .matches, values: [value])))
            } catch {
                // Report the pattern as the user wrote it, without the quotes added above.
                throw FilterError(message: error.message, source: pattern, range: 0..<pattern.unicodeScalars.count)
            }
        }
        let wanted = FilterExpression.some(tests)
        try add([isWanted ? wanted : .not(wanted)], origin)
    }

    private mutating func add(_ expressions: [FilterExpression], _ origin: String) throws(FilterError) {
        let together = FilterExpression.every(clauses.map(\.expression) + expressions)
        guard together.tests.count <= FilterParser.mostTests else {
            throw FilterError(
                message: "the filters together have at most \(FilterParser.mostTests) tests", source: origin,
                range: 0..<0)
        }
        guard together.description.unicodeScalars.count <= FilterParser.mostCharacters else {
            throw FilterError(
                message:
                    "the filters together have at most \(FilterParser.mostCharacters) characters, as they are printed",
                source: origin, range: 0..<0)
        }
        clauses += expressions.map { Clause(origin: origin, expression: $0) }
    }

    private func checked(_ value: String, _ field: FilterField) throws(FilterError) -> FilterValue {
        if let words = field.words(with: kinds), !words.contains(value) {
            throw FilterError(
                message: field.unknown(value, words), source: value, range: 0..<value.unicodeScalars.count)
        }
        return .string(value)
    }
}

/// An error in the text of a filter, with its position.
public struct FilterError: Error, Hashable, Sendable {
    /// One sentence, with a suggestion where possible.
    public let message: String
    /// The text of the filter as its author wrote it. The message is for the author, so this may be shown.
    public let source: String
    /// The faulty part, in Unicode scalars of `source` from 0. Empty when something is missing at the end.
    public let range: Range<Int>

    /// The position of the first faulty character, counted from 1.
    public var column: Int { range.lowerBound + 1 }

    /// Two lines that are safe to print on a terminal: the filter, and a marker below the faulty part.
    public var excerpt: [String] {
        let scalars = Array(source.unicodeScalars)
        let start = min(max(range.lowerBound - Self.before, 0), scalars.count)
        let end = min(range.upperBound + Self.behind, scalars.count)
        func text(_ range: Range<Int>) -> String {
            var text = String.UnicodeScalarView()
            text.append(contentsOf: scalars[range.clamped(to: 0..<scalars.count)])
            return String(text)
        }
        let lead = start > 0 ? "…" : ""
        let line = lead + text(start..<max(start, end)) + (end < scalars.count ? "…" : "")
        let indent = TerminalText.width(of: lead + text(start..<max(start, range.lowerBound)))
        let width = max(TerminalText.width(of: text(range)), 1)
        return [
            TerminalText.escaped(line),
            String(repeating: " ", count: indent) + "^" + String(repeating: "~", count: width - 1),
        ]
    }

    /// The number of characters shown before and after the faulty part.
    private static let (before, behind) = (50, 30)
}
