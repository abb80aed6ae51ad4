/// What is to be shown, checked before anything is connected to: clauses that must all hold.
///
/// The language, as typed (`weir help tail` has the short form):
///
///     kind = message and room like '*/channels/*' and not (size > 64K or actor in (bot, "the bot"))
///     payload.data.text ~ /deploy|release/        diff.op = delete and diff.section = messages
///
/// * Fields: `type` (event, diff, gap, …), `kind`, `room`, `actor`, `event` (the name on the wire), `namespace`, `dir`, `size` (bytes of the
///   payload), `lag`, `known`, `is_user`, `mentions`, `time`, `text` (the line as `--format compact` prints it, without colours), `payload.KEY`,
///   `payload[1].KEY`, and of changes `diff.op`, `diff.section`, `diff.kind`, `diff.id`, `diff.field`. A way into the payload that begins with a key begins in the event's first
///   argument; `payload[0]` is its name.
/// * Operators: `= != < <= > >=`, `~` and `!~` (a regular expression, as RE2 has it), `like` and `not like` (`*`, `?`, `[…]`, the whole text),
///   `in (…)` and `not in (…)`, `exists`; `and`, `or`, `not`, parentheses. `/…/` alone asks for `text`.
/// * What has no such field fails every test of it but the negative ones: `a != b` says the same as `not a = b`.
/// * Rooms and actors are known by their name, and by what is shown of it: a room's short form, `#` and its channel's name, a user's name.
/// * `time` is when the report was made; of a row it is when its message was said. It is written as `2026-07-29` or as
///   `2026-07-29T23:40:00Z`.
/// * `mentions` is each user and group that a message mentions, by id and by name. `me` is the user; a group such as `all` is not.
/// * A change (`diff`) has the fields of the event that caused it. One that no event caused, such as a refetched answer, has only a `kind`
///   and `mentions`: those of its rows. What is asked of `diff.…` is asked row by row, and the change is shown when one row passes
///   every clause.
/// * Who types is of kind `typing`, an `actor` and, when an event said it, of that event's room. Rooms joined or left have a `room`; what the
///   user does has the direction `out`. Changes of the connection have a `type` and a `text` alone.
/// * Gaps, notices and what cannot be decoded are shown whatever the filter says, and so is all that goes to standard error.
public struct Filter: Hashable, Sendable {
    /// One thing that must hold, and where it was asked for.
    public struct Clause: Hashable, Sendable {
        /// Who asked for it: an option, or what else takes filters.
        public let origin: String
        package let expression: FilterExpression

        /// The clause as it is understood: every word in its one form.
        public var text: String { expression.description }
    }

    /// All of them must hold; none: everything is shown.
    public private(set) var clauses: [Clause] = []

    /// Kinds that a profile declares, which it can ask for beside the known ones.
    public let kinds: [String]

    /// Shows everything.
    public init(kinds: [String] = []) { self.kinds = kinds }

    /// The filter that a text is; of an empty one, what shows everything.
    public init(parsing text: String, origin: String = "filter", kinds: [String] = []) throws(FilterError) {
        self.kinds = kinds
        guard text.unicodeScalars.contains(where: { !FilterSyntax.isSpace($0) }) else { return }
        try add(parsing: text, origin: origin)
    }

    /// The whole of it as one text, which reads as the same filter; empty when everything is shown.
    public var text: String { clauses.isEmpty ? "" : expression.description }

    /// Whether there is nothing to ask.
    public var isEmpty: Bool { clauses.isEmpty }

    package var expression: FilterExpression { .every(clauses.map(\.expression)) }

    /// Asks for this, too. What `and` joins are clauses of their own, so that each is counted.
    public mutating func add(parsing text: String, origin: String) throws(FilterError) {
        try add(try FilterParser.parse(text, kinds: kinds).conjuncts, origin)
    }

    /// Asks for one of several values of a field; with `isWanted` false, for none of them. Words with `*`, `?` or `[` are patterns.
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

    /// Asks for a regular expression in the line; with `isWanted` false, for none of them.
    public mutating func add(
        patterns: [String], isWanted: Bool = true, origin: String
    ) throws(FilterError) {
        guard !patterns.isEmpty else { return }
        var tests: [FilterExpression] = []
        for pattern in patterns {
            var parser = FilterParser(FilterSyntax.quotedPattern(pattern))
            do throws(FilterError) {
                let value = try parser.pattern(of: .text)
                tests.append(.test(FilterTest(field: .text, operation: .matches, values: [value])))
            } catch {
                // As it was written: the quotes are ours.
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
