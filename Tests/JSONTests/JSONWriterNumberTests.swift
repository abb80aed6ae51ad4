import Testing
import WeirJSON

@Suite struct `Numbers that the writer formats` {
    private func text(_ write: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        write(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Edge values, each single bit, all digits, and random values.
    private var values: [UInt64] {
        var generator = SystemRandomNumberGenerator()
        return [0, .max, 0x0123_4567_89AB_CDEF, 0xFEDC_BA98_7654_3210, 0x9A9A_9A9A_A9A9_A9A9]
            + (0..<64).map { 1 << $0 } + (0..<64).map { ~(1 << $0) }
            + (0..<2000).map { _ in .random(in: 0 ... .max, using: &generator) }
    }

    private func digits(_ value: UInt64) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    @Test func `A UUID is written as the standard library's digits, with hyphens between the groups`() {
        for (high, low) in zip(values, values.reversed()) {
            var expected = Array(digits(high) + digits(low))
            for place in [20, 16, 12, 8] { expected.insert("-", at: place) }
            #expect(text { $0.uuid(high, low) } == "\"\(String(expected))\"")
        }
    }

    @Test func `Every value is written as sixteen hexadecimal digits`() {
        for value in values { #expect(text { $0.hexadecimal(value) } == "\"\(digits(value))\"") }
    }

    @Test func `Random integers of every length and both signs are written correctly`() {
        for value in values {
            for shift in UInt64(0)..<64 {
                let near = Int64(bitPattern: value) >> shift
                if text({ $0.integer(near) }) != "\(near)" { Issue.record("\(near)") }
            }
        }
    }

    @Test func `Every four-digit group is written correctly at every position in a number`() {
        for four in 0..<Int64(10_000) {
            for factor in [1, 10_000, 100_000_000, 1_000_000_000_000] as [Int64] {
                for base in [0, 1_000_000_000_000_000, 1_000_000_000_000_000_000] as [Int64] {
                    let value = base + four * factor
                    if text({ $0.integer(value) }) != "\(value)" { Issue.record("\(value)") }
                }
            }
        }
    }
}
