import Testing
import WeirJSON

@Suite struct `Strings` {
    private func refusal(_ contents: [UInt8]) -> JSONError? { Ours.refusal([0x22] + contents + [0x22]) }
    private func read(_ text: String) throws -> String {
        let bytes = Array(text.utf8)
        var reader = JSONReader(bytes.span)
        return try reader.string()
    }

    @Test func `Every escape is resolved`() throws {
        #expect(try read(#""\"\\\/\b\f\n\r\t""#) == "\"\\/\u{8}\u{C}\n\r\t")
        #expect(try read(#""\u0000\u00e9\u00E9\u20AC\uFFFF""#) == "\0éé€\u{FFFF}")
        #expect(try read(#""\ud83d\ude00|\uD800\uDC00|\udbff\udfff""#) == "😀|\u{10000}|\u{10FFFF}")
        #expect(try read(#""no escape""#) == "no escape")
    }

    @Test func `A surrogate without its partner is read, and the value contains it as an escape`() throws {
        let halves = [
            #"\ud800"#, #"\udc00"#, #"\uDFFF"#, #"\ud800x"#, #"\ud800\ud800"#, #"\udc00\ud800"#, #"\ud83d\uE000"#,
            #"\ud83d\n"#,
            #"\ud800\u0041"#, #"é\ud800"#, #"\ud83d\ude00\ud83d"#,
        ]
        let values = [
            #"\ud800"#, #"\udc00"#, #"\uDFFF"#, #"\ud800x"#, #"\ud800\ud800"#, #"\udc00\ud800"#, "\\ud83d\u{E000}",
            "\\ud83d\n",
            #"\ud800A"#, #"é\ud800"#, #"😀\ud83d"#,
        ]
        for (text, value) in zip(halves, values) {
            #expect(try read("\"\(text)\"") == value)
            #expect(try compare(Array("\"\(text)\"".utf8)), "\(text)")
            let bytes = Array("\"\(text)\"".utf8)
            var reader = JSONReader(bytes.span)
            let contents = try reader.stringRange()
            #expect(contents.hasEscapes && contents.hasLoneSurrogate)
        }
        #expect(try read(#""\ud83d\ude00""#) == "😀")
    }

    @Test func `An invalid escape is refused at its position`() throws {
        let wrong = [
            #"\a"#, #"\v"#, #"\0"#, #"\'"#, #"\x41"#, #"\U0041"#, #"\u"#, #"\u12"#, #"\u123"#, #"\u12g4"#, #"\u 123"#,
            #"\u+123"#, "\\\n", #"\é"#, #"\ud8"#, #"\ud800\u"#, #"\ud800\u12g4"#, #"\ud800\x"#,
        ]
        for text in wrong {
            let error = try #require(refusal(Array("ab\(text)".utf8)), "\(text)")
            #expect(error.reason == .invalidString, "\(text)")
            #expect(3...13 ~= error.offset, "\(text) \(error)")
            #expect(try !compare(Array("\"\(text)\"".utf8)))
        }
        #expect(refusal(Array(#"ab\x"#.utf8)) == JSONError(.invalidString, at: 3))
    }

    @Test func `A raw control character is refused, and DEL is accepted`() throws {
        for byte in 0..<0x20 as Range<UInt8> {
            #expect(refusal([0x61, byte]) == JSONError(.invalidString, at: 2))
            #expect(try !compare([0x22, byte, 0x22]))
        }
        #expect(refusal([0x7F]) == nil)
    }

    @Test func `Every two-byte sequence gets the same verdict as in simdjson`() throws {
        for first in 0x80...0xFF as ClosedRange<UInt8> {
            for second in 0...0xFF as ClosedRange<UInt8> { try compare([0x22, first, second, 0x22]) }
        }
    }

    @Test func `Three-byte and four-byte sequences at every edge get the same verdict as in simdjson`() throws {
        let edges: [UInt8] = [0x00, 0x22, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC2, 0xE0, 0xF0, 0xFF]
        for first in 0xE0...0xFF as ClosedRange<UInt8> {
            for second in edges {
                for third in edges {
                    try compare([0x22, first, second, third, 0x22])
                    if first >= 0xF0 {
                        for fourth in edges { try compare([0x22, first, second, third, fourth, 0x22]) }
                    }
                }
            }
        }
    }

    @Test func `Bytes that are not UTF-8 are refused where the sequence begins, anywhere in a long string`() {
        let wrong: [[UInt8]] = [
            [0x80], [0xC0, 0xAF], [0xE0, 0x9F, 0xBF], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF0, 0x9F, 0x98],
            [0xFF],
        ]
        for sequence in wrong {
            for before in 0..<40 {
                for filler in [[0x61], [0xC3, 0xA9]] as [[UInt8]] {
                    let prefix = Array([[UInt8]](repeating: filler, count: before).joined())
                    let text = prefix + sequence + [UInt8](repeating: 0x62, count: 20)
                    #expect(refusal(text) == JSONError(.invalidUTF8, at: 1 + prefix.count))
                    #expect(refusal(prefix + sequence) == JSONError(.invalidUTF8, at: 1 + prefix.count))
                }
            }
        }
    }

    @Test func `A string of any length ends at its quote, whatever follows`() throws {
        for length in 0..<70 {
            for tail in ["", " ", String(repeating: " ", count: 40)] {
                let text = Array("\"\(String(repeating: "x", count: length))\"\(tail)".utf8)
                var reader = JSONReader(text.span)
                let contents = try reader.stringRange()
                #expect(contents.range == 1..<1 + length && !contents.hasEscapes)
                try reader.end()
                #expect(Ours.refusal(text.dropLast(tail.utf8.count + 1)) == JSONError(.unexpectedEnd, at: length + 1))
            }
        }
    }

    @Test func `Keys and strings are compared with a name by value, not by spelling`() throws {
        let text = Array(#"{"ab":"ab","\u0061b":"x","abc":"a\u0062","é":""}"#.utf8)
        var reader = JSONReader(text.span)
        var matches: [Bool] = []
        try reader.beginObject()
        while let key = try reader.nextKey() {
            let value = try reader.stringRange()
            matches += [reader.matches(key, "ab"), reader.matches(value, "ab")]
            if reader.string(key) == "é" {
                matches += [reader.matches(key, "é"), reader.matches(value, ""), reader.matches(value, "a")]
            }
        }
        #expect(matches == [true, true, true, false, false, true, false, false, true, true, false])
    }

    @Test func `The bytes of a string can be borrowed as they are spelled`() throws {
        let text = Array(#"["a\n"]"#.utf8)
        var reader = JSONReader(text.span)
        try reader.beginArray()
        _ = try reader.nextElement()
        let contents = try reader.stringRange()
        #expect(contents.hasEscapes)
        let span = reader.span(at: contents)
        #expect(span.indices.map { span[$0] } == Array(#"a\n"#.utf8))
    }
}
