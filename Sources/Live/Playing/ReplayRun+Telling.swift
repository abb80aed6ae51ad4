import Pipeline
import Recording

// Passing over what is not shown, and telling what is.
extension ReplayRun {
    /// Plays without showing until a condition holds of what comes next, or of what the last entry told; false when it never does.
    func pass(
        until isReached: (Timeline) -> Bool, orAt isWanted: (([StampedReport]) -> Bool)? = nil
    ) throws(End) -> Bool {
        var entries = 0
        while true {
            entries += 1
            if entries.isMultiple(of: Self.entriesBetweenLooks) {
                if let signal = stopping.signal { throw End(outcome: .interrupted(signal: signal)) }
                showStatus()
            }
            switch try upcoming() {
            case .end, .starved: return isReached(timeline)
            case .trouble, .record:
                if isReached(timeline) { return true }
                if try passNext(orAt: isWanted) { return true }
            }
        }
    }

    private func passNext(orAt isWanted: (([StampedReport]) -> Bool)?) throws(End) -> Bool {
        let events = timeline.play()
        try checkMatch()
        let units = timeline.takeUnits()
        if events > 0 { landingUnits = units }
        guard events > 0 || timeline.waitingReports > 0 else { return false }
        let reports = timeline.takeReports()
        try tellWhole(reports)
        if events > 0 { landing = reports }
        return isWanted?(reports) ?? false
    }

    /// Writes what waits to be written.
    func flush() throws(End) {
        try tellUnits(timeline.takeUnits())
        let reports = timeline.takeReports()
        if !reports.isEmpty { try tell(reports) }
        showStatus()
    }

    func tell(_ reports: [StampedReport]) throws(End) {
        let isFresh = timeline.position.entries > furthest
        if isFresh { furthest = timeline.position.entries }
        if timeline.position.entries > counted {
            counted = timeline.position.entries
            for report in reports { count(report.report) }
        }
        if !reports.isEmpty { status?.erase() }
        for outlet in outlets where isFresh || [.shown, .every].contains(outlet.replayPart) {
            try write(reports, to: outlet)
        }
    }

    /// Shows what was on the wire to who wants to see it.
    func tellUnits(_ units: [WireUnit]) throws(End) {
        guard !units.isEmpty else { return }
        status?.erase()
        for outlet in outlets where outlet.needsWire {
            do throws(OutletError) { try outlet.write(units: units) } catch { throw End(error) }
        }
    }

    /// Shows something again, only to who looks on.
    func tellAgain(_ reports: [StampedReport]) throws(End) {
        status?.erase()
        for outlet in outlets where outlet.replayPart == .shown { try write(reports, to: outlet) }
    }

    /// What is passed over is told to who hears everything.
    private func tellWhole(_ reports: [StampedReport]) throws(End) {
        let isFresh = timeline.position.entries > furthest
        if isFresh { furthest = timeline.position.entries }
        for outlet in outlets where outlet.replayPart == .every || isFresh && outlet.replayPart == .whole {
            try write(reports, to: outlet)
        }
    }

    private func write(_ reports: [StampedReport], to outlet: any Outlet) throws(End) {
        do throws(OutletError) {
            try outlet.write(reports)
        } catch {
            throw End(error)
        }
    }

    private func count(_ report: Report) {
        switch report {
        case .event: counts.events += 1
        case .gap: counts.gaps += 1
        case .undecodable: counts.undecodable += 1
        case .diff, .connection, .room, .action, .refetch, .typing, .notice: break
        }
    }
}
