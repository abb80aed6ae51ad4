import Testing
import WeirJSON

@Suite struct `Numbers` {
    private func int64(_ text: String) -> Result<Int64, JSONError> {
        let bytes = Array(text.utf8)
        var reader = JSONReader(bytes.span)
        do throws(JSONError) { return .success(try reader.int64()) } catch { return .failure(error) }
    }
    private func double(_ text: String) throws -> Double {
        let bytes = Array(text.utf8)
        var reader = JSONReader(bytes.span)
        return try reader.double()
    }

    @Test func `An integer that fits is read, with and without text after it`() {
        let values: [Int64] = [
            0, 1, 9, 10, 42, 1_620_987_774_000, 99_999_999_999_999_999, 100_000_000_000_000_000,
            999_999_999_999_999_999,
            1_000_000_000_000_000_000, .max - 1, .max,
        ]
        for value in values {
            for signed in [value, -value, -value - 1] {
                for tail in ["", ",", " ", "]"] { #expect(int64("\(signed)\(tail)") == .success(signed)) }
            }
        }
        #expect(int64("-0") == .success(0))
    }

    @Test func `A number beyond Int64, a fraction and an exponent are not read as integers`() {
        for text in [
            "9223372036854775808", "18446744073709551615", "18446744073709551616", "-9223372036854775809",
            "123456789012345678901234567890", "1e400", "1.0", "1e3", "0.5", "0e0", "123456789012345678.5", "-1.5",
        ] {
            #expect(int64(text) == .failure(JSONError(.invalidNumber, at: 0)), "\(text)")
            #expect(Ours.refusal(Array(text.utf8)) == nil, "\(text)")
        }
        for text in ["01", "-01"] {
            #expect(int64(text) == .failure(JSONError(.invalidNumber, at: 0)), "\(text)")
            #expect(Ours.refusal(Array(text.utf8)) == JSONError(.invalidNumber, at: 0), "\(text)")
        }
    }

    @Test func `A tree keeps the text of a value that no Swift type can hold, and writes it unchanged`() throws {
        let whole = [
            "18446744073709552000", "-9223372036854775809", "1e400", "1000000000000000000000",
            String(repeating: "7", count: 9000),
            #""\ud800 x \udfff""#, #""é\udc00\ud83d\ude00""#,
        ]
        for text in whole {
            let value = try JSONValue(parsing: Array("[9223372036854775807,\(text)]".utf8)[...])
            #expect(value == .array([.integer(.max), .text(RawJSON(unchecked: Array(text.utf8)[...]))]))
            var writer = JSONWriter()
            writer.value(value)
            #expect(writer.bytes == Array("[9223372036854775807,\(text)]".utf8))
        }
    }

    @Test func `A tree that keeps the spelling is written as it was read`() throws {
        let whole = [
            "1.50", "1e3", "-0", "-0.0", "12345678901234567890.5", "0.1", "-7", #"{"a":[1.0,{"b":2}]}"#,
            #"{"a":1,"x\udfff":[1.50]}"#, #"[{"\ud800":null}]"#,
        ]
        for text in whole {
            let value = try JSONValue(parsing: Array(" \(text) ".utf8)[...], keepsSpelling: true)
            var writer = JSONWriter()
            writer.value(value)
            #expect(writer.bytes == Array(text.utf8), "\(text)")
        }
        let usual = try JSONValue(parsing: Array("[0.1,-7]".utf8)[...], keepsSpelling: true)
        #expect(usual == .array([.number(0.1), .integer(-7)]))
    }

    @Test func `A Double is read as the nearest representable value`() throws {
        #expect(try double("0.1") == 0.1)
        #expect(try double("-0").sign == .minus)
        #expect(try double("9007199254740993") == 9_007_199_254_740_992)
        #expect(try double("9007199254740993.00000000000000000000000000001") == 9_007_199_254_740_994)
        #expect(try double("2.2250738585072011e-308") == Double.leastNormalMagnitude.nextDown)
        #expect(try double("4.9406564584124654e-324") == .leastNonzeroMagnitude)
        #expect(try double("1e-400") == 0)
        #expect(try double("1.7976931348623157e308") == .greatestFiniteMagnitude)
        #expect(try double("0e99999999999999999999999") == 0)
        #expect(try double("0." + String(repeating: "0", count: 2_000_000) + "1e2000001") == 1)
        #expect(try double("1" + String(repeating: "0", count: 2_000_000) + "e-1999999") == 10)
    }

    @Test func `A Double out of range is refused`() {
        for text in [
            "1e309", "-1e309", "1.7976931348623159e308", "1e999999999999",
            "1" + String(repeating: "0", count: 309) + ".0",
        ] {
            #expect(throws: JSONError(.invalidNumber, at: 0), "\(text)") { try double(text) }
        }
    }

    @Test func `A truncated number is refused as an unexpected end`() {
        for text in ["-", "1.", "1e", "1e+", "-1.5E-"] {
            #expect(Ours.refusal(Array(text.utf8)) == JSONError(.unexpectedEnd, at: text.utf8.count), "\(text)")
            #expect(Ours.refusal(Array("\(text)]".utf8)) == JSONError(.invalidNumber, at: 0), "\(text)")
        }
    }
}
