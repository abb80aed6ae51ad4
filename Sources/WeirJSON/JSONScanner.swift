import CWeirJSONScan

/// The JSON grammar over raw memory. Each function takes the start offset of an element and returns the offset after
/// it.
///
/// It is only used inside `Span.withUnsafeBufferPointer`, so the pointer never outlives the bytes. Every read follows a
/// comparison with `text.count`.
struct JSONScanner {
    let text: UnsafeBufferPointer<UInt8>

    /// Returns the offset of the next byte that is not white space. Throws at the end of the text.
    @inline(__always)
    func afterSpace(_ start: Int) throws(JSONError) -> Int {
        if start < text.count, text[start] > UInt8(ascii: " ") { return start }
        return try afterSpaceSlowly(start)
    }

    @inline(never)
    private func afterSpaceSlowly(_ start: Int) throws(JSONError) -> Int {
        var i = start
        while i < text.count {
            if !JSONByte.isSpace(text[i]) { return i }
            i += 1
        }
        throw JSONError(.unexpectedEnd, at: i)
    }

    /// Returns the error for a byte at `offset` that the grammar does not allow.
    @inline(never)
    func unexpected(at offset: Int) -> JSONError {
        offset < text.count
            ? JSONError(.unexpectedByte(text[offset]), at: offset) : JSONError(.unexpectedEnd, at: offset)
    }

    /// Returns the end of `true`, `false` or `null` at `start`. The caller has checked the first letter.
    @inline(__always)
    func literalEnd(from start: Int, _ word: StaticString) throws(JSONError) -> Int {
        let length = word.utf8CodeUnitCount
        if text.count - start >= length, let base = text.baseAddress,
            json_same_bytes(base + start, word.utf8Start, length)
        {
            return start + length
        }
        throw wrongLiteral(from: start, word)
    }

    @inline(never)
    private func wrongLiteral(from start: Int, _ word: StaticString) -> JSONError {
        for i in 0..<word.utf8CodeUnitCount where start + i >= text.count || text[start + i] != word.utf8Start[i] {
            return unexpected(at: start + i)
        }
        return unexpected(at: start)
    }
}

/// Tests for classes of bytes in JSON text.
enum JSONByte {
    @inline(__always)
    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

    @inline(__always)
    static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }
}

extension UInt8 {
    /// The value of a hexadecimal digit in either case, or `nil` for any other byte.
    @inlinable
    package var hexValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

extension JSONScanner {
    /// Checks the value at `start` completely and returns the offset after it.
    ///
    /// `depth` arrays and objects are already open, and at most `limit` may be open. The open ones form a stack of bits
    /// (1 = object). After 64 levels the function calls itself, so the recursion is 64 times shallower than the text.
    func valueEnd(from start: Int, depth: Int, limit: Int) throws(JSONError) -> Int {
        let levels = limit - depth
        var i = start
        var open = 0
        var kinds: UInt64 = 0
        while true {
            guard i < text.count else { throw JSONError(.unexpectedEnd, at: i) }
            let byte = text[i]
            if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
                guard open < levels else { throw tooDeep(at: i, limit: limit) }
                if open == UInt64.bitWidth {
                    i = try valueEnd(from: i, depth: depth + open, limit: limit)
                } else {
                    let isObject = byte == UInt8(ascii: "{")
                    kinds = kinds << 1 | (isObject ? 1 : 0)
                    open += 1
                    i = try afterSpace(i + 1)
                    // In ASCII, each closing bracket is its opening bracket plus 2.
                    if text[i] != byte + 2 {
                        if isObject { i = try keyEnd(from: i) }
                        continue
                    }
                }
            } else {
                i = try scalarEnd(from: i)
            }
            i = try closing(from: i, open: &open, kinds: &kinds)
            if open == 0 { return i }
        }
    }

    /// Returns the error for the bracket at `start`, which exceeds the limit by one level.
    @inline(never)
    func tooDeep(at start: Int, limit: Int) -> JSONError {
        var (depth, found) = (limit, limit)
        var isInString = false
        var i = start
        while i < text.count, depth >= limit {
            switch text[i] {
            case UInt8(ascii: "\\") where isInString: i += 1
            case UInt8(ascii: "\""): isInString.toggle()
            case UInt8(ascii: "{") where !isInString, UInt8(ascii: "[") where !isInString: depth += 1
            case UInt8(ascii: "}") where !isInString, UInt8(ascii: "]") where !isInString: depth -= 1
            default: break
            }
            found = max(found, depth)
            i += 1
        }
        return JSONError(.tooDeep(found: found, limit: limit), at: start)
    }

    /// Moves from the end of a value to the start of the next one, or to the end if everything that was open is closed.
    @inline(__always)
    private func closing(from start: Int, open: inout Int, kinds: inout UInt64) throws(JSONError) -> Int {
        var i = start
        while open > 0 {
            i = try afterSpace(i)
            let isObject = kinds & 1 == 1
            if text[i] == UInt8(ascii: ",") {
                i = try afterSpace(i + 1)
                return isObject ? try keyEnd(from: i) : i
            }
            guard text[i] == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else { throw unexpected(at: i) }
            i += 1
            open -= 1
            kinds >>= 1
        }
        return i
    }

    /// Moves from the start of a key to the start of its value.
    @inline(__always)
    private func keyEnd(from start: Int) throws(JSONError) -> Int {
        guard text[start] == UInt8(ascii: "\"") else { throw unexpected(at: start) }
        let colon = try afterSpace(contents(from: start).range.upperBound + 1)
        guard text[colon] == UInt8(ascii: ":") else { throw unexpected(at: colon) }
        return try afterSpace(colon + 1)
    }

    @inline(__always)
    private func scalarEnd(from start: Int) throws(JSONError) -> Int {
        switch text[start] {
        case UInt8(ascii: "\""): return try contents(from: start).range.upperBound + 1
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            let end = shortInteger(at: start).end
            return end > start ? end : try number(from: start).range.upperBound
        case UInt8(ascii: "t"): return try literalEnd(from: start, "true")
        case UInt8(ascii: "f"): return try literalEnd(from: start, "false")
        case UInt8(ascii: "n"): return try literalEnd(from: start, "null")
        default: throw unexpected(at: start)
        }
    }
}

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
