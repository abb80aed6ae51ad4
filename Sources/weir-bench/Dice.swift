/// SplitMix64: one seed gives one traffic on every machine.
struct Dice {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

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
