/// A server's point in time, in milliseconds since 1970 UTC. JSON decoding tells seconds from milliseconds.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// The number of milliseconds since 1970-01-01T00:00:00Z.
    public var milliseconds: Int64

    /// Creates the instant `milliseconds` after 1970-01-01T00:00:00Z.
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// Creates the instant of a wire number. A value of up to 12 digits is in seconds, a longer one in
    /// milliseconds (Twake TW-97, #177).
    public init(wire number: Int64) {
        milliseconds = number.magnitude < 1_000_000_000_000 ? number &* 1000 : number
    }

    /// Orders instants from earlier to later.
    public static func < (a: Timestamp, b: Timestamp) -> Bool { a.milliseconds < b.milliseconds }
}

extension Timestamp {
    /// Creates the instant of an ISO 8601 date, such as `2026-07-29T23:40:22.8912Z`, or one with an offset such as
    /// `+02:00`. Returns `nil` for any other text. Digits finer than a millisecond are cut off.
    package init?(iso8601 text: String) {
        var parser = DateParser(rest: text.utf8[...])
        guard let milliseconds = parser.date() else { return nil }
        self.init(milliseconds: milliseconds)
    }
}

/// A parser that consumes a date from the front of its text.
private struct DateParser {
    var rest: Substring.UTF8View

    mutating func date() -> Int64? {
        guard let year = number(4), take("-"), let month = number(2), 1...12 ~= month, take("-"),
            let day = number(2), 1...31 ~= day, take("T") || take(" "), let hour = number(2), 0...23 ~= hour,
            take(":"), let minute = number(2), 0...59 ~= minute, take(":"), let second = number(2), 0...60 ~= second,
            let fraction = fraction(), let offset = offset(), rest.isEmpty
        else { return nil }
        let days = Self.days(year, month, day)
        guard days < Self.days(year + month / 12, month % 12 + 1, 1) else { return nil }
        let minutes = (days * 24 + hour) * 60 + minute - offset
        return (minutes * 60 + second) * 1000 + fraction
    }

    /// Returns the days from 1970-01-01 to a Gregorian date. Years are counted from March, so
    /// that a leap day comes last.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let year = month > 2 ? year : year - 1
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }

    private mutating func digit() -> Int64? {
        guard let byte = rest.first, UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte else { return nil }
        rest.removeFirst()
        return Int64(byte - UInt8(ascii: "0"))
    }

    private mutating func number(_ digits: Int) -> Int64? {
        var value: Int64 = 0
        for _ in 0..<digits {
            guard let digit = digit() else { return nil }
            value = value * 10 + digit
        }
        return value
    }

    /// Reads a fraction of a second in milliseconds. Returns 0 without a fraction, and `nil`
    /// for a point without digits.
    private mutating func fraction() -> Int64? {
        guard take(".") else { return 0 }
        guard var value = digit() else { return nil }
        value *= 100
        if let digit = digit() { value += digit * 10 }
        if let digit = digit() { value += digit }
        while digit() != nil {}
        return value
    }

    /// Reads an offset in minutes east of UTC.
    private mutating func offset() -> Int64? {
        if take("Z") { return 0 }
        let isEast = take("+")
        guard isEast || take("-"), let hours = number(2) else { return nil }
        _ = take(":")
        guard let minutes = number(2) else { return nil }
        return (isEast ? 1 : -1) * (hours * 60 + minutes)
    }
}
