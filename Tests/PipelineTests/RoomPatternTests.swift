import Testing

@testable import WeirPipeline

@Suite struct RoomPatternTests {
    private let general = RoomFacts(
        name: "/companies/C/workspaces/W/channels/CH/feed", title: "General", kind: "public", unread: 0, company: "C",
        workspace: "W")
    private let direct = RoomFacts(
        name: "/companies/C/workspaces/direct/channels/D1/feed", title: "Ann", kind: "direct", unread: 1, company: "C",
        workspace: "direct")
    private let badges = RoomFacts(name: "/notifications?type=private&user=U1", kind: "badges")

    private func matches(_ text: String) throws -> [String] {
        let expression = try RoomExpression(parsing: text)
        return [("general", general), ("direct", direct), ("badges", badges)].filter { expression.matches($0.1) }
            .map(\.0)
    }

    @Test(arguments: [
        ("/notifications?type=private&user=U1", ["badges"]),
        ("\"/notifications?type=private&user=U1\"", ["badges"]),
        ("#general", ["general"]), ("#GEN*", ["general"]), ("#gen", []),
        ("/companies/*/workspaces/W/channels/*/feed", ["general"]), ("/companies/*", []),
        ("/companies/**", ["general", "direct"]), ("**", ["general", "direct", "badges"]),
        ("/^.companies.*(CH|XX)/", ["general"]), ("/user=U\\d$/", ["badges"]),
        ("kind=direct", ["direct"]), ("kind=direct,unread>0", ["direct"]), ("kind=direct,unread>1", []),
        ("kind!=direct", ["general", "badges"]), ("unread<=0", ["general", "badges"]), ("workspace=W", ["general"]),
        ("title=A*", ["direct"]),
        ("** - #general", ["direct", "badges"]), ("** -#general", ["general", "direct", "badges"]),
        ("-#general", []), ("#general + kind=direct", ["general", "direct"]),
        ("** - (/companies/** - kind=direct)", ["direct", "badges"]),
        ("** - /companies/** + #ann", ["direct", "badges"]),
    ]) func `a pattern matches the rooms that it names, and the last matching term decides`(
        text: String, rooms: [String]
    ) throws {
        // A minus without a following space is an operator only at the beginning of a pattern.
        if text == "** -#general" {
            #expect(try RoomExpression(words: ["**", "-#general"]).matches(general) == false)
        } else {
            #expect(try matches(text) == rooms)
        }
    }

    @Test(arguments: [
        "/a/b", "#general", "#\"Dev - ops\"", "\"a - b\"", "\"-x\"", "\"a\\\"b\\\\\"", "/^a|b$/",
        "kind=direct,unread>0",
        "@work + @oncall - #noisy", "(#a - #b) + /c", "-#noisy", "(@a + (#b))", "#a b c", "previous::channels/CH/x",
        "\"a -\" - b", "\"a\u{A0}+\u{A0}b\"", "\"\u{301} +\"", "#\"\u{301} -\"", "a -b", "/a\\(b\\)/ - (/(c)/ + d*(e))",
    ]) func `an expression is written as it is read`(text: String) throws {
        let read = try RoomExpression(parsing: text)
        #expect(read.description == text)
        #expect(try RoomExpression(parsing: read.description) == read)
    }

    @Test(arguments: [
        "/a/b", "#general", "@work", "kind=direct,unread>0", "/^a|b$/", "previous::channels/CH/x", "a+b", "a-", "*",
    ]) func `a single word reads the same with and without spaces around it`(word: String) throws {
        #expect(try RoomExpression(parsing: word) == RoomExpression(parsing: " \(word) "))
    }

