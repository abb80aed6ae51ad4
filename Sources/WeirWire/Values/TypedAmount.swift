/// Parses durations and sizes as people type them, such as `1.5h` and `64K`.
///
/// It is the only parser for options, filters, positions and requests. The caller checks the range.
package enum TypedAmount {
    package typealias Unit = (name: String, factor: Int64)

    /// The units of time, in microseconds. An amount is written as a whole number of the first unit that divides it.
    package static let spanUnits: [Unit] = [
        ("h", 3_600_000_000), ("m", 60_000_000), ("s", 1_000_000), ("ms", 1000), ("d", 86_400_000_000), ("us", 1),
    ]
    package static let sizeUnits: [Unit] = [("G", 1 << 30), ("M", 1 << 20), ("K", 1 << 10), ("k", 1 << 10), ("", 1)]

    /// Parses a duration to microseconds. Returns `nil` if the text is not a duration.
    package static func microseconds(_ text: some StringProtocol) -> Int64? { amount(text, in: spanUnits) }

    /// Parses a size to bytes. Returns `nil` if the text is not a size.
    package static func bytes(_ text: some StringProtocol) -> Int64? { amount(text, in: sizeUnits) }

    /// Parses a whole or decimal number followed by one of the units.
    private static func amount(_ text: some StringProtocol, in units: [Unit]) -> Int64? {
        let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == "." || $0 == "-") }
        guard let unit = units.first(where: { $0.name == text[digits.endIndex...] }) else { return nil }
        if let whole = Int64(digits) {
            let (product, overflow) = whole.multipliedReportingOverflow(by: unit.factor)
            return overflow ? nil : product
        }
        return Double(digits).flatMap { Int64(exactly: ($0 * Double(unit.factor)).rounded()) }
    }

    /// Returns an amount in the format in which it can be typed.
    package static func text(of amount: Int64, in units: [Unit]) -> String {
        guard amount != 0, let unit = units.first(where: { amount.isMultiple(of: $0.factor) }) else {
            return "0" + (units.last?.name ?? "")
        }
        return "\(amount / unit.factor)\(unit.name)"
    }
}

extension Duration {
    /// Parses a duration with a unit, from a microsecond to about 30 years. Returns `nil` for any other text.
    package init?(typed text: some StringProtocol) {
        guard let span = TypedAmount.microseconds(text), (1...1_000_000_000_000_000).contains(span) else { return nil }
        self = .microseconds(span)
    }
}
