import WeirTerminal

/// Times and spans as text. It never reads the clock, so a replay prints the same text as the live run.
package enum TimeText {
    /// Returns the time of day in UTC as `HH:MM:SS.mmmZ`.
    package static func clock(wall microseconds: Int64) -> String { timeOfDay(wall: microseconds) + "Z" }

    /// Returns the time of day in UTC as `HH:MM:SS.mmm`.
    static func timeOfDay(wall microseconds: Int64) -> String {
        let milliseconds = microseconds.flooredDivision(by: 1000)
        let ofDay = Int(milliseconds - milliseconds.flooredDivision(by: 86_400_000) * 86_400_000)
        return String(unsafeUninitializedCapacity: 12) { text in
            writeClock(second: ofDay / 1000, into: text, at: 0)
            text[8] = UInt8(ascii: ".")
            write(ofDay % 1000, digits: 3, into: text, at: 9)
            return 12
        }
    }

    // Every line contains such a time. Digits are written in place, so that no intermediate strings are made.

    /// Writes a second of the day as `HH:MM:SS`.
    private static func writeClock(second: Int, into text: UnsafeMutableBufferPointer<UInt8>, at place: Int) {
        write(second / 3600, digits: 2, into: text, at: place)
        text[place + 2] = UInt8(ascii: ":")
        write(second / 60 % 60, digits: 2, into: text, at: place + 3)
        text[place + 5] = UInt8(ascii: ":")
        write(second % 60, digits: 2, into: text, at: place + 6)
    }

    /// Writes the last digits of a number, with leading zeros.
    private static func write(_ number: Int, digits: Int, into text: UnsafeMutableBufferPointer<UInt8>, at place: Int) {
        var rest = number
        for digit in stride(from: place + digits - 1, through: place, by: -1) {
            text[digit] = UInt8(ascii: "0") + UInt8(rest % 10)
            rest /= 10
        }
    }

    /// Returns a span since some moment, to the millisecond: `+3.120s`, `+4m05.003s`; to the second from an hour on:
    /// `+2h03m04s`.
    static func elapsed(milliseconds: Int64) -> String {
        if milliseconds < 0 { return span(milliseconds: milliseconds) }
        let seconds = milliseconds / 1000
        let fraction = "." + padded(Int(milliseconds % 1000), 3) + "s"
        switch seconds {
        case ..<60: return "+\(seconds)" + fraction
        case ..<3600: return "+\(seconds / 60)m" + two(Int(seconds % 60)) + fraction
        default: return "+\(seconds / 3600)h" + two(Int(seconds / 60 % 60)) + "m" + two(Int(seconds % 60)) + "s"
        }
    }

    /// Returns a time as RFC 3339 in UTC with microseconds: `2026-01-02T03:04:05.123456Z`.
    package static func rfc3339(wall: Int64) -> String {
        let microseconds = min(max(wall, years.lowerBound), years.upperBound)
        let seconds = microseconds.flooredDivision(by: 1_000_000)
        let day = seconds.flooredDivision(by: 86400)
        let date = civil(day: day)
        let ofDay = Int(seconds - day * 86400)
        let fraction = Int(microseconds - seconds * 1_000_000)
        return String(unsafeUninitializedCapacity: 27) { text in
            write(date.year, digits: 4, into: text, at: 0)
            text[4] = UInt8(ascii: "-")
            write(date.month, digits: 2, into: text, at: 5)
            text[7] = UInt8(ascii: "-")
            write(date.day, digits: 2, into: text, at: 8)
            text[10] = UInt8(ascii: "T")
            writeClock(second: ofDay, into: text, at: 11)
            text[19] = UInt8(ascii: ".")
            write(fraction, digits: 6, into: text, at: 20)
            text[26] = UInt8(ascii: "Z")
            return 27
        }
    }

    /// Returns the date in UTC, such as `2026-01-02`.
    static func date(wall: Int64) -> String { String(rfc3339(wall: wall).prefix(10)) }

    /// Returns a time in milliseconds since 1970 as RFC 3339 in UTC.
    static func rfc3339(milliseconds: Int64) -> String {
        let (wall, overflow) = milliseconds.multipliedReportingOverflow(by: 1000)
        return rfc3339(wall: overflow ? (milliseconds < 0 ? .min : .max) : wall)
    }

    /// The years 0 to 9999, which RFC 3339 can represent. A damaged recording can contain any number.
    private static let years: ClosedRange<Int64> = -62_167_219_200_000_000...253_402_300_799_999_999

    /// Returns a span with about three digits: `3ms`, `1.2s`, `4m05s`, `2h03m`. Negative spans keep their sign.
    package static func span(milliseconds: Int64) -> String {
        if milliseconds < 0 { return milliseconds == .min ? "-∞" : "-" + span(milliseconds: -milliseconds) }
        let seconds = milliseconds / 1000
        switch milliseconds {
        case ..<1000: return "\(milliseconds)ms"
        case ..<60_000: return "\(seconds).\(milliseconds % 1000 / 100)s"
        case ..<3_600_000: return "\(seconds / 60)m" + two(Int(seconds % 60)) + "s"
        default: return "\(seconds / 3600)h" + two(Int(seconds / 60 % 60)) + "m"
        }
    }

    /// Returns the date of a day counted from 1970-01-01. It uses the proleptic Gregorian calendar in eras of 400 years
    /// that start on 1 March.
    private static func civil(day: Int64) -> (year: Int, month: Int, day: Int) {
        let shifted = day + 719_468
        let era = shifted.flooredDivision(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (Int(year), Int(month), Int(dayOfYear - (153 * shiftedMonth + 2) / 5 + 1))
    }

    private static func two(_ number: Int) -> String { padded(number, 2) }

    private static func padded(_ number: Int, _ digits: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }
}

extension Int64 {
    /// Returns the quotient, rounded down. The divisor must be positive.
    fileprivate func flooredDivision(by divisor: Int64) -> Int64 {
        self / divisor - (self % divisor < 0 ? 1 : 0)
    }
}

/// The wall clock of a time zone.
struct ZoneClock: Sendable {
    let zone: LineSettings.Zone
    /// The last quarter of an hour and its offset. Zones change only at quarter hours, and a lookup costs more than
    /// printing.
    private var known: (quarter: Int64, offset: Int64)?

    /// The day of the last shown time, counted from 1970.
    private var day: Int64?

    init(_ zone: LineSettings.Zone) { self.zone = zone }

    /// Returns the wall time of the zone as if it were UTC, in microseconds.
    mutating func local(_ wall: Int64) -> Int64 {
        guard let offset = zone.offset else { return wall }
        let quarter = wall / 900_000_000
        if known?.quarter != quarter { known = (quarter, offset(wall / 1_000_000)) }
        let (local, overflow) = wall.addingReportingOverflow(known?.offset ?? 0)
        return overflow ? wall : local
    }

    /// Returns the width of a time of day including its zone suffix. `digits` is the width without the suffix, such as
    /// 12 for `08:05:01.532`.
    static func columns(of digits: Int, _ zone: LineSettings.Zone) -> Int {
        // In narrow layouts, a local time has no zone suffix.
        zone == .utc ? digits + 1 : digits == 12 ? 18 : digits
    }

    /// Returns the time of day in a given width, with its zone suffix: `08:05:01.532Z`, `09:05:01.532+01:00`, `08:05Z`,
    /// `09:05`.
    mutating func time(_ wall: Int64, columns: Int) -> String {
        let text = TimeText.timeOfDay(wall: local(wall))
        if zone == .utc { return text.prefix(columns - 1) + "Z" }
        guard columns >= 18 else { return String(text.prefix(columns)) }
        let minutes = (known?.offset ?? 0) / 60_000_000
        let (hour, minute) = minutes.magnitude.quotientAndRemainder(dividingBy: 60)
        return text + (minutes < 0 ? "-" : "+") + (hour < 10 ? "0" : "") + "\(hour):" + (minute < 10 ? "0" : "")
            + "\(minute)"
    }

    /// Returns the date of the next shown time if the last one was on another day. Times of day alone do not show that.
    mutating func newDate(_ wall: Int64) -> String? {
        let local = local(wall)
        let day = local / 86_400_000_000 - (local % 86_400_000_000 < 0 ? 1 : 0)
        defer { self.day = day }
        return self.day == nil || self.day == day ? nil : TimeText.date(wall: local)
    }

    /// Appends a line with the date if the last shown time was on another day.
    mutating func appendNewDate(_ wall: Int64, to buffer: inout TerminalBuffer) {
        guard let date = newDate(wall) else { return }
        buffer.append("── \(date) ──", .time)
        buffer.endLine()
    }
}
