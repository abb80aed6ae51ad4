import Glibc

/// The time in a Date header (RFC 9110, 5.6.7).
enum HTTPDate {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// Returns the milliseconds since 1970 of a date such as `Sun, 06 Nov 1994 08:49:37 GMT`, or `nil` for any other
    /// form. All current servers write this form.
    static func milliseconds(_ text: String) -> Int64? {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 6, words[5] == "GMT", let month = months.firstIndex(of: String(words[2])) else {
            return nil
        }
        let clock = words[4].split(separator: ":", omittingEmptySubsequences: false)
        guard clock.count == 3, let day = number(words[1], 1...31), let year = number(words[3], 1970...9999),
            let hour = number(clock[0], 0...23), let minute = number(clock[1], 0...59),
            let second = number(clock[2], 0...60)
        else { return nil }
        var parts = tm()
        (parts.tm_year, parts.tm_mon, parts.tm_mday) = (year - 1900, Int32(month), day)
        (parts.tm_hour, parts.tm_min, parts.tm_sec) = (hour, minute, second)
        return Int64(timegm(&parts)) * 1000
    }

    private static func number(_ text: Substring, _ range: ClosedRange<Int32>) -> Int32? {
        guard let value = Int32(text), range.contains(value) else { return nil }
        return value
    }
}
