/// 64 bits as 16 lower-case hexadecimal digits: readers whose numbers are floating-point ones keep no 64 bits.
enum Hexadecimal {
    static func text(of value: UInt64) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Nil for anything but 16 such digits.
    static func value(of text: String) -> UInt64? {
        guard text.utf8.count == 16, text.utf8.allSatisfy({ HexDigit.value(of: $0) != nil }) else { return nil }
        return UInt64(text, radix: 16)
    }
}
