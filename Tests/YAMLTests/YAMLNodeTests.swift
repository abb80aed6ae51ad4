import Testing
import WeirJSON
import WeirWire
import WeirYAML

private func json(_ text: String) throws -> String { try YAMLNode.parse(Array(text.utf8)).json.description }

@Suite struct `YAML text` {
    @Test func `a document is read as a tree whose mappings keep their order`() throws {
        let text = """
            # A profile.
            name: chat
            realtime: {protocol: socketio, path: "/socket.io/"}
            rooms:
            - name: room-{id}
              once: true
            -
            text: |
              two
              lines
            folded: >-
              one
              line
            plain: goes
              on
            """
        #expect(
            try json(text)
                == #"{"name":"chat","realtime":{"protocol":"socketio","path":"/socket.io/"},"#
                + #""rooms":[{"name":"room-{id}","once":true},null],"text":"two\nlines\n","folded":"one line","#
                + #""plain":"goes on"}"#)
    }

    @Test func `every value knows its line and its column, counted in characters`() throws {
        let root = try YAMLNode.parse(Array("é: [ü, {k: v}]\n\"x\":\n  - &a 😀 \n  - *a\n".utf8))
        #expect(places(root) == ["1:1", "1:1", "1:4", "1:5", "1:8", "1:9", "1:12", "2:1", "3:3", "3:5", "4:5"])
        let json = try YAMLNode.parse(Array("{ \"é\": [\"ü\", {\"k\":\n null}],\n\"x\" : 1}".utf8))
        #expect(places(json) == ["1:1", "1:3", "1:8", "1:9", "1:14", "1:15", "2:2", "3:1", "3:7"])
    }

    private func places(_ node: YAMLNode) -> [String] {
        let place = ["\(node.position.line):\(node.position.column)"]
        switch node.value {
        case .scalar: return place
        case .sequence(let elements): return place + elements.flatMap(places)
        case .mapping(let members): return place + members.flatMap { places($0.key) + places($0.value) }
        }
    }

    @Test func `a byte order mark and foreign line endings are not content`() throws {
        let marked = try YAMLNode.parse([0xEF, 0xBB, 0xBF] + Array("a: |\r\n  x\r\n  y\r\nb: 1\r\n".utf8))
        #expect(marked == (try YAMLNode.parse(Array("a: |\n  x\n  y\nb: 1\n".utf8))))
        #expect(try json("a: 1\rb: 2") == #"{"a":1,"b":2}"#)
    }

