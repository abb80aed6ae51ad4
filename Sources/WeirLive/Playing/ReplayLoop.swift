import WeirNetwork
import WeirPipeline
import WeirRecording
import WeirTerminal
import WeirThreads
import WeirWire

/// One run of a replay. It connects the timeline, the playback that decides, the outlets, and the user or clients that
/// steer it. All of it runs on the caller's thread.
final class ReplayLoop {
    /// An error that ends a run, with its outcome.
    struct End: Error {
        var outcome: TailOutcome

        init(outcome: TailOutcome) { self.outcome = outcome }

        /// Creates the end for an outlet that cannot go on.
        init(_ error: OutletError) { outcome = error == .closedByReader ? .outputClosed : .cannotWrite(error) }
    }

    /// The approximate number of reports in a batch, when no user waits for them.
    static let batch = 512
    /// The same limit in bytes. The batches that may wait for the outlets together hold as much as any queue may hold.
    static let batchBytes = Limits.waiting / ReplayOutlets.limit
    /// The number of entries between two checks for keys and signals, when there is no pause to check in.
    static let entriesBetweenLooks = 256

    let configuration: ReplayConfiguration
    let timeline: RecordingTimeline
    let stopping: Stopping
    let outlets: ReplayOutlets
    var playback: PlaybackClock
    var control = ReplayKeys()
    var keyboard: ReplayKeyboard?
    /// The keys that were pressed and not yet handled.
    var pressed: ArraySlice<TerminalKey> = []
    var status: ReplayStatus?
    let watcher: (any ReplayWatcher)?
    /// The commands that were received and not yet handled.
    var commanded: ArraySlice<ReplayKeys.Command> = []
    /// The server for clients of the control socket; `nil` without one.
    let clients: ReplayControl?
    /// The calls of clients that are not yet handled.
    var called: ArraySlice<ControlCall> = []
    /// The step call in progress, and the number of events left to step over.
    var steps: (call: ControlCall, left: Int)?
    /// Why the last command was not performed; `nil` if it was.
    var complaint: String?
    /// The number of rounds begun.
    var round = 0
    /// The number of rounds to play; `nil` to repeat until stopped.
    var rounds: Int?
    /// Whether the replay waits for a file to grow.
    var isStarved = false
    /// The reports of the last skipped event. They are shown if a seek ends at that event.
    var landing: [StampedReport] = []
    var landingUnits: [WireUnit] = []
    /// The number of entries already written to the outlets that receive each entry once.
    var furthest = 0
    var counts = TailEngine.Counts()
    /// The number of entries included in `counts`. Entries that a search skipped in vain are counted once they are
    /// shown.
    var counted = 0
    /// The condition that ends the replay, over all rounds.
    private var goal: RunGoal
    private let growth: FileGrowth?
    /// When the replay last searched for new members of the group.
    private var lookedForMembers = Moment.zero
    /// The time at which the requested span begins.
    private var began = Moment.zero

    init(
        _ configuration: ReplayConfiguration, _ timeline: RecordingTimeline, _ console: ReplayConsole,
        _ outlets: [any Outlet],
        _ stopping: Stopping, _ clients: ReplayControl? = nil
    ) {
        self.configuration = configuration
        self.timeline = timeline
        goal = RunGoal(
            count: configuration.count, shownBy: configuration.filter, match: configuration.untilMatch)
        // A watched replay must show each entry when it is played, and a goal that judges reports must see them entry
        // by entry. Both write on the caller's thread.
        self.outlets = ReplayOutlets(
            outlets, onThread: configuration.pace == .maximum && !console.isWatched && !goal.judges)
        timeline.keepsWire = outlets.contains { $0.needsWire }
        self.stopping = stopping
        self.clients = clients
        rounds = configuration.loops
        let advised = timeline.tracks.compactMap(\.head.idleLimit).min().map { Duration.microseconds($0) }
        playback = PlaybackClock(
            pace: PlaybackClock.Pace(configuration.pace), idleLimit: configuration.idleLimit ?? advised,
            isPaused: configuration.isStepping, from: .zero, at: MachineClock.monotonic)
        keyboard = console.keys.map { ReplayKeyboard(descriptor: $0) }
        status = console.statusPlace.map { ReplayStatus($0, timeline, isInteractive: console.keys != nil) }
        watcher = console.watcher
        growth = configuration.follows ? FileGrowth(of: timeline.tracks.flatMap(\.segments)) : nil
    }

