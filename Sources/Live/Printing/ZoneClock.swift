import Glibc
import Terminal

/// The wall clock of a time zone. The system's tables give the offset from UTC (`TZ`, or the machine's zone).
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
        switch zone {
        case .utc: return wall
        case .local:
            let quarter = wall / 900_000_000
            if known?.quarter != quarter { known = (quarter, Self.offset(at: wall / 1_000_000)) }
            let (local, overflow) = wall.addingReportingOverflow(known?.offset ?? 0)
            return overflow ? wall : local
        }
    }

    /// Returns the width of a time of day including its zone suffix. `digits` is the width without the suffix, such as
    /// 12 for `08:05:01.532`.
    static func columns(of digits: Int, _ zone: LineSettings.Zone) -> Int {
        switch zone {
        case .utc: digits + 1
        // In narrow layouts, a local time has no zone suffix.
        case .local: digits == 12 ? 18 : digits
        }
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

    /// Returns the offset of the zone from UTC at a time in seconds since 1970, in microseconds. Returns 0 for a time
    /// outside the calendar.
    private static func offset(at seconds: Int64) -> Int64 {
        var (time, parts) = (time_t(seconds), tm())
        return localtime_r(&time, &parts) == nil ? 0 : Int64(parts.tm_gmtoff) * 1_000_000
    }
}
