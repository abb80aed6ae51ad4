import Testing
import WeirJSON
import WeirWire

@testable import WeirRecording

@Suite struct `Checksum` {
    /// The check values of RFC 3720 appendix B.4, and of "123456789".
    @Test(
        arguments: [
            ([UInt8](repeating: 0, count: 32), 0x8A91_36AA), ([UInt8](repeating: 0xFF, count: 32), 0x62A8_AB43),
            (Array(0...31), 0x46DD_794E), (Array((0...31).reversed()), 0x113F_DB5C),
            (Array("123456789".utf8), 0xE306_9283), ([], 0),
        ] as [([UInt8], UInt32)])
    func `CRC-32C yields the known values`(bytes: [UInt8], value: UInt32) {
        var crc = CRC32C()
        crc.update(bytes.span)
        #expect(crc.value == value)
    }

    @Test func `pieces yield the same checksum as the whole`() {
        var random = RandomSource(seed: 1)
        let bytes = (0..<10_000).map { _ in UInt8.random(in: 0...255, using: &random) }
        var whole = CRC32C()
        whole.update(bytes.span)
        for _ in 0..<50 {
            var pieces = CRC32C()
            var rest = bytes[...]
            while !rest.isEmpty {
                let piece = rest.prefix(Int.random(in: 1...300, using: &random))
                pieces.update(piece.span)
                rest = rest.dropFirst(piece.count)
            }
            #expect(pieces.value == whole.value)
        }
    }

    @Test func `the processor's instruction yields the same checksum as the tables`() {
        var random = RandomSource(seed: 2)
        let bytes = (0..<20_000).map { _ in UInt8.random(in: 0...255, using: &random) }
        for _ in 0..<200 {
            let start = Int.random(in: 0..<100, using: &random)
            let part = bytes[start..<Int.random(in: start...bytes.count, using: &random)]
            var crc = CRC32C()
            var byTables = CRC32C(byTables: ())
            crc.update(part.span)
            byTables.update(part.span)
            #expect(crc.value == byTables.value)
        }
    }
}

@Suite struct `Wall clock` {
    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000000Z"), (-1, "1969-12-31T23:59:59.999999Z"),
            (1_767_323_045_123_456, "2026-01-02T03:04:05.123456Z"),
            (951_782_399_999_999, "2000-02-28T23:59:59.999999Z"), (951_782_400_000_000, "2000-02-29T00:00:00.000000Z"),
            (-2_203_891_200_000_000, "1900-03-01T00:00:00.000000Z"),
            (4_107_542_399_000_000, "2100-02-28T23:59:59.000000Z"),
            (WallClock.range.lowerBound, "0000-01-01T00:00:00.000000Z"),
            (WallClock.range.upperBound, "9999-12-31T23:59:59.999999Z"),
        ] as [(Int64, String)])
    func `known times are written and parsed`(microseconds: Int64, text: String) {
        #expect(String(decoding: WallClock.text(microseconds), as: UTF8.self) == text)
        #expect(WallClock.parse(Array(text.utf8).span) == microseconds)
    }

    @Test func `every day of eight centuries reads back`() {
        for day in stride(from: -140_000, through: 160_000, by: 1) as StrideThrough<Int64> {
            let time = day * 86_400_000_000 + 45_296_000_007
            let text = WallClock.text(time)
            if WallClock.parse(text.span) != time {
                Issue.record("\(String(decoding: text, as: UTF8.self))")
                return
            }
        }
    }

    @Test(
        arguments: [
            ("2026-01-02T03:04:05Z", 1_767_323_045_000_000), ("2026-01-02t03:04:05.5z", 1_767_323_045_500_000),
            ("2026-01-02T04:34:05.1234569+01:30", 1_767_323_045_123_456),
            ("2026-01-01T22:04:05-05:00", 1_767_323_045_000_000),
            ("2026-01-02T03:03:60Z", 1_767_323_040_000_000),
        ] as [(String, Int64)])
    func `other spellings of RFC 3339 are parsed`(text: String, microseconds: Int64) {
        #expect(WallClock.parse(Array(text.utf8).span) == microseconds)
    }

    @Test(arguments: [
        "", "2026-01-02", "2026-01-02T03:04:05", "2026-01-02T03:04:05.Z", "2026-13-02T03:04:05Z",
        "2026-00-02T03:04:05Z", "2026-01-32T03:04:05Z",
        "2026-01-02T24:04:05Z", "2026-01-02T03:60:05Z", "2026-01-02 03:04:05Z", "x026-01-02T03:04:05Z",
        "2026-01-02T03:04:05Z ",
        "2026-01-02T03:04:05+1:00", "2026-01-02T03:04:05+24:00",
    ])
    func `an invalid time is refused`(text: String) {
        #expect(WallClock.parse(Array(text.utf8).span) == nil)
    }
}

@Suite struct `String escapes` {
    @Test(arguments: [
        (#"plain"#, "plain"), (#"\"\\\/\b\f\n\r\t"#, "\"\\/\u{8}\u{C}\n\r\t"),
        (#"\u0041\u00e9\u65E5\ud834\uDD1E!"#, "Aé日𝄞!"),
        (#"a\nb\nc\nd\ne\nf\ng\nh\n12345678\n123456789"#, "a\nb\nc\nd\ne\nf\ng\nh\n12345678\n123456789"),
        (#"\\\\\\"#, #"\\\"#), ("", ""),
        (#"é\"日\"𝄞"#, "é\"日\"𝄞"),
    ])
    func `escapes are resolved`(contents: String, value: String) {
        #expect(StringEscapes.resolved(Array(contents.utf8).span) == Array(value.utf8))
    }

    @Test func `resolved escapes equal those of the JSON reader on seeded texts`() throws {
        var generator = RecordGenerator(seed: 31)
        for round in 0..<3_000 {
            var writer = JSONWriter(asciiOnly: round % 2 == 0)
            let text = generator.text()
            writer.string(text)
            #expect(StringEscapes.resolved(writer.bytes[1..<writer.count - 1].span) == Array(text.utf8))
        }
    }

    @Test func `invalid escapes never trap`() {
        var random = RandomSource(seed: 32)
        let alphabet = Array(#"\\\\uudD89c"nx0"#.utf8)
        for _ in 0..<5_000 {
            let contents = (0..<Int.random(in: 0..<20, using: &random)).map { _ in
                alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
            }
            #expect(StringEscapes.resolved(contents.span).count <= contents.count + 8)
        }
    }
}
