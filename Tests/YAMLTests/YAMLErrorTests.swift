import Testing
import WeirYAML

@Suite struct `Invalid YAML text` {
    private func problems(_ text: String) -> [String] { problems(Array(text.utf8)) }

    private func problems(_ bytes: [UInt8]) -> [String] {
        do throws(YAMLError) {
            _ = try YAMLNode.parse(bytes)
            return []
        } catch {
            return error.problems.map(\.description)
        }
    }

    @Test(arguments: [
        ("", "line 1, column 1: the file is empty"),
        ("# only\n", "line 2, column 1: the file is empty"),
        (
            "a: b: c",
            "line 1, column 5: a value cannot begin here: check the indentation, and quote a "
                + "text that holds ': '"
        ),
        (
            "a: 1\n b: 2",
            "line 2, column 3: a value cannot begin here: check the indentation, and quote a "
                + "text that holds ': '"
        ),
        (
            "a:\n\t- b",
            "line 2, column 1: a value cannot begin like this: indent with spaces, not tabs, and quote a "
                + "text that begins with '@', '`' or '%'"
        ),
        (
            "a: \"x",
            "line 1, column 6: the text ends inside quotes (while scanning a quoted scalar "
                + "that begins at line 1, column 4)"
        ),
        (
            "[a, b",
            "line 1, column 6: ',' or ']' is expected here (while parsing a flow sequence "
                + "that begins at line 1, column 1)"
        ),
        (
            "- a\nb: 1",
            "line 2, column 1: '- ' is expected here; check the indentation (while parsing a "
                + "block collection that begins at line 1, column 1)"
        ),
        (
            "a:\n  b: 1\n c: 2",
            "line 3, column 2: a key is expected here; check the indentation (while parsing "
                + "a block mapping that begins at line 1, column 1)"
        ),
        (
            "a: 1\nb\nc: 2",
            "line 3, column 1: ':' is expected after the key (while scanning a simple key "
                + "that begins at line 2, column 1)"
        ),
        ("[a]]", "line 1, column 4: the value has ended; nothing may follow it"),
        ("a\n---\nb", "line 2, column 1: a second document begins here; there must be one"),
        ("%YAML 1.3\n---\na", "line 1, column 1: expected %YAML 1.2, or no such line"),
        ("a: !e!x b", "line 1, column 4: unknown tag"),
        (
            "a: \"\\ud83d\"",
            "line 1, column 7: this escape is not a character; write one beyond U+FFFF as \\U and "
                + "eight digits (while parsing a quoted scalar that begins at line 1, column 4)"
        ),
    ]) func `a wrong text is refused at its place in plain words`(text: String, expected: String) {
        #expect(problems(text) == [expected])
    }

