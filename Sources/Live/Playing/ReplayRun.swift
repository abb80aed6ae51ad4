import Network
import Pipeline
import Recording
import Terminal
import Wire

/// One run of a replay: the hand between the timeline, the playback that decides, the outlets, and who looks on. On the thread that
/// runs it.
final class ReplayRun {
    /// How a run ends.
    struct End: Error {
        var outcome: TailOutcome

        init(outcome: TailOutcome) { self.outcome = outcome }

        /// An outlet cannot go on.
        init(_ error: OutletError) { outcome = error == .closedByReader ? .outputClosed : .cannotWrite(error) }
    }

    /// Reports are written in batches of about so many, when nobody waits for them.
    static let batch = 512
    /// The same in bytes: as many batches as may wait for the outlets are as much as any queue holds.
    static let batchBytes = Limits.waiting / ReplayOutlets.limit
    /// Keys and signals are looked at once in so many entries, when there is no pause to do it in.
    static let entriesBetweenLooks = 256

    let configuration: ReplayConfiguration
    let timeline: Timeline
    let stopping: Stopping
    let outlets: ReplayOutlets
    var playback: Playback
    var control = PlayControl()
    var keyboard: ReplayKeyboard?
    /// Keys that were pressed and not looked at yet.
    var pressed: ArraySlice<TerminalKey> = []
    var status: ReplayStatus?
    let watcher: (any ReplayWatcher)?
    /// Commands that were given and not looked at yet.
    var commanded: ArraySlice<PlayControl.Command> = []
    /// Clients of the control socket; nil without one.
    let clients: ReplayControl?
    /// Calls of theirs that were taken and not looked at yet, and the one whose events are being stepped over.
    var called: ArraySlice<ControlCall> = []
    var steps: (call: ControlCall, left: Int)?
    /// Why what was asked for last was not done.
    var complaint: String?
    /// Rounds begun, and how many there are to be; nil for ever.
    var round = 0
    var rounds: Int?
    /// Whether it waits for a file to grow.
    var isStarved = false
    /// What the last event that was passed over told: it is shown when a seek ends there.
    var landing: [StampedReport] = []
    var landingUnits: [WireUnit] = []
    /// How many entries were told to who hears everything once.
    var furthest = 0
    var counts = Tail.Counts()
    /// How many entries were counted: what a search passed over in vain is counted once it is shown.
    var counted = 0
    /// What is waited for, in all rounds.
    private var goal: RunGoal
    private let growth: FileGrowth?
    /// Where the time asked for begins.
    private var began = Moment.zero

    init(
        _ configuration: ReplayConfiguration, _ timeline: Timeline, _ console: ReplayConsole, _ outlets: [any Outlet],
        _ stopping: Stopping, _ clients: ReplayControl? = nil
    ) {
        self.configuration = configuration
        self.timeline = timeline
        goal = RunGoal(
            count: configuration.count, shownBy: configuration.filter, match: configuration.untilMatch)
        // Who looks on sees what was played, and where what is told is judged each entry is told by itself.
        self.outlets = ReplayOutlets(
            outlets, onThread: configuration.pace == .maximum && !console.isWatched && !goal.judges)
        timeline.keepsWire = outlets.contains { $0.needsWire }
        self.stopping = stopping
        self.clients = clients
        rounds = configuration.loops
        let advised = timeline.tracks.compactMap(\.head.idleLimit).min().map { Duration.microseconds($0) }
        playback = Playback(
            pace: Playback.Pace(configuration.pace), idleLimit: configuration.idleLimit ?? advised,
            isPaused: configuration.isStepping, from: .zero, at: MachineClock.monotonic)
        keyboard = console.keys.map { ReplayKeyboard(descriptor: $0) }
        status = console.statusPlace.map { ReplayStatus($0, timeline, isInteractive: console.keys != nil) }
        watcher = console.watcher
        growth = configuration.follows ? FileGrowth(of: timeline.tracks.flatMap(\.segments)) : nil
    }