    @Test func `the words of a command line are joined with a plus where an operator is missing`() throws {
        #expect(
            try RoomExpression(words: ["@work", "+", "@oncall", "-", "#noisy"]).description
                == "@work + @oncall - #noisy")
        #expect(try RoomExpression(words: ["#a", "#b", "-#c"]).description == "#a + #b - #c")
        #expect(try RoomExpression(words: ["#a", "-", "#b + #c"]).description == "#a - (#b + #c)")
        #expect(throws: RoomPatternError.self) { try RoomExpression(words: ["#a", "-"]) }
        #expect(throws: RoomPatternError.self) { try RoomExpression(words: ["#a", "-", "+", "#b"]) }
    }

    @Test func `a recorded name that is not a pattern is an exact room name`() {
        #expect(RoomExpression(recorded: "kin=direct").terms.map(\.pattern) == [.exact("kin=direct")])
        #expect(RoomExpression(recorded: "").terms.isEmpty)
    }

    private static let hint =
        #"write a name with parentheses in quotation marks, and a single one in /…/ as \x28 or \x29"#

    @Test(arguments: [
        ("kin=direct", "rooms have no field kin: one of kind, title, id, unread, company, workspace"),
        ("unread>many", "unread is compared with a whole number: unread>many"),
        ("kind>direct", "kind is compared with = or !=: kind>direct"),
        ("/(/", "invalid regular expression /(/: missing ): ("), ("(#a", "a parenthesis is not closed"),
        ("()", "parentheses are empty"),
        ("#a + ", "a pattern is missing after the operator"), ("#a -", "a pattern is missing after the operator"),
        ("(a* -)", "a pattern is missing after the operator"),
        ("#a + -b", "two operators without a pattern between them"),
        ("a) - b", "nothing is open that ) could close; \(RoomPatternTests.hint)"),
        (#"/\(a/"#, "a parenthesis is not closed; \(RoomPatternTests.hint)"),
        ("#", "# needs a title: #general"), ("#\"\"", "# needs a title: #general"),
        ("@a b", "@a b names no set: use up to 64 letters, digits, '.', '_' and '-'"),
        ("\"a", "quotation marks are not closed: \"a"), ("\"a\"b", "something follows the quotation marks: \"a\"b"),
    ]) func `an invalid pattern is refused with a sentence`(text: String, message: String) {
        let error = #expect(throws: RoomPatternError.self) { try RoomExpression(parsing: text) }
        #expect(error?.message == message)
    }

    @Test func `an error for an unknown field or set lists the existing ones`() throws {
        let field = #expect(throws: RoomPatternError.self) { try RoomExpression(parsing: "kin=direct") }
        #expect(field?.unknown?.word == "kin")
        #expect(field?.unknown?.candidates.contains("kind") == true)
        let sets = ["work": try RoomExpression(parsing: "#a")]
        let set = #expect(throws: RoomPatternError.self) { try RoomExpression(parsing: "@wrok").expanding(sets) }
        #expect(set?.unknown?.candidates == ["work"])
    }

    @Test func `a set expands to its contents as one unit`() throws {
        let sets = [
            "work": try RoomExpression(parsing: "** - @quiet"), "quiet": try RoomExpression(parsing: "kind=direct"),
            "loop": try RoomExpression(parsing: "@loop"),
        ]
        let all = try RoomExpression(parsing: "@work - #general").expanding(sets)
        #expect(all.description == "(** - (kind=direct)) - #general")
        #expect([general, direct, badges].filter { all.matches($0) }.map(\.name) == [badges.name])
        #expect(throws: RoomPatternError.self) { try RoomExpression(parsing: "@loop").expanding(sets) }
    }

    @Test(arguments: ["\"", "a", " "]) func `the longest names and titles read back as written`(
        character: String
    ) throws {
        let name = "-" + String(repeating: character, count: RoomPattern.longest - 2) + "-"
        for pattern in [RoomPattern.exact(name), .title(name)] {
            #expect(
                try RoomExpression(parsing: RoomExpression([.init(pattern)]).description).terms.map(\.pattern) == [
                    pattern
                ])
        }
        #expect(throws: RoomPatternError.self) { try RoomPattern(parsing: "\"\(name)-\"") }
    }

    @Test func `hostile patterns and names exhaust neither the stack nor the time`() throws {
        let deep = String(repeating: "(", count: 100_000)
        #expect(throws: RoomPatternError.self) { try RoomExpression(parsing: deep) }
        let lines = String(repeating: "/a", count: 200) + "\n"
        #expect(try !RoomExpression(parsing: "/^(/[^\n]+)+$/").matches(RoomFacts(name: lines)))
        let stars = String(repeating: "*a", count: 400)
        let glob = RoomGlob(stars)
        #expect(!glob.matches(String(repeating: "a", count: 1_000) + "b"))
        #expect(throws: RoomPatternError.self) { try RoomExpression(parsing: String(repeating: "a", count: 2_000)) }
    }
}
