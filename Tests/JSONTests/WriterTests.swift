import Testing
import WeirJSON

@Suite struct `The writer` {
    private func text(asciiOnly: Bool = false, _ write: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter(asciiOnly: asciiOnly)
        write(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test func `Commas and colons are inserted at every level`() {
        let written = text { writer in
            writer.beginObject()
            writer.key("a")
            writer.beginArray()
            writer.integer(1)
            writer.beginObject()
            writer.endObject()
            writer.beginArray()
            writer.endArray()
            writer.null()
            writer.endArray()
            writer.key("b\"" as String)
            writer.bool(true)
            writer.key("c")
            writer.raw(RawJSON(unchecked: Array("[ 1 ]".utf8)[...]))
            writer.key("d")
            writer.number(0.5)
            writer.endObject()
            writer.endLine()
            writer.bool(false)
        }
        #expect(written == "{\"a\":[1,{},[],null],\"b\\\"\":true,\"c\":[ 1 ],\"d\":0.5}\nfalse")
    }

    @Test func `A reset discards everything written before`() {
        var writer = JSONWriter()
        writer.beginArray()
        writer.integer(1)
        writer.reset()
        writer.integer(2)
        #expect(writer.bytes == Array("2".utf8))
    }

    @Test func `Integers of every width are written whole`() {
        #expect(text { $0.integer(Int64.min) } == "-9223372036854775808")
        #expect(text { $0.integer(UInt64.max) } == "18446744073709551615")
        #expect(text { $0.integer(UInt8(0)) } == "0")
        #expect(text { $0.integer(Int128.max) } == "170141183460469231731687303715884105727")
        #expect(text { $0.integer(Int128.min) } == "-170141183460469231731687303715884105728")
    }

    @Test func `Integers of every length are written as the standard library writes them`() {
        var value: Int64 = 1
        for _ in 1...18 {
            for near in [value - 1, value, value + 1, value * 9 + value / 3, 9 * value] {
                #expect(text { $0.integer(near) } == "\(near)")
                #expect(text { $0.integer(-near) } == "\(-near)")
            }
            value *= 10
        }
    }

    @Test(arguments: ["\"", "\n", "\u{7F}", "é", "–", "😀", "\u{202E}"])
    func `A text of any length reads back, wherever a special character is in it`(special: Character) throws {
        for length in 0...70 {
            let plain = "abcdefghijklmnopqrstuvwxyz".repeated(to: length)
            for place in 0...length {
                var value = plain
                value.insert(special, at: value.index(value.startIndex, offsetBy: place))
                let written = Array(text { $0.string(value) }.utf8)
                var reader = JSONReader(written.span)
                guard try reader.string() == value, reader.offset == written.count else {
                    Issue.record("\(special) at \(place) of \(length)")
                    continue
                }
                #expect(!special.isWhitespace || !written.contains(UInt8(ascii: "\n")))
            }
        }
    }

    @Test func `Numbers are written in the shortest form that reads back as the same number`() throws {
        for value in [
            0.1, -0.0, 1, 1e16, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 1.0 / 3, 123456.789, 2.5e-10,
        ] {
            let written = text { $0.number(value) }
            var reader = JSONReader(Array(written.utf8).span)
            #expect(try reader.double().bitPattern == value.bitPattern, "\(written)")
            #expect(Oracle.accepts(Array(written.utf8)), "\(written)")
        }
        #expect(text { $0.number(0.1) } == "0.1")
    }

    /// The ranges of characters that must never reach a terminal unescaped.
    static let active: [ClosedRange<UInt32>] = [
        0x00...0x1F, 0x7F...0x9F, 0xAD...0xAD, 0x034F...0x034F, 0x061C...0x061C, 0x115F...0x1160, 0x17B4...0x17B5,
        0x180B...0x180F, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0x3164...0x3164, 0xFEFF...0xFEFF,
        0xFFA0...0xFFA0, 0xFFF0...0xFFFB, 0x1BCA0...0x1BCA3, 0x1D173...0x1D17A, 0xE0000...0xE00FF, 0xE01F0...0xE0FFF,
    ]

    @Test func `Every character reads back, and unsafe ones are escaped`() throws {
        // All of the crowded lower planes, and samples of the rest.
        let values =
            Array(UInt32(0)...0x2FFF) + stride(from: 0x3000, through: 0x10FFFF, by: 31) + [
                0xFEFE, 0xFEFF, 0xFFFD, 0x10FFFF,
            ]
        for value in values {
            guard let scalar = UnicodeScalar(value) else { continue }
            let expected = "<\(scalar)>"
            var writer = JSONWriter()
            writer.string(expected)
            let isActive = Self.active.contains { $0.contains(value) }
            let isEscaped = writer.count > 2 && writer.bytes[2] == UInt8(ascii: "\\")
            if isEscaped != (isActive || scalar == "\"" || scalar == "\\") {
                Issue.record("U+\(String(value, radix: 16))")
            }
            var reader = JSONReader(writer.bytes.span)
            if try reader.string() != expected { Issue.record("U+\(String(value, radix: 16)) reads back as another") }
        }
    }

    @Test func `With ASCII only, every other character is escaped and reads back`() throws {
        let value = "é – 你好 😀 \u{10FFFF} \u{E000}"
        let written = text(asciiOnly: true) { $0.string(value) }
        #expect(written.utf8.allSatisfy { $0 < 0x80 })
        #expect(written.contains(#"\ud83d\ude00 \udbff\udfff"#))
        var reader = JSONReader(Array(written.utf8).span)
        #expect(try reader.string() == value)
        let raw = RawJSON(unchecked: Array(#"{ "é" : "😀" }"#.utf8)[...])
        #expect(text(asciiOnly: true) { $0.raw(raw) } == #"{"\u00e9":"\ud83d\ude00"}"#)
    }

    @Test func `Bytes that are not UTF-8 become U+FFFD, as in the standard library`() throws {
        let vectors: [[UInt8]] = [
            [0xFF], [0xC0, 0xAF], [0xE0, 0x80, 0xAF], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82],
            [0x61, 0xF0, 0x9F, 0x98],
            [0xF0, 0x9F, 0x98, 0x22], [0xC3, 0xA9, 0x80], [0x80, 0x80, 0x41], [0xE2, 0x80, 0xE2, 0x80, 0xAE],
        ]
        for vector in vectors {
            var writer = JSONWriter()
            writer.string(utf8: vector[...])
            #expect(Oracle.accepts(writer.bytes), "\(vector)")
            var reader = JSONReader(writer.bytes.span)
            #expect(try reader.string() == String(decoding: vector, as: UTF8.self), "\(vector)")
        }
    }

    @Test func `A peer's text is embedded inert on one line, with its value unchanged`() throws {
        let source =
            "{ \"a\\\"\u{202E}b\" :\r\n [ 1.50 ,\t\"\u{7F}\u{9B}31m\\u001b \\\\\" , \"x y\u{FEFF}\" , \"\u{2028}é\" ] }"
        let raw = try RawJSON(checking: Array(" \(source)\n".utf8)[...])
        #expect(raw.description == source)
        let written = text { $0.inertRaw(raw) }
        #expect(written == #"{"a\"\u202eb":[1.50,"\u007f\u009b31m\u001b \\","x y\ufeff","\u2028é"]}"#)
        #expect(try JSONValue(parsing: Array(written.utf8)[...]) == JSONValue(parsing: raw.bytes))
    }
}

extension String {
    /// Repeats the characters up to the given length.
    fileprivate func repeated(to length: Int) -> String {
        String((0..<length).map { self[index(startIndex, offsetBy: $0 % count)] })
    }
}