    @Test(arguments: [
        ("null", "null"), ("~", "null"), ("Null", "null"), ("", "null"), ("nULL", #""nULL""#),
        ("true", "true"), ("False", "false"), ("no", #""no""#), ("on", #""on""#), ("Y", #""Y""#),
        ("12", "12"), ("-0", "-0"), ("+7", "7"), ("007", "7"), ("0x1F", "31"), ("0o17", "15"), ("0x-1", #""0x-1""#),
        ("0b1", #""0b1""#), ("1_000", #""1_000""#), ("12:30", #""12:30""#), ("2001-01-01", #""2001-01-01""#),
        ("123456789012345678901234567890", "123456789012345678901234567890"), ("1.50", "1.50"), ("1.", "1.0"),
        (".5", "0.5"), ("+1.5e3", "1500.0"), ("1e", #""1e""#), ("1e999", "1e999"), (".inf", #"".inf""#),
        ("-.INF", #""-.INF""#), (".nan", #"".nan""#), ("inf", #""inf""#), ("0x1p3", #""0x1p3""#), (".", #"".""#),
        ("'12'", #""12""#), ("\"true\"", #""true""#), ("''", #""""#), ("!!str 12", #""12""#), ("! 12", #""12""#),
        ("!!int '12'", "12"), ("!!float 1", "1"), ("!!null ''", "null"), ("!!bool \"true\"", "true"),
    ]) func `a plain scalar follows the core schema, and a quoted one is text`(text: String, expected: String)
        throws
    {
        #expect(try json("a: " + text) == "{\"a\":\(expected)}")
    }

    @Test func `the accessors distinguish the kinds`() throws {
        func node(_ text: String) throws -> YAMLNode { try YAMLNode.parse(Array(text.utf8)) }
        #expect(try node("0x10").integer == 16 && node("0x10").number == 16 && node("0x10").text == "0x10")
        #expect(try node("'1'").integer == nil && node("'1'").number == nil && node("'1'").text == "1")
        #expect(try node("1.5").integer == nil && node("1.5").number == 1.5)
        #expect(try node("9223372036854775808").integer == nil && node("9223372036854775808").number == 0x1p63)
        #expect(try node("-.inf").number == -.infinity && node(".NaN").number?.isNaN == true)
        #expect(try node("TRUE").truth == true && node("false").truth == false && node("yes").truth == nil)
        #expect(try node("--- ~").isNull && !node("'~'").isNull && !node("[]").isNull)
        #expect(try node("[]").text == nil && node("{}").text == nil)
    }

    @Test(arguments: [
        #"{"a":1,"b":[true,null,"x\/y"],"c":{}}"#, "{\"a\"\t:\t1,\n\t\"b\":2}", #""\ud83d\ude00""#,
        "[\"a\u{85}b\", \"\u{2028}\", \"\u{7F}\"]", "{\"\(String(repeating: "k", count: 3000))\": 1}", "[1e5, -0.0]",
    ]) func `JSON is read as JSON`(text: String) throws {
        let value = try JSONValue(parsing: Array(text.utf8)[...], keepsSpelling: true)
        var writer = JSONWriter()
        writer.value(value)
        #expect(try json(text) == String(decoding: writer.bytes, as: UTF8.self))
    }

    @Test func `an alias refers to the last anchor of its name`() throws {
        #expect(try json("a: &x {k: [1]}\nb: *x\nc: &x 2\nd: *x") == #"{"a":{"k":[1]},"b":{"k":[1]},"c":2,"d":2}"#)
        #expect(try json("&k e: *k") == #"{"e":"e"}"#)
        #expect(try json("a: &a [&a 1, *a]\nb: *a") == #"{"a":[1,1],"b":[1,1]}"#)
        #expect(try json("{&k a: 1, b: {*k : 2}}") == #"{"a":1,"b":{"a":2}}"#)
    }

    @Test func `a merge key adds the members of an alias that the mapping does not define itself`() throws {
        #expect(
            try json("a: &x {k: 1, l: 2}\nb: {m: 0, <<: *x, k: 3}") == #"{"a":{"k":1,"l":2},"b":{"m":0,"l":2,"k":3}}"#)
        #expect(try json("- &x {k: 1}\n- &y {k: 2, l: 3}\n- <<: [*x, *y]") == #"[{"k":1},{"k":2,"l":3},{"k":1,"l":3}]"#)
        #expect(try json("- &x {k: 1}\n- &y {<<: *x}\n- {<<: *y, <<: {l: 2}}") == #"[{"k":1},{"k":1},{"k":1,"l":2}]"#)
        #expect(try json(#"{"<<": 1}"#) == #"{"<<":1}"#)
    }

    @Test func `any bytes are read or refused at a place, and a text that is read equals its JSON form`() throws {
        let pieces =
            [
                "a: 1\n", "- ", "  ", "\n", "\t", "{", "}", "[", "]", ",", ": ", "? ", "&a ", "*a", "!!str ", "!x ",
                "'", "\"",
                "|\n", ">-\n", "#", "---\n", "...\n", "%YAML 1.2\n", "%TAG ! x\n", "\\u00e9", "\\ud83d", "é", "😀",
                "\u{85}", "\u{2028}",
                "\0", "\u{7}", "\u{FEFF}", "\r\n", "true", "0x1F", ".inf", "~", "key: value\n", "@", "`",
            ].map { Array($0.utf8) } + [[0x80], [0xC2], [0xED, 0xA0, 0x80], [0xFF]]
        var random = RandomSource(seed: 39)
        var read = 0
        var refused = 0
        for _ in 0..<20_000 {
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 0...12, using: &random) { bytes += pieces.randomElement(using: &random) ?? [] }
            do throws(YAMLError) {
                let written = try YAMLNode.parse(bytes).json
                #expect(try YAMLNode.parse(Array(written.bytes)).json == written)
                read += 1
            } catch {
                let lines = bytes.count { $0 == 10 || $0 == 13 } + 1
                for problem in error.problems {
                    #expect(1...lines ~= problem.position.line && 1...bytes.count + 1 ~= problem.position.column)
                }
                refused += error.problems.isEmpty ? 0 : 1
            }
        }
        #expect(read > 1000 && refused > 10_000 && read + refused == 20_000, "\(read) read, \(refused) refused")
    }
}
