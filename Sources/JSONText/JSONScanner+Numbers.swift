/// A number in the text: ±`significand` × 10^`exponent`.
struct JSONNumber {
    var range: Range<Int>
    var isNegative: Bool
    /// The digits before and after the decimal point as one integer.
    ///
    /// It wraps if there are more than `exactDigits` digits. For an integer that does not fit 64 bits, it is
    /// `UInt64.max`.
    var significand: UInt64
    /// The number of digits in `significand`, including leading zeros.
    var digitCount: Int
    /// The power of ten, adjusted for the digits of the fraction. Clamped far outside the range of a `Double`.
    var exponent: Int
    /// Whether the number has neither a decimal point nor an exponent.
    var isInteger: Bool

    /// The largest number of digits that always fits a `UInt64`.
    static let exactDigits = 19
}

extension JSONScanner {
    /// Returns the number at `start`, whose first byte is `-` or a digit. It may be of any size.
    @inline(never)
    func number(from start: Int) throws(JSONError) -> JSONNumber {
        var i = start
        let isNegative = text[i] == UInt8(ascii: "-")
        if isNegative { i += 1 }
        let first = i
        var significand: UInt64 = 0
        i = digits(from: i, into: &significand)
        let digitCount = i - first
        guard digitCount > 0 else { throw malformed(start, at: i) }
        guard digitCount == 1 || text[first] != UInt8(ascii: "0") else { throw JSONError(.invalidNumber, at: start) }
        if i < text.count, text[i] == UInt8(ascii: ".") || text[i] | 0x20 == UInt8(ascii: "e") {
            return try fraction(from: start, isNegative, significand, first..<i)
        }
        if digitCount >= JSONNumber.exactDigits { significand = bigInteger(first..<i) }
        return JSONNumber(
            range: Range(uncheckedBounds: (start, i)), isNegative: isNegative, significand: significand,
            digitCount: digitCount,
            exponent: 0, isInteger: true)
    }

    /// Returns the integer at `start` if it has no sign and at most 17 digits, so that it needs no check. Otherwise
    /// returns `start` as the end.
    @inline(__always)
    func shortInteger(at start: Int) -> (value: Int64, end: Int) {
        var value: Int64 = 0
        var i = start
        let most = min(text.count, start + 18)
        while i < most, JSONByte.isDigit(text[i]) {
            value = value &* 10 &+ Int64(text[i] &- UInt8(ascii: "0"))
            i += 1
        }
        guard i > start, i < most, text[start] != UInt8(ascii: "0"), text[i] != UInt8(ascii: "."),
            text[i] | 0x20 != UInt8(ascii: "e")
        else { return (0, start) }
        return (value, i)
    }

    /// Reads the fraction and the exponent after the integer part `whole`.
    @inline(never)
    private func fraction(from start: Int, _ isNegative: Bool, _ whole: UInt64, _ integer: Range<Int>) throws(JSONError)
        -> JSONNumber
    {
        var i = integer.upperBound
        var significand = whole
        var fractionDigits = 0
        if text[i] == UInt8(ascii: ".") {
            let end = digits(from: i + 1, into: &significand)
            fractionDigits = end - (i + 1)
            guard fractionDigits > 0 else { throw malformed(start, at: end) }
            i = end
        }
        var exponent = 0
        if i < text.count, text[i] | 0x20 == UInt8(ascii: "e") {
            (exponent, i) = try self.exponent(from: i + 1, of: start)
        }
        return JSONNumber(
            range: start..<i, isNegative: isNegative, significand: significand,
            digitCount: integer.count + fractionDigits,
            exponent: exponent - fractionDigits, isInteger: false)
    }

    @inline(__always)
    private func digits(from start: Int, into significand: inout UInt64) -> Int {
        var i = start
        while i < text.count, JSONByte.isDigit(text[i]) {
            significand = significand &* 10 &+ UInt64(text[i] &- UInt8(ascii: "0"))
            i += 1
        }
        return i
    }

    private func exponent(from start: Int, of number: Int) throws(JSONError) -> (value: Int, end: Int) {
        var i = start
        var isNegative = false
        if i < text.count, text[i] == UInt8(ascii: "-") || text[i] == UInt8(ascii: "+") {
            isNegative = text[i] == UInt8(ascii: "-")
            i += 1
        }
        let first = i
        var value = 0
        while i < text.count, JSONByte.isDigit(text[i]) {
            if value < 1_000_000 { value = value * 10 + Int(text[i] - UInt8(ascii: "0")) }
            i += 1
        }
        guard i > first else { throw malformed(number, at: i) }
        return (isNegative ? -value : value, i)
    }

    /// Returns the magnitude of an integer of 19 digits or more, or `UInt64.max` if it does not fit.
    @inline(never)
    private func bigInteger(_ digits: Range<Int>) -> UInt64 {
        var value: UInt64 = 0
        for i in digits {
            let (shifted, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = shifted.addingReportingOverflow(UInt64(text[i] - UInt8(ascii: "0")))
            if overflow || carry { return .max }
            value = sum
        }
        return value
    }

    @inline(never)
    private func malformed(_ start: Int, at offset: Int) -> JSONError {
        offset < text.count ? JSONError(.invalidNumber, at: start) : JSONError(.unexpectedEnd, at: offset)
    }

    /// Returns the nearest `Double`, or infinity if the number is too large.
    func double(_ number: JSONNumber) -> Double {
        // Both factors are exact, so the single rounding is correct (Clinger's fast path).
        if number.digitCount <= JSONNumber.exactDigits, number.significand <= 1 << 53, abs(number.exponent) <= 22 {
            let significand = Double(number.significand)
            let power = Self.powersOfTen[abs(number.exponent)]
            let magnitude = number.exponent < 0 ? significand / power : significand * power
            return number.isNegative ? -magnitude : magnitude
        }
        return Double(String(decoding: text[number.range], as: UTF8.self)) ?? .nan
    }

    private static let powersOfTen: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]
}
