import Wire

// The same seed yields the same traffic on every machine.
extension RandomSource {
    /// Returns a number in `0..<bound`.
    mutating func below(_ bound: Int) -> Int { Int(truncatingIfNeeded: next() >> 1) % bound }

    /// Returns one of `choices`, which must not be empty.
    mutating func pick<Choice>(_ choices: [Choice]) -> Choice { choices[below(choices.count)] }

    /// Returns a random UUID in its usual form.
    mutating func uuid() -> String {
        let digits = Self.hexadecimal(next()) + Self.hexadecimal(next())
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index == 8 || index == 12 || index == 16 || index == 20 { text.append("-") }
            text.append(index == 12 ? "4" : digit)
        }
        return text
    }

    private static func hexadecimal(_ value: UInt64) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
