import Glibc

/// The wall clock of a zone: how far it is from UTC, as the system's tables say (`TZ`, or where the machine is).
struct ZoneClock: Sendable {
    let zone: LineSettings.Zone
    /// The quarter of an hour asked about last and its offset: zones change at no other times, and asking costs more than printing.
    private var known: (quarter: Int64, offset: Int64)?

    /// The day of the time that was shown last, counted from 1970.
    private var day: Int64?

    init(_ zone: LineSettings.Zone) { self.zone = zone }

    /// The wall time of the zone as if it were UTC, in microseconds.
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

    /// Columns of a time of the day that has `digits`, such as 12 for `08:05:01.532`, with the mark of its zone.
    static func columns(of digits: Int, _ zone: LineSettings.Zone) -> Int {
        switch zone {
        case .utc: digits + 1
        // Where there is little room a zone that was asked for goes without its mark.
        case .local: digits == 12 ? 18 : digits
        }
    }

    /// The time of the day in so many columns, with the mark of its zone: `08:05:01.532Z`, `09:05:01.532+01:00`, `08:05Z`, `09:05`.
    mutating func time(_ wall: Int64, columns: Int) -> String {
        let text = TimeText.timeOfDay(wall: local(wall))
        if zone == .utc { return text.prefix(columns - 1) + "Z" }
        guard columns >= 18 else { return String(text.prefix(columns)) }
        let minutes = (known?.offset ?? 0) / 60_000_000
        let (hour, minute) = minutes.magnitude.quotientAndRemainder(dividingBy: 60)
        return text + (minutes < 0 ? "-" : "+") + (hour < 10 ? "0" : "") + "\(hour):" + (minute < 10 ? "0" : "")
            + "\(minute)"
    }

    /// The date of a time that is shown next, where the one before was of another day. Times alone would not say so.
    mutating func newDate(_ wall: Int64) -> String? {
        let local = local(wall)
        let day = local / 86_400_000_000 - (local % 86_400_000_000 < 0 ? 1 : 0)
        defer { self.day = day }
        return self.day == nil || self.day == day ? nil : TimeText.date(wall: local)
    }

    /// Microseconds the zone is ahead of UTC at a second since 1970; 0 where no calendar reaches.
    private static func offset(at seconds: Int64) -> Int64 {
        var (time, parts) = (time_t(seconds), tm())
        return localtime_r(&time, &parts) == nil ? 0 : Int64(parts.tm_gmtoff) * 1_000_000
    }
}
