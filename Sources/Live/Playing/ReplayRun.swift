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
    }

    /// Reports are written in batches of about so many, when nobody waits for them.
    static let batch = 512
    /// Keys and signals are looked at once in so many entries, when there is no pause to do it in.
    static let entriesBetweenLooks = 256

    let configuration: ReplayConfiguration
    let timeline: Timeline
    let stopping: Stopping
    let outlets: [any Outlet]
    var playback: Playback
    var control = PlayControl()
    var keyboard: ReplayKeyboard?
    /// Keys that were pressed and not looked at yet.
    var pressed: ArraySlice<TerminalKey> = []
    var status: ReplayStatus?
    let watcher: (any ReplayWatcher)?
    /// Commands that were given and not looked at yet.
    var commanded: ArraySlice<PlayControl.Command> = []
    /// What the last event that was passed over told: it is shown when a seek ends there.
    var landing: [StampedReport] = []
    /// How many entries were told to who hears everything once.
    var furthest = 0
    var counts = Tail.Counts()
    private var pattern: LineMatcher?
    private let growth: FileGrowth?
    /// Events shown, in all rounds.
    private var shown = 0
    /// Where the time asked for begins.
    private var began = Moment.zero

    /// `pattern` is the configuration's, compiled.
    init(
        _ configuration: ReplayConfiguration, _ timeline: Timeline, pattern: LineMatcher?, _ console: ReplayConsole,
        _ outlets: [any Outlet], _ stopping: Stopping
    ) {
        self.configuration = configuration
        self.timeline = timeline
        self.pattern = pattern
        self.outlets = outlets
        self.stopping = stopping
        let advised = timeline.tracks.compactMap(\.head.idleLimit).min().map { Duration.microseconds($0) }
        playback = Playback(
            pace: Playback.Pace(configuration.pace), idleLimit: configuration.idleLimit ?? advised,
            isPaused: configuration.isStepping, from: .zero, at: MachineClock.monotonic)
        keyboard = console.keys.map { ReplayKeyboard(descriptor: $0) }
        status = console.status.map { ReplayStatus(descriptor: $0, timeline, isInteractive: console.keys != nil) }
        watcher = console.watcher
        growth = configuration.follows ? FileGrowth(of: timeline.tracks.flatMap(\.segments)) : nil
    }

    /// Plays from the start to the end.
    func run() -> TailOutcome {
        defer { status?.erase() }
        do throws(End) {
            var rounds = 0
            repeat {
                rounds += 1
                if rounds > 1 { try beginAgain() }
                try passToStart()
                try play()
            } while rounds < configuration.loops ?? .max
            if pattern != nil { throw End(outcome: .notFound("no line matched")) }
            // A stream that is waited for is ended by closing it.
            if configuration.stream != nil, let signal = stopping.signal { return .interrupted(signal: signal) }
            return .limitReached
        } catch {
            return error.outcome
        }
    }

    /// What was seen.
    func summary(_ outcome: TailOutcome) -> TailSummary {
        TailSummary(
            outcome: outcome, events: counts.events, gaps: counts.gaps, undecodable: counts.undecodable,
            sections: timeline.tracks.flatMap(\.player.sections),
            requests: timeline.tracks.first?.player.figures ?? RequestFigures())
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
        shown += events
        playback.played(time, isEvent: isEvent, shown: events)
        try checkMatch()
        let isLast = shown >= configuration.count ?? .max
        if pattern != nil {
            let reports = timeline.takeReports()
            try tell(reports)
            if pattern?.matches(reports) == true { throw End(outcome: .limitReached) }
        } else if isLast || !playback.runsFree || timeline.waitingReports >= Self.batch
            || timeline.position.entries == furthest || configuration.stream != nil && !timeline.hasEntryAtHand
        {
            try flush()
        }
        if isLast { throw End(outcome: .limitReached) }
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
        guard watcher != nil || keyboard != nil && (playback.isPaused || playback.isStepping) else { return false }
        playback.pause()
        wait(nil)
        return true
    }

    /// Passes over what is before the start.
    private func passToStart() throws(End) {
        if configuration.stream != nil {
            // Nothing new may come for long, and then there is nothing to show.
            _ = try pass(until: { !$0.isNextRestated })
            if let signal = stopping.signal { throw End(outcome: .interrupted(signal: signal)) }
            return playback.moved(to: timeline.position.time, at: MachineClock.monotonic)
        }
        guard let start = configuration.start else { return playback.moved(to: .zero, at: MachineClock.monotonic) }
        watcher?.moves(to: 0, at: .zero)
        defer { arriveAtModel() }
        guard try pass(until: { $0.isNext(at: start) }) else {
            throw End(outcome: .notFound("no record stands at \(start.text) or behind it"))
        }
        if case .record(let time, _) = try upcoming() { began = time }
        if case .offset(let microseconds) = start { began = Moment(microseconds: microseconds) }
        playback.moved(to: began, at: MachineClock.monotonic)
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
        try flush()
        try attend()
        // What a file system does not tell is found after a second.
        let descriptors = [keyboard?.descriptor, growth?.descriptor].compactMap { $0 }
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