    /// Plays from the start to the end, in all rounds.
    func run() -> TailOutcome {
        defer { status?.erase() }
        let outcome: TailOutcome
        do throws(End) {
            outcome = try playRounds()
        } catch {
            outcome = error.outcome
        }
        do throws(OutletError) { try outlets.end() } catch { return End(error).outcome }
        return outcome
    }

    private func playRounds() throws(End) -> TailOutcome {
        repeat {
            round += 1
            if round > 1 { try beginAgain() }
            try passToStart()
            try play()
        } while round < rounds ?? .max
        // A stream that still has data to come is ended by closing it.
        if configuration.stream != nil, let signal = stopping.signal { return .interrupted(signal: signal) }
        return configuration.untilMatch == nil
            ? .limitReached : .notFound("the recording ended before anything matched")
    }

    /// Returns the summary of the run: its counts, sections and requests.
    func summary(_ outcome: TailOutcome) -> TailSummary {
        var summary = TailSummary(
            outcome: outcome, events: counts.events, gaps: counts.gaps, undecodable: counts.undecodable,
            sections: timeline.sections,
            requests: timeline.tracks.first?.player.figures ?? RequestFigures(),
            context: timeline.tracks.first?.head.context)
        if let model = timeline.tracks.first?.player.session.model { summary.model = model }
        summary.absent = goal.absent
        if configuration.verifies { summary.verdict = timeline.verified.words }
        return summary
    }

    /// Returns what comes next. A file that cannot be read any further ends the replay.
    func upcoming() throws(End) -> RecordingTimeline.Upcoming {
        try reading { () throws(RecordingError) in try timeline.upcoming() }
    }

    /// Performs an operation on the files. An error ends the replay.
    func reading<Result>(_ body: () throws(RecordingError) -> Result) throws(End) -> Result {
        do throws(RecordingError) {
            return try body()
        } catch {
            throw End(outcome: .cannotWrite(OutletError(error, path: configuration.paths.first ?? "")))
        }
    }

    private func beginAgain() throws(End) {
        guard try reading({ () throws(RecordingError) in try timeline.rewind() }) else {
            throw End(outcome: .notFound("the input cannot be read again"))
        }
        watcher?.moves(to: 0, at: .zero)
        arriveAtModel()
    }

    // MARK: - Playing

    private func play() throws(End) {
        var entries = 0
        while true {
            entries += 1
            if !playback.runsFree || entries.isMultiple(of: Self.entriesBetweenLooks) { try attend() }
            switch try upcoming() {
            case .end:
                if try !staysAtEnd() { return }
            case .starved: try waitForGrowth()
            case .trouble where configuration.stream != nil && stopping.signal != nil: return
            case .trouble: try playNext(at: timeline.position.time, isEvent: false)
            case .record(let time, let isEvent):
                if !isBehindEnd(time) {
                    try play(at: time, isEvent: isEvent)
                } else if try !staysAtEnd() {
                    return
                }
            }
        }
    }

    private func play(at time: Moment, isEvent: Bool) throws(End) {
        let now = playback.runsFree ? Moment.zero : MachineClock.monotonic
        switch playback.decide(next: time, isEvent: isEvent, at: now) {
        case .play: try playNext(at: time, isEvent: isEvent)
        case .wait(let until):
            try flush()
            wait((until - now).microseconds)
        case .hold:
            try flush()
            wait(nil)
        }
    }

    private func playNext(at time: Moment, isEvent: Bool) throws(End) {
        let events = timeline.play()
        playback.played(time, isEvent: isEvent, shown: events)
        try checkMatch()
        if goal.judges {
            try tellUnits(timeline.takeUnits())
            let reports = timeline.takeReports()
            for report in reports { goal.note(report) }
            try tell(reports)
            showStatus()
        } else {
            goal.note(events: events)
            if goal.isReached || !playback.runsFree {
                try flush()
            } else if isTellingDue {
                try tellPlayed()
            }
        }
        if goal.isReached { throw End(outcome: .limitReached) }
    }

