import JSONText

/// 64 bits as 16 lower-case hexadecimal digits: readers whose numbers are floating-point ones keep no 64 bits.
package enum Hexadecimal {
    package static func text(of value: UInt64) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Two digits a byte.
    package static func text(of bytes: ArraySlice<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// Nil for anything but 16 such digits.
    static func value(of text: String) -> UInt64? {
        guard text.utf8.count == 16, text.utf8.allSatisfy({ $0.hexValue != nil }) else { return nil }
        return UInt64(text, radix: 16)
    }
}
