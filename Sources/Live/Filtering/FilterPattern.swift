import JSONText

/// A regular expression of a filter, compiled. Not for several threads at once.
final class FilterPattern {
    private let pattern: LinePattern

    /// Nil for one that cannot be compiled, which no checked filter has.
    init?(_ text: String) {
        guard let pattern = try? LinePattern(text) else { return nil }
        self.pattern = pattern
    }

    /// Whether it matches somewhere in a text.
    func matches(_ text: String) -> Bool {
        let bytes = text.utf8.span
        return bytes.withUnsafeBufferPointer { pattern.matches($0) }
    }

    /// Whether it matches one of the lines.
    func matchesLine(of text: [UInt8]) -> Bool { pattern.matchesLine(of: text) }

    /// Whether compiling it would take more memory than any sensible expression needs: counts multiply when they stand in one another.
    static func isTooLarge(_ text: String) -> Bool {
        var (product, count, isInside) = (1, 0, false)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "{"): (isInside, count) = (true, 0)
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                if isInside { count = min(count * 10 + Int(byte - UInt8(ascii: "0")), 100_000) }
            case UInt8(ascii: ","), UInt8(ascii: "}"):
                guard isInside else { continue }
                product = min(product * max(count, 1), 100_000)
                (isInside, count) = (byte == UInt8(ascii: ","), 0)
            default: isInside = false
            }
        }
        return product > 1000
    }
}
