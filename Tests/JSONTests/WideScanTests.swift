import CWeirJSONScan
import Testing
import WeirWire

/// The scans that read 64 bytes at a time, where the processor can, give the same results as the plain ones.
@Suite struct WideScanTests {
    /// Texts made of pieces significant to a scan, with lengths around one and two blocks.
    static let texts: [[UInt8]] = {
        var random = RandomSource(seed: 64)
        let pieces: [[UInt8]] = [
            Array("plain text ".utf8), Array("x".utf8), Array("é".utf8), Array("•".utf8), Array("👍".utf8),
            Array("\\".utf8), Array("\\\\".utf8), Array(#"\""#.utf8), Array(#"\/"#.utf8), Array(#"\n"#.utf8),
            Array(#"\u00e9"#.utf8),
            Array(#"\q"#.utf8), Array("\"".utf8), Array("/".utf8), [0x00], [0x1F], [0x7F], [0xC3], [0x80], [0xFF],
            [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80],
        ]
        return (0..<20_000).map { number in
            // Most escapes are valid; otherwise nearly all texts would be refused at once.
            let usual = number.isMultiple(of: 2) ? pieces.prefix(9) : pieces[...]
            var text: [UInt8] = []
            let length = Int.random(in: 1...140, using: &random)
            while text.count < length { text += usual.randomElement(using: &random) ?? [] }
            return Array(text.prefix(length))
        }
    }()

    @Test func `the end of a string does not depend on the processor`() {
        #if arch(x86_64)
            guard json_has_wide_blocks() else { return }
            for whole in Self.texts {
                // Plain characters are skipped first.
                let text = Array(whole[json_plain_prefix(whole, whole.count)...])
                var (wide, narrow) = (false, false)
                let end = json_string_end_wide(text, text.count, &wide)
                #expect(json_string_end_narrow(text, text.count, &narrow) == end, "\(text)")
                if end >= 0 { #expect(wide == narrow, "\(text)") }
            }
        #endif
    }

    @Test func `unescaped JSON does not depend on the processor`() {
        #if arch(x86_64)
            guard json_has_wide_blocks() else { return }
            let slack = JSON_UNESCAPED_SLACK
            for text in Self.texts {
                var (wide, narrow) = ([UInt8](repeating: 0, count: text.count + slack), [UInt8]())
                narrow = wide
                let count = json_unescaped_wide(text, text.count, &wide)
                #expect(json_unescaped_narrow(text, text.count, &narrow) == count, "\(text)")
                if count >= 0 { #expect(wide.prefix(count) == narrow.prefix(count), "\(text)") }
            }
        #endif
    }

    @Test func `the count of a byte in a text does not depend on the processor`() {
        for text in Self.texts {
            let backslash = UInt8(ascii: "\\")
            let count = text.count { $0 == backslash }
            #expect(json_count_byte_narrow(text, text.count, backslash) == count, "\(text)")
            #if arch(x86_64)
                if json_has_wide_blocks() {
                    #expect(json_count_byte_wide(text, text.count, backslash) == count, "\(text)")
                }
            #endif
        }
    }
}
