/// Durations and sizes as people type them, `1.5h` and `64K`: the one reader for options, filters, places and requests. The caller checks
/// the bounds.
package enum TypedAmount {
    package typealias Unit = (name: String, factor: Int64)

    /// In the order in which an amount is written: as a whole number of the first that goes.
    package static let spanUnits: [Unit] = [
        ("h", 3_600_000_000), ("m", 60_000_000), ("s", 1_000_000), ("ms", 1000), ("d", 86_400_000_000), ("us", 1),
    ]
    package static let sizeUnits: [Unit] = [("G", 1 << 30), ("M", 1 << 20), ("K", 1 << 10), ("k", 1 << 10), ("", 1)]

    /// Microseconds; nil for a text that is no duration.
    package static func microseconds(_ text: some StringProtocol) -> Int64? { amount(text, in: spanUnits) }

    /// Bytes; nil for a text that is no size.
    package static func bytes(_ text: some StringProtocol) -> Int64? { amount(text, in: sizeUnits) }

    /// A whole or decimal number with one of the units behind it.
    private static func amount(_ text: some StringProtocol, in units: [Unit]) -> Int64? {
        let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == "." || $0 == "-") }
        guard let unit = units.first(where: { $0.name == text[digits.endIndex...] }) else { return nil }
        if let whole = Int64(digits) {
            let (product, overflow) = whole.multipliedReportingOverflow(by: unit.factor)
            return overflow ? nil : product
        }
        return Double(digits).flatMap { Int64(exactly: ($0 * Double(unit.factor)).rounded()) }
    }

    /// An amount as it may be typed.
    package static func text(of amount: Int64, in units: [Unit]) -> String {
        guard amount != 0, let unit = units.first(where: { amount.isMultiple(of: $0.factor) }) else {
            return "0" + (units.last?.name ?? "")
        }
        return "\(amount / unit.factor)\(unit.name)"
    }
}

extension Duration {
    /// What is typed with a unit: from a microsecond to some 30 years.
    package init?(typed text: some StringProtocol) {
        guard let span = TypedAmount.microseconds(text), (1...1_000_000_000_000_000).contains(span) else { return nil }
        self = .microseconds(span)
    }
}
