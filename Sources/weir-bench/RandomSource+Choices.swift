import Wire

// One seed gives one traffic on every machine.
extension RandomSource {
    /// A number in `0..<bound`.
    mutating func below(_ bound: Int) -> Int { Int(truncatingIfNeeded: next() >> 1) % bound }

    /// One of `choices`, which are some.
    mutating func pick<Choice>(_ choices: [Choice]) -> Choice { choices[below(choices.count)] }

    /// A random UUID in its usual form.
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
