import WeirJSON

/// Hexadecimal text for 64-bit values: 16 lower-case digits, since readers with floating-point numbers cannot keep 64
/// bits.
package enum Hexadecimal {
    package static func text(of value: UInt64) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Returns two digits per byte.
    package static func text(of bytes: ArraySlice<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// Parses exactly 16 digits; returns `nil` for any other text.
    package static func value(of text: String) -> UInt64? {
        guard text.utf8.count == 16, text.utf8.allSatisfy({ $0.hexValue != nil }) else { return nil }
        return UInt64(text, radix: 16)
    }
}