    /// Whether a reader waits for what was played, or a batch is full.
    private var isTellingDue: Bool {
        timeline.isFull || timeline.position.entries == furthest
            || configuration.stream != nil && !timeline.hasEntryAtHand
    }

    /// Ends a replay that differs from the recording, after writing the reports so far.
    func checkMatch() throws(End) {
        guard let mismatch = timeline.mismatch else { return }
        try flush()
        throw End(outcome: .mismatch(mismatch))
    }

    private func isBehindEnd(_ time: Moment) -> Bool {
        if let span = configuration.span, time > began + span { return true }
        if let end = configuration.end { return timeline.isNext(at: end) }
        return false
    }

    /// Waits at the end if a user steps through the replay: they may go back, or quit. Returns whether the replay
    /// stays.
    private func staysAtEnd() throws(End) -> Bool {
        try flush()
        if configuration.stream != nil { watcher?.ends("\(configuration.paths.first ?? "it") has ended") }
        let isSteered = keyboard != nil || clients != nil
        guard watcher != nil || isSteered && (playback.isPaused || playback.isStepping) else { return false }
        playback.pause()
        endSteps()
        wait(nil)
        return true
    }

    /// Plays the entries before the start without showing them.
    private func passToStart() throws(End) {
        if configuration.stream != nil {
            // A new record may take long to arrive, and until then there is nothing to show.
            _ = try pass(until: { !$0.isNextRestated })
            watcher?.begins(timeline.model)
            try tellNames()
            if let signal = stopping.signal { throw End(outcome: .interrupted(signal: signal)) }
            return playback.moved(to: timeline.position.time, at: MachineClock.monotonic)
        }
        guard let start = configuration.start else { return playback.moved(to: .zero, at: MachineClock.monotonic) }
        watcher?.moves(to: 0, at: .zero)
        defer { arriveAtModel() }
        guard try pass(until: { $0.isNext(at: start) }) else {
            if configuration.startMayComeLater {
                try tellNames()
                return playback.moved(to: timeline.position.time, at: MachineClock.monotonic)
            }
            var words = "no record at or after \(start.text)"
            if case .mark(let label) = start { words = MarkFile.absence(of: label, among: timeline.marks.map(\.label)) }
            throw End(outcome: .noPlace("--start: " + words))
        }
        try tellNames()
        if case .record(let time, _) = try upcoming() { began = time }
        if case .offset(let microseconds) = start { began = Moment(microseconds: microseconds) }
        playback.moved(to: began, at: MachineClock.monotonic)
    }

    /// Passes the models to the outlets, so that names are resolved as if everything had been shown from the beginning.
    private func tellNames() throws(End) {
        for session in timeline.tracks.map(\.player.session) {
            try writing { () throws(OutletError) in try outlets.begin(with: session.model, of: session.user) }
        }
    }

    // MARK: - Waiting

    /// Waits for a key, a signal, or `timeout` microseconds; `nil` waits without a limit.
    func wait(_ timeout: Int64?) {
        showStatus()
        let keys = keyboard.map { [$0.descriptor] } ?? []
        if stopping.wakeup.wait(for: keys, timeout: timeout) { status?.invalidate() }
    }

    /// Waits until a file without an end record grows.
    private func waitForGrowth() throws(End) {
        isStarved = true
        defer { isStarved = false }
        try flush()
        try attend()
        // Some file systems report no changes, so the files are checked every second as well.
        let remote = timeline.tracks.map(\.growth)
        let descriptors = ([keyboard?.descriptor, growth?.descriptor] + remote).compactMap { $0 }
        if stopping.wakeup.wait(for: descriptors, timeout: 1_000_000) { status?.invalidate() }
        growth?.clear()
        try reading { () throws(RecordingError) in
            try timeline.readMore()
            guard timeline.isGroup, MachineClock.monotonic >= lookedForMembers + .seconds(1) else { return }
            lookedForMembers = MachineClock.monotonic
            try timeline.lookForMembers(configuration)
        }
    }
}

extension PlaybackClock.Pace {
    fileprivate init(_ pace: ReplayConfiguration.Pace) {
        self =
            switch pace {
            case .maximum: .maximum
            case .factor(let factor): .factor(factor)
            case .rate(let rate): .rate(rate)
            }
    }
}

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
