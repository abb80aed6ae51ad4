import Testing
import WeirJSON

@Suite struct `The grammar of RFC 8259` {
    static let accepted: [String] = [
        "{}", "[]", "null", "true", "false", "0", "\"\"", " \t\r\n[ ] \n", "[[],{}]", "{\"a\":{}}", "{\"a\":1,\"a\":2}",
        "{\"\":0}",
        "[0,-0,1,-1,0.0,-0.0,0e0,0E+0,0e-0,1e5,1E-05,123456789012345678]", "[1 , 2]", "{ \"a\" : 1 , \"b\" : [ ] }",
        "\"\u{7F}\"",
        "[null,true,false]", "[\n1\n,\n2\n]", "\"/\"", "[\"a\",\"b\"]",
        "[18446744073709551615,-9223372036854775808,9223372036854775807]",
        "[1.7976931348623157e308,-1.7976931348623157e+308,5e-324,1e-400,0e999999999999999999999]",
        "[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0000\"]",
        "123456789012345678901e-5", "100000000000000000000000.0",
        "0.00000000000000000000000000000000000000000000000000001",
        "[1e23,8.5,3.1415926535897932384626433832795028841971693993751,2.2250738585072011e-308,9007199254740993.0]",
        "0." + String(repeating: "0", count: 400) + "1e400",
        "1e400", "-1e400", "1.7976931348623159e308", "18446744073709551616", "-9223372036854775809",
        "100000000000000000000",
        "-10000000000000000000", "1e99999999999999999999",
    ]

    static let refused: [String] = [
        "", " ", "{", "}", "[", "]", "[1", "[1,", "[1,]", "[,1]", "[,]", "[1,,2]", "[1 2]", "[1}", "{1:2}", "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}", "{,}", "{,\"a\":1}", "{\"a\" 1}", "{\"a\"::1}", "{\"a\":1 \"b\":2}", "{\"a\":1]", "{a:1}",
        "{'a':1}", "{null:1}", "{\"a\":1",
        "{\"a\":", "{\"a\"", "{\"a", "nul", "nulL", "tru", "trues", "fals", "TRUE", "None", "undefined", "NaN",
        "Infinity", "-Infinity", "-",
        "+1", "01", "-01", "00", "1.", ".5", "1.e1", "1e", "1e+", "1e1.5", "0x1", "1_000", "--1", "-a", "1a", "[1a]",
        "1 2", "{}{}", "[]]", "[] x",
        "\"", "\"a", "\"\\", "\"\\\"", "'a'", "/**/[]", "[]//", "[1,\u{B}2]", "\u{C}[]", "\u{FEFF}[]", "[\u{A0}]",
        "[1\0]", "\0", "[\"a\0\"]", "\"a\nb\"", "\"a\tb\"", "\"\u{1F}\"",
    ]

    @Test func `A text that follows the grammar is accepted, and simdjson reads the same values`() throws {
        for text in Self.accepted {
            #expect(Ours.refusal(Array(text.utf8)) == nil, "\(text.debugDescription)")
            #expect(try compare(Array(text.utf8)), "\(text.debugDescription)")
        }
    }

    @Test func `A text that violates the grammar is refused, as simdjson refuses it`() throws {
        for text in Self.refused {
            #expect(Ours.refusal(Array(text.utf8)) != nil, "\(text.debugDescription)")
            #expect(try !compare(Array(text.utf8)), "\(text.debugDescription)")
        }
    }
}