    /// Plays from the start to the end.
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
        // A stream that is waited for is ended by closing it.
        if configuration.stream != nil, let signal = stopping.signal { return .interrupted(signal: signal) }
        return configuration.untilMatch == nil ? .limitReached : .notFound("it ended before anything matched")
    }

    /// What was seen.
    func summary(_ outcome: TailOutcome) -> TailSummary {
        var summary = TailSummary(
            outcome: outcome, events: counts.events, gaps: counts.gaps, undecodable: counts.undecodable,
            sections: timeline.tracks.flatMap(\.player.sections),
            requests: timeline.tracks.first?.player.figures ?? RequestFigures(),
            context: timeline.tracks.first?.head.context)
        summary.absent = goal.absent
        if configuration.verifies { summary.verdict = timeline.verified.words }
        return summary
    }

    /// What comes next. A file that cannot be read on ends the replay.
    func upcoming() throws(End) -> Timeline.Upcoming {
        try reading { () throws(RecordingError) in try timeline.upcoming() }
    }

    /// Does something with the files; what fails ends the replay.
    func reading<Result>(_ body: () throws(RecordingError) -> Result) throws(End) -> Result {
        do throws(RecordingError) {
            return try body()
        } catch {
            throw End(outcome: .cannotWrite(OutletError(error, path: configuration.paths.first ?? "")))
        }
    }

    private func beginAgain() throws(End) {
        guard try reading({ () throws(RecordingError) in try timeline.rewind() }) else {
            throw End(outcome: .notFound("what was read cannot be read again"))
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

    /// Whether somebody waits for what was played, or enough of it has gathered.
    private var isTellingDue: Bool {
        timeline.isFull || timeline.position.entries == furthest
            || configuration.stream != nil && !timeline.hasEntryAtHand
    }

    /// A replay that is not what was recorded ends, with what it told so far.
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

    /// At the end a replay that somebody steps through waits for them to go back, or to leave.
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

    /// Passes over what is before the start.
    private func passToStart() throws(End) {
        if configuration.stream != nil {
            // Nothing new may come for long, and then there is nothing to show.
            _ = try pass(until: { !$0.isNextRestated })
            if let model = timeline.tracks.first?.player.session.model { watcher?.begins(model) }
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
            var words = "no record stands at \(start.text) or after it"
            if case .mark(let label) = start { words = MarkFile.absence(of: label, among: timeline.marks.map(\.label)) }
            throw End(outcome: .noPlace("--start: " + words))
        }
        try tellNames()
        if case .record(let time, _) = try upcoming() { began = time }
        if case .offset(let microseconds) = start { began = Moment(microseconds: microseconds) }
        playback.moved(to: began, at: MachineClock.monotonic)
    }

    /// What is shown from here on has the names that it would have had from the beginning.
    private func tellNames() throws(End) {
        for session in timeline.tracks.map(\.player.session) {
            try writing { () throws(OutletError) in try outlets.begin(with: session.model, of: session.user) }
        }
    }

    // MARK: - Waiting

    /// Waits for a key, a signal, or until so many microseconds passed.
    func wait(_ timeout: Int64?) {
        showStatus()
        let keys = keyboard.map { [$0.descriptor] } ?? []
        if stopping.wakeup.wait(for: keys, timeout: timeout) { status?.invalidate() }
    }

    /// A file without an end may grow.
    private func waitForGrowth() throws(End) {
        isStarved = true
        defer { isStarved = false }
        try flush()
        try attend()
        // What a file system does not tell is found after a second.
        let remote = timeline.tracks.map(\.growth)
        let descriptors = ([keyboard?.descriptor, growth?.descriptor] + remote).compactMap { $0 }
        if stopping.wakeup.wait(for: descriptors, timeout: 1_000_000) { status?.invalidate() }
        growth?.clear()
        try reading { () throws(RecordingError) in try timeline.lookAgain() }
    }
}

extension Playback.Pace {
    fileprivate init(_ pace: ReplayConfiguration.Pace) {
        self =
            switch pace {
            case .maximum: .maximum
            case .factor(let factor): .factor(factor)
            case .rate(let rate): .rate(rate)
            }
    }
}
