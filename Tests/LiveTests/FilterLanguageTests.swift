import Testing
@testable import WeirPipeline

@testable import WeirLive
@testable import WeirViews

@Suite("The language of filters")
struct FilterLanguageTests {
    @Test(
        "An expression is printed in canonical form, which parses to the same expression",
        arguments: [
            ("kind=message", "kind = message"),
            ("  KNOWN  ", nil),
            ("known", "known = true"),
            ("not known", "not known = true"),
            ("is_user", "is_user = true"),
            ("mentions in (me, all)", "mentions in (me, all)"),
            ("!known", "not known = true"),
            ("kind == message && size>=64K || lag < -1.5s", "kind = message and size >= 64K or lag < -1500ms"),
            ("kind = message and (kind = typing or known)", "kind = message and (kind = typing or known = true)"),
            ("(kind = message and known) and type = event", "kind = message and known = true and type = event"),
            ("not (known or known)", "not (known = true or known = true)"),
            ("room like '*/channels/*'", "room like */channels/*"),
            ("room = /channels?type=public", #"room = "/channels?type=public""#),
            ("room ~ '/x/'", #"room ~ /\/x\//"#),
            (#"/a\/b/"#, #"text ~ /a\/b/"#),
            ("actor in (ann, \"the bot\", 'x')", #"actor in (ann, "the bot", x)"#),
            ("actor not in (ann)", "actor not in (ann)"),
            ("actor NOT LIKE a*", "actor not like a*"),
            ("exists room", "room exists"),
            ("payload.data.list[2].id exists", "payload.data.list[2].id exists"),
            (#"payload."a key"[0] = "5""#, #"payload."a key"[0] = "5""#),
            ("payload[1].n > 1e3", "payload[1].n > 1e3"),
            ("payload.a = null or payload.b = false", "payload.a = null or payload.b = false"),
            ("payload.a !~ ^x$", "payload.a !~ /^x$/"),
            ("lag > 90s and lag < 2h and lag != 1us", "lag > 90s and lag < 2h and lag != 1us"),
            (
                "time >= 2026-07-29 and time < '2026-07-29T23:40:00+02:00'",
                "time >= 2026-07-29 and time < 2026-07-29T23:40:00+02:00"
            ),
            ("size < 1.5K or size = 0", "size < 1536 or size = 0"),
            (#"text = "\u{1b}\n\"""#, #"text = "\u{1b}\n\"""#),
            ("diff.op != insert and diff.section = messages", "diff.op != insert and diff.section = messages"),
        ])
    func canonical(text: String, printed: String?) throws {
        guard let printed else {
            #expect(throws: FilterError.self) { try FilterParser.parse(text) }
            return
        }
        let expression = try FilterParser.parse(text)
        #expect(expression.description == printed)
        #expect(try FilterParser.parse(printed) == expression)
    }

    @Test(
        "An invalid filter is refused with its position and, if a name is close, a suggestion",
        arguments: [
            ("", 1, "the expression is empty; write FIELD OPERATOR VALUE, such as kind = message"),
            ("knd = message", 1, "unknown field 'knd'; did you mean 'kind'?"),
            ("known and paylod.x = 1", 11, "unknown field 'paylod.x'; did you mean 'payload.'?"),
            ("deploy", 1, "text is looked for by /deploy/"),
            ("kind = mesage", 8, "no kind is named 'mesage'; did you mean 'message'?"),
            ("kind like 'mesa*'", 11, "no kind is like 'mesa*'; it is one of "),
            ("type in (event, diffs)", 17, "no type is named 'diffs'; did you mean 'diff'?"),
            ("time > yesterday", 8, "invalid time 'yesterday'; write it like 2026-07-29 or 2026-07-29T23:40:00Z"),
            ("kind > message", 6, "kind does not support >: = != ~ !~ like not like in not in exists"),
            ("known = 1", 9, "known is true or false, not '1'"),
            ("size > 4x", 8, "invalid size '4x'; write bytes, or 64K, 1.5M, 2G"),
            ("size ~ 4", 6, "size does not support ~"),
            ("lag > 5", 7, "invalid duration '5'; write it like 500ms, 2s, 1.5m or 1h"),
            ("kind", 5, "an operator is missing after kind"),
            ("kind =", 7, "a value is missing"),
            ("kind = message size > 4", 16, "expected 'and' or 'or' here"),
            ("kind = message adn known", 16, "did you mean 'and'?"),
            ("kind = message and", 19, "something is missing at the end"),
            ("exists", 7, "a field is expected here"),
            ("(known", 1, "this ( is not closed"),
            ("known)", 6, "nothing is open that ) could close"),
            ("actor = 'ann", 9, "the quotes are not closed"),
            (#"actor = "\x""#, 10, "a backslash must be followed by"),
            ("actor in ann", 10, "a list in parentheses is missing"),
            ("actor in (ann", 14, "the list is not closed"),
            ("text ~ /a(/", 8, "the regular expression is malformed: missing ): a("),
            ("text ~ /a", 8, "the regular expression has no second /"),
            ("text ~ /((a{999}){999}){999}/", 8, "the regular expression is malformed: invalid repetition size"),
            ("payload = 1", 1, "a way into the payload is missing"),
            ("payload. = 1", 8, "a key is missing after the dot"),
            ("payload[x] = 1", 8, "write a number, at least 0, in the brackets"),
            ("payload.0 = 1", 8, "payload[0] is the event's name, payload[1] its first argument"),
        ])
    func refused(text: String, column: Int, words: String) throws {
        let error = try #require(throws: FilterError.self) { try FilterParser.parse(text) }
        #expect(error.message.contains(words))
        #expect(error.column == column)
        #expect(error.range.upperBound <= text.unicodeScalars.count)
    }

    @Test(
        "An expression with ordinary repetitions is accepted",
        arguments: [
            ".*?deploy", "((a+)+)+", "(ab)+(cd)+(ef)+(gh)+(ij)+(kl)+", "[+*?]+[^]){9999}]+x", "\\){1,20}\\++",
            "[[:alpha:]]{2,900}", "(one hundred characters){30}",
        ])
    func repeats(expression: String) throws {
        #expect(throws: Never.self) { try FilterParser.parse("text ~ /\(expression)/") }
    }

    @Test("An excerpt points at the right column after wide text, and is safe for a terminal")
    func excerpt() throws {
        let error = try #require(throws: FilterError.self) {
            try FilterParser.parse("actor = \"李 伟\u{1B}\" and knd = message")
        }
        #expect(
            error.excerpt == [
                "actor = \"李 伟\\u{1B}\" and knd = message", "                          ^~~",
            ])
        let long = try #require(throws: FilterError.self) {
            try FilterParser.parse("actor = " + String(repeating: "a", count: 300) + " and knd = message and known")
        }
        #expect(long.excerpt[0].hasPrefix("…aaaa") && long.excerpt[0].hasSuffix("knd = message and known"))
        #expect(long.excerpt[1] == String(repeating: " ", count: 51) + "^~~")
    }

    @Test("A filter that is too long, too deep or has too many tests is refused early")
    func bounds() {
        #expect(throws: FilterError.self) { try FilterParser.parse(String(repeating: "(", count: 4000)) }
        #expect(throws: FilterError.self) { try FilterParser.parse(String(repeating: "not ", count: 1000) + "known") }
        #expect(throws: FilterError.self) {
            try FilterParser.parse(Array(repeating: "known", count: 300).joined(separator: " or "))
        }
        #expect(throws: FilterError.self) {
            try FilterParser.parse("actor in (" + Array(repeating: "a", count: 300).joined(separator: ",") + ")")
        }
        let long = String(repeating: "a", count: FilterParser.mostCharacters)
        #expect(throws: FilterError.self) { try FilterParser.parse("actor = " + long) }
    }

    @Test("A printed filter is never longer than the parser accepts, however it is composed")
    func printedLength() throws {
        let half = String(repeating: "a", count: FilterParser.mostCharacters / 2)
        var filter = try Filter(parsing: "actor = \(half)")
        #expect(throws: FilterError.self) { try filter.add(parsing: "room = \(half)", origin: "filter") }
        #expect(throws: FilterError.self) { try filter.add(patterns: [half], origin: "--grep") }
        try filter.add(patterns: ["deploy"], origin: "--grep")
        #expect(try Filter(parsing: filter.text).text == filter.text)
        // Escaped characters take more space than the originals.
        let control = String(repeating: "\u{1}", count: FilterParser.mostCharacters / 2)
        let error = #expect(throws: FilterError.self) { try Filter(parsing: "actor = '\(control)'") }
        #expect(error?.message == "the filters together have at most 65536 characters, as they are printed")
    }

    @Test("Any expression survives printing and parsing unchanged")
    func printedAndRead() throws {
        var generator = FilterGenerator(seed: 7)
        for _ in 0..<3000 {
            let expression = generator.expression()
            let text = expression.description
            let again = try #require(try? FilterParser.parse(text), "\(text)")
            #expect(again == expression, "\(text)")
            #expect(again.description == text)
        }
    }

    @Test("Garbage parses to an expression or an error with a position, and never traps")
    func garbage() {
        var generator = FilterGenerator(seed: 11)
        var accepted = 0
        for _ in 0..<20_000 {
            let text = generator.garbage()
            do throws(FilterError) {
                let expression = try FilterParser.parse(text)
                accepted += 1
                #expect((try? FilterParser.parse(expression.description)) == expression, "\(text)")
            } catch {
                #expect((0...text.unicodeScalars.count).contains(error.range.lowerBound), "\(text)")
                #expect(error.excerpt.count == 2)
            }
        }
        // Otherwise the test would be pointless.
        #expect(accepted > 100)
    }

    @Test(
        "A pattern matches a whole text in bounded time",
        arguments: [
            ("*", "", true), ("a*c", "abbc", true), ("a*c", "abcd", false), ("a?c", "aéc", true),
            ("[a-c]x", "bx", true),
            ("[!a-c]x", "bx", false), ("[]x]", "]", true), ("[", "[", true), ("[a", "[a", true),
            ("**/feed", "/a/b/feed", true), ("*a*a*a*a*a*a*b", String(repeating: "a", count: 200), false),
        ])
    func globs(pattern: String, text: String, fits: Bool) {
        #expect(Glob(pattern).matches(text) == fits)
    }
}
