/// Conversion of a record's `w`: microseconds since 1970 UTC to RFC 3339 text with six decimals, and back.
enum WallClock {
    /// The times that a year of four digits can express: 0000-01-01 to the last microsecond of 9999.
    static let range: ClosedRange<Int64> = -62_167_219_200_000_000...253_402_300_799_999_999

    private static let microsecondsPerDay: Int64 = 86_400_000_000

    /// Returns text such as `2026-01-02T03:04:05.123456Z`. Times outside `range` are clamped to it.
    static func text(_ microseconds: Int64) -> [UInt8] {
        let clamped = min(max(microseconds, range.lowerBound), range.upperBound)
        let days = Int((clamped - floorRemainder(clamped, microsecondsPerDay)) / microsecondsPerDay)
        let ofDay = Int(floorRemainder(clamped, microsecondsPerDay))
        let (year, month, day) = date(days: days)
        var text: [UInt8] = []
        text.reserveCapacity(27)
        append(year, digits: 4, "-", to: &text)
        append(month, digits: 2, "-", to: &text)
        append(day, digits: 2, "T", to: &text)
        append(ofDay / 3_600_000_000, digits: 2, ":", to: &text)
        append(ofDay / 60_000_000 % 60, digits: 2, ":", to: &text)
        append(ofDay / 1_000_000 % 60, digits: 2, ".", to: &text)
        append(ofDay % 1_000_000, digits: 6, "Z", to: &text)
        return text
    }

    /// Returns the microseconds since 1970 of an RFC 3339 time, or `nil` for any other text. Finer decimals are
    /// dropped.
    static func parse(_ text: Span<UInt8>) -> Int64? {
        guard text.count >= 20, let year = number(text, 0..<4), let month = number(text, 5..<7),
            let day = number(text, 8..<10), let hour = number(text, 11..<13), let minute = number(text, 14..<16),
            let second = number(text, 17..<19)
        else { return nil }
        let separators =
            text[4] == UInt8(ascii: "-") && text[7] == UInt8(ascii: "-") && text[10] | 0x20 == UInt8(ascii: "t")
            && text[13] == UInt8(ascii: ":") && text[16] == UInt8(ascii: ":")
        // A second of 60 is a leap second (RFC 3339 section 5.6). It counts as the first second of the next minute.
        guard separators, (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second <= 60
        else { return nil }
        var place = 19
        guard let fraction = fraction(text, &place), let offset = offsetMinutes(text, place) else { return nil }
        let seconds = days(year: year, month: month, day: day) * 86_400 + hour * 3_600 + (minute - offset) * 60 + second
        return Int64(seconds) * 1_000_000 + Int64(fraction)
    }

    private static func floorRemainder(_ value: Int64, _ divisor: Int64) -> Int64 {
        let remainder = value % divisor
        return remainder < 0 ? remainder + divisor : remainder
    }

    private static func append(_ value: Int, digits: Int, _ separator: Unicode.Scalar, to text: inout [UInt8]) {
        var divisor = 1
        for _ in 1..<digits { divisor *= 10 }
        while divisor > 0 {
            text.append(UInt8(ascii: "0") + UInt8(value / divisor % 10))
            divisor /= 10
        }
        text.append(UInt8(ascii: separator))
    }

    private static func number(_ text: Span<UInt8>, _ digits: Range<Int>) -> Int? {
        var value = 0
        for place in digits {
            guard let digit = digit(text[place]) else { return nil }
            value = value * 10 + digit
        }
        return value
    }

    private static func digit(_ byte: UInt8) -> Int? {
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") ? Int(byte - UInt8(ascii: "0")) : nil
    }

    /// Reads the decimals at `place` as microseconds: 0 when there are none, `nil` for a dot without digits.
    private static func fraction(_ text: Span<UInt8>, _ place: inout Int) -> Int? {
        guard text[place] == UInt8(ascii: ".") else { return 0 }
        place += 1
        var value = 0
        var weight = 100_000
        let start = place
        while place < text.count, let digit = digit(text[place]) {
            value += digit * weight
            weight /= 10
            place += 1
        }
        return place > start ? value : nil
    }

    /// Reads the offset after the decimals, in minutes east of UTC: `Z`, or hours and minutes.
    private static func offsetMinutes(_ text: Span<UInt8>, _ place: Int) -> Int? {
        guard place < text.count else { return nil }
        let sign = text[place]
        if sign | 0x20 == UInt8(ascii: "z") { return text.count == place + 1 ? 0 : nil }
        guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"), text.count == place + 6,
            let hours = number(text, place + 1..<place + 3), let minutes = number(text, place + 4..<place + 6),
            text[place + 3] == UInt8(ascii: ":"), hours < 24, minutes < 60
        else { return nil }
        return (sign == UInt8(ascii: "-") ? -1 : 1) * (hours * 60 + minutes)
    }

    /// Returns the days since 1970. Years are counted from March, so that the leap day is the last of its year; 400
    /// years have 146,097 days.
    private static func days(year: Int, month: Int, day: Int) -> Int {
        let years = month > 2 ? year + 400 : year + 399
        let monthsFromMarch = (month + 9) % 12
        let leapDays = years / 4 - years / 100 + years / 400
        return years * 365 + leapDays + (153 * monthsFromMarch + 2) / 5 + day - 1 - 719_468 - 146_097
    }

    private static func date(days: Int) -> (year: Int, month: Int, day: Int) {
        let sinceMarch = days + 719_468 + 146_097
        let cycle = sinceMarch / 146_097
        let ofCycle = sinceMarch % 146_097
        let yearOfCycle = (ofCycle - ofCycle / 1_460 + ofCycle / 36_524 - ofCycle / 146_096) / 365
        let ofYear = ofCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
        let monthFromMarch = (5 * ofYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = cycle * 400 + yearOfCycle - 400 + (month <= 2 ? 1 : 0)
        return (year, month, ofYear - (153 * monthFromMarch + 2) / 5 + 1)
    }
}

/// Conversion between the wall clocks of event files and text.
package enum RecordingTime {
    /// Returns the time, in microseconds since 1970 UTC, as RFC 3339 text with six decimals.
    package static func text(_ microseconds: Int64) -> String {
        String(decoding: WallClock.text(microseconds), as: UTF8.self)
    }

    /// Returns the microseconds since 1970 UTC of an RFC 3339 time, or `nil` for any other text.
    static func parse(_ text: String) -> Int64? {
        let bytes = Array(text.utf8)
        return WallClock.parse(bytes.span)
    }
}