    @Test func `all duplicate keys, unknown tags and unknown aliases are reported at once`() {
        let text = """
            a: 1
            b: {c: 1, 'c': 2}
            "a": 2
            d: !x 3
            e: !!set {}
            f: !!int x
            g: *h
            ? [k]
            : 1
            &i i: &j [*j]
            z: }
            """
        #expect(
            problems(text) == [
                "line 2, column 11: duplicate key 'c'; the first is at line 2, column 5",
                "line 3, column 1: duplicate key 'a'; the first is at line 1, column 1",
                "line 4, column 4: the tag '!x' is unknown here, or not for such a value",
                "line 5, column 4: the tag '!!set' is unknown here, or not for such a value",
                "line 6, column 4: 'x' is not one of !!int", "line 7, column 4: no &h before this alias",
                "line 8, column 3: a key must be a text, not a list or a mapping",
                "line 10, column 11: the alias *j is inside its own value",
                "line 11, column 4: a value is expected here",
            ])
    }

    @Test func `text quoted in a message is short and inert`() {
        let again = #"line 1, column 19: duplicate key '\u001b[31m'; the first is at line 1, column 2"#
        #expect(problems(#"{"\u001b[31m": 1, "\u001b[31m": 2}"#) == [again])
        let long = String(repeating: "k", count: 500)
        #expect(problems("{'\(long)': 1, '\(long)': 2}").first?.utf8.count ?? 1000 < 150)
        #expect(problems(String(repeating: "a: 1\n", count: 5000)).count == YAMLError.mostProblems)
    }

    @Test func `a duplicate key in JSON is reported, too`() {
        let again = "line 1, column 29: duplicate key 'b'; the first is at line 1, column 8"
        #expect(problems(#"{"a": {"b": "\ud83d\ude00", "b": 2}}"#) == [again])
    }

    @Test func `bytes that are not text are refused`() {
        let notUTF8 = "a byte that is not UTF-8; expected UTF-8 text"
        #expect(problems([0x61, 0x3A, 0x0A, 0xC3, 0x28]) == ["line 2, column 1: " + notUTF8])
        #expect(problems([0xFF, 0xFE, 0x61, 0]) == ["line 1, column 1: UTF-16 text; expected UTF-8 text"])
        #expect(problems("a: \0") == ["line 1, column 4: a NUL byte; expected UTF-8 text"])
        let control = "a control character; in double quotes it is an escape"
        #expect(problems("a:\n - x\u{7}") == ["line 2, column 5: " + control])
    }

    // MARK: Limits

    @Test func `a text of one mebibyte is read, and one byte more is refused`() {
        let padding = String(repeating: "#", count: YAMLLimits.bytes - 5)
        #expect(problems("a: 1\n" + padding) == [])
        #expect(problems("a: 1\n#" + padding) == ["line 1, column 1: 1048577 bytes; the limit is 1048576"])
    }

    @Test(arguments: ["[", "{a: ", "- ", "{\"a\":"]) func `64 levels are read, and one more is refused`(open: String) {
        let close = ["[": "]", "- ": ""][open] ?? "}"
        func nested(_ levels: Int) -> String {
            String(repeating: open, count: levels) + "1" + String(repeating: close, count: levels)
        }
        #expect(problems(nested(64)) == [])
        #expect(problems(nested(65)) == ["line 1, column \(64 * open.count + 1): nested deeper than 64 levels"])
        #expect(problems(String(repeating: open, count: 100_000)).count == 1)
        // Depth reached through aliases.
        let half = "- &a " + String(repeating: "[", count: 40) + String(repeating: "]", count: 40) + "\n"
        #expect(problems(half + "- *a") == [])
        let deep = half + "- " + String(repeating: "[", count: 24) + "*a" + String(repeating: "]", count: 24)
        #expect(problems(deep) == ["line 2, column 27: nested deeper than 64 levels"])
    }

    @Test(arguments: ["", " # YAML"]) func `a hundred thousand values are read, and one more is refused`(end: String) {
        func list(_ values: Int) -> String { "[" + String(repeating: "1,", count: values - 2) + "1]" + end }
        #expect(problems(list(100_000)) == [])
        #expect(problems(list(100_001)) == ["line 1, column 200000: more than 100000 values, aliases resolved"])
    }

    @Test func `only a mapping can be merged`() {
        #expect(problems("a: {<<: 1}") == ["line 1, column 9: '<<' merges a mapping, most often an alias of one"])
    }

    @Test func `aliases of aliases count with the values they expand to`() {
        var laughs = "a: &a [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n"
        for (name, before) in zip("bcdefghi", "abcdefgh") {
            laughs += "\(name): &\(name) [\(Array(repeating: "*\(before)", count: 9).joined(separator: ", "))]\n"
        }
        #expect(problems(laughs) == ["line 6, column 8: more than 100000 values, aliases resolved"])
        let half = "- &a '\(String(repeating: "x", count: YAMLLimits.resolvedBytes / 8))'\n- "
        #expect(problems(half + "[*a, *a, *a, *a, *a, *a, *a]") == [])
        #expect(
            problems(half + "[*a, *a, *a, *a, *a, *a, *a, *a]")
                == ["line 2, column 32: more than 4194304 bytes of text, aliases resolved"])
    }

    @Test func `no text takes long to read`() {
        let bytes = YAMLLimits.bytes / 4
        func filled(_ piece: String, _ start: String = "") -> [UInt8] {
            let text = start + String(repeating: piece, count: bytes / piece.utf8.count)
            return Array(text.utf8.prefix(bytes))
        }
        var texts = [
            "[", "{", "- ", "? ", "a\n", "a: 1\n", "[],", ": ", "- &a a\n", "---\n", "\n", "#\n", "'", "\\", "\"\n",
            "{?",
            "é", "|\n", " ", "\t", "!", "&a ", "%YAML 1.2\n", "...\n", "\u{85}", "- !x\n",
        ].map { filled($0) }
        texts += [filled("a: ,", "{"), filled("[],", "["), filled("\":", "[\""), filled("a\n", "\"")]
        texts += [filled(" a\n", "|\n"), filled("- *a\n", "- &a a\n")]
        for text in texts {
            let elapsed = ContinuousClock().measure { _ = try? YAMLNode.parse(text) }
            #expect(elapsed < .seconds(10), "\(String(decoding: text.prefix(20), as: UTF8.self))")
        }
    }

    @Test func `the number of directives is limited`() {
        let directives = (0..<101).map { "%TAG !\($0)! b\n" }
        #expect(problems(directives.dropFirst().joined() + "--- a") == [])
        #expect(problems(directives.joined() + "--- a") == ["line 1, column 1: more than 100 times %TAG"])
    }
}
