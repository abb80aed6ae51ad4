import Testing
import WeirRegex

@Suite struct `Regular expressions` {
    private func isFound(_ expression: String, in text: String) throws -> Bool {
        try RegularExpression(expression).matches(text)
    }

    @Test func `an expression matches anywhere, and anchors match a line's end or the text's beginning`() throws {
        #expect(try isFound("b.c", in: "ab\ncd"))
        #expect(try !isFound("^b", in: "ab\nb"))
        #expect(try isFound("^$", in: ""))
        #expect(try isFound("(?i)ÉCOLE|\\bquai\\b", in: "une école"))
        #expect(try isFound("^.$", in: "é"))
        #expect(try isFound("a\0b", in: "a\0b"))
        #expect(try RegularExpression("DEPLOY", ignoresCase: true).matches("a deploy"))
    }

    @Test func `matchesLine tests a text line by line`() throws {
        let expression = try RegularExpression("^b$")
        #expect(expression.matchesLine(of: Array("a\nb\nc".utf8)))
        #expect(!expression.matchesLine(of: Array("ab\nbc\n".utf8)))
        #expect(!expression.matchesLine(of: []))
        #expect(try RegularExpression("^$").matchesLine(of: Array("a\n\nb".utf8)))
    }

    @Test func `the longest of the matches at one position is found, starting from an offset`() throws {
        let text = Array("tok token ^tok".utf8)
        let expression = try RegularExpression("tok|token")
        #expect(expression.match(in: text, from: 0) == 0..<3)
        #expect(expression.match(in: text, from: 1) == 4..<9)
        #expect(expression.match(in: text, from: 12) == nil)
        #expect(try RegularExpression("^tok").match(in: text, from: 1) == nil)
        #expect(try RegularExpression("x*").match(in: text, from: text.count) == text.count..<text.count)
        #expect(try RegularExpression("x*").match(in: [], from: 0) == 0..<0)
    }

    @Test func `bytes that are not text match nothing, and the text around them matches`() throws {
        let text: [UInt8] = [0x61, 0xFF, 0x62]
        #expect(try RegularExpression("a|b").match(in: text, from: 1) == 2..<3)
        #expect(try RegularExpression(".$").match(in: text, from: 0) == 2..<3)
        #expect(try RegularExpression("a.b").match(in: text, from: 0) == nil)
    }

    @Test(arguments: [
        ("a(", "missing ): a("), ("[b-a]", "invalid character class range: b-a"),
        ("a++", "bad repetition operator: ++"),
        ("(a)\\1", "invalid escape sequence: \\1"), ("(?=a)", "invalid perl operator: (?="),
        ("a{1001}", "invalid repetition size: {1001}"), ("(\\pL{100}){100}", "invalid repetition size: {100}"),
        ("\\pL{1000}", "pattern too large - compile failed"), ("a\\", "trailing \\"),
    ]) func `an invalid expression is refused with the part that is wrong`(text: String, message: String) {
        let error = #expect(throws: RegularExpression.Malformed.self) { _ = try RegularExpression(text) }
        #expect(error?.message == message)
    }

    @Test func `a refusal does not repeat a long expression`() {
        let error = #expect(throws: RegularExpression.Malformed.self) {
            _ = try RegularExpression(String(repeating: "(", count: 100_000))
        }
        #expect(error?.message.count == 100)
    }

    @Test(
        "No expression takes long to compile or to match",
        arguments: [
            "(((((^)*)+)+)+)+", "(a*)*b", "(a+)+$", "(a|a)*b", "(a|b*)*c{1000}", "(((a?){30}){30}a{30})", "(.*a){20}$",
        ])
    func hostile(expression: String) throws {
        let text = Array((String(repeating: "a", count: 20_000) + "!").utf8)
        let elapsed = try ContinuousClock().measure { _ = try RegularExpression(expression).match(in: text, from: 0) }
        #expect(elapsed < .seconds(10))
    }
}
