import Pipeline
import Recording

// Playing without showing, and writing to the outlets.
extension ReplayLoop {
    /// Plays without showing until a condition holds for the next entry, or for the reports of the last one.
    ///
    /// - Returns: `false` if neither holds before the end.
    func pass(
        until isReached: (RecordingTimeline) -> Bool, orAt isWanted: (([StampedReport]) -> Bool)? = nil
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

    /// Writes the reports of everything played, and waits until they are written.
    func flush() throws(End) {
        try tellPlayed()
        try drain()
    }

    /// Writes the reports of everything played. The outlets may write them later.
    func tellPlayed() throws(End) {
        try tellUnits(timeline.takeUnits())
        let reports = timeline.takeReports()
        if !reports.isEmpty { try tell(reports) }
        showStatus()
    }

    /// Waits until the outlets have written everything.
    func drain() throws(End) { try writing { () throws(OutletError) in try outlets.drain() } }

    func tell(_ reports: [StampedReport]) throws(End) {
        let isFresh = timeline.position.entries > furthest
        if isFresh { furthest = timeline.position.entries }
        if timeline.position.entries > counted {
            counted = timeline.position.entries
            for report in reports { count(report.report) }
        }
        if !reports.isEmpty { status?.erase() }
        try write(reports, to: isFresh ? [.shown, .shownOnce, .whole, .every] : [.shown, .every])
    }

    /// Writes units of the wire to the outlets that need them.
    func tellUnits(_ units: [WireUnit]) throws(End) {
        guard !units.isEmpty else { return }
        status?.erase()
        try writing { () throws(OutletError) in try outlets.write(units: units) }
    }

    /// Shows reports again. Outlets that receive each report once do not get them.
    func tellAgain(_ reports: [StampedReport]) throws(End) {
        status?.erase()
        try write(reports, to: [.shown])
    }

    /// Writes the reports of skipped entries to the outlets that receive everything.
    private func tellWhole(_ reports: [StampedReport]) throws(End) {
        let isFresh = timeline.position.entries > furthest
        if isFresh { furthest = timeline.position.entries }
        try write(reports, to: isFresh ? [.whole, .every] : [.every])
    }

    private func write(_ reports: [StampedReport], to parts: Set<ReplayPart>) throws(End) {
        try writing { () throws(OutletError) in try outlets.write(reports, to: parts) }
    }

    /// Performs an operation on the outlets. An error ends the replay.
    func writing(_ body: () throws(OutletError) -> Void) throws(End) {
        do throws(OutletError) {
            try body()
        } catch {
            throw End(error)
        }
    }

    private func count(_ report: Report) {
        switch report {
        case .event: counts.events += 1
        case .gap(let gap): if gap.isLoss { counts.gaps += 1 }
        case .undecodable: counts.undecodable += 1
        case .diff, .connection, .room, .action, .emit, .refetch, .typing, .notice: break
        }
    }
}
