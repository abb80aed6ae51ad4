import Testing
import WeirWire

@Suite struct TypedAmountTests {
    @Test(
        arguments: [
            ("1us", 1), ("500ms", 500_000), ("1.5s", 1_500_000), (".5s", 500_000), ("2m", 120_000_000),
            ("1h", 3_600_000_000), ("1d", 86_400_000_000), ("0s", 0), ("-1.5s", -1_500_000), ("0.0015ms", 2),
            ("15", nil), ("s", nil), ("1w", nil), ("1 s", nil), ("1.2.3s", nil), ("--1s", nil), ("1e3s", nil),
            ("٣s", nil),
            ("9999999999999h", nil), ("99999999999999999999.5s", nil),
        ] as [(String, Int64?)])
    func `a duration is a number with its unit`(text: String, microseconds: Int64?) {
        #expect(TypedAmount.microseconds(text) == microseconds)
    }

    @Test(
        arguments: [
            ("64K", 65536), ("64k", 65536), ("1.5M", 1_572_864), ("2G", 2 << 30), ("512", 512), ("0", 0),
            ("4x", nil), ("K", nil), ("", nil), ("1m", nil), ("99999999999G", nil),
        ] as [(String, Int64?)])
    func `a size is a number of bytes, or a number with a unit`(text: String, bytes: Int64?) {
        #expect(TypedAmount.bytes(text) == bytes)
    }

    @Test func `an amount is written in familiar units and reads back as the same`() {
        let spans: [(Int64, String)] = [
            (86_400_000_000, "24h"), (90_000_000, "90s"), (1500, "1500us"), (-2000, "-2ms"), (0, "0us"),
        ]
        for (amount, text) in spans {
            #expect(TypedAmount.text(of: amount, in: TypedAmount.spanUnits) == text)
            #expect(TypedAmount.microseconds(text) == amount)
        }
        for (amount, text) in [(1536, "1536"), (2048, "2K"), (3 << 30, "3G"), (0, "0")] as [(Int64, String)] {
            #expect(TypedAmount.text(of: amount, in: TypedAmount.sizeUnits) == text)
            #expect(TypedAmount.bytes(text) == amount)
        }
    }

    @Test func `a timeout is at least a microsecond and at most about 30 years`() {
        #expect(Duration(typed: "1us") == .microseconds(1))
        #expect(Duration(typed: "11574d") == .seconds(999_993_600))
        for text in ["0s", "-1s", "0.4us", "11575d"] { #expect(Duration(typed: text) == nil) }
    }
}
