import WeirNetwork
import WeirPipeline
import WeirRecording
import WeirRegex
import WeirTerminal
import WeirThreads
import WeirWire

// Keys, signals and the commands they cause.
extension ReplayLoop {
    /// Checks for a signal and for keys, and performs the commands.
    func attend() throws(End) {
        if let signal = stopping.signal { throw End(outcome: .interrupted(signal: signal)) }
        if pressed.isEmpty, keyboard != nil {
            guard let keys = keyboard?.keys() else { return try keyboardIsGone() }
            pressed = keys[...]
        }
        commanded += stopping.takeCommands()
        let isPressed = !pressed.isEmpty || !commanded.isEmpty
        // A step finishes before the next key is handled.
        while !playback.isStepping, let key = pressed.popFirst() {
            if let command = control.press(key) { try perform(command) }
        }
        while !playback.isStepping, let command = commanded.popFirst() { try perform(command) }
        try attendClients()
        if isPressed { showStatus() }
    }

    /// Handles the end of the keyboard. A paused replay ends, since no key can continue it.
    private func keyboardIsGone() throws(End) {
        keyboard = nil
        if playback.isPaused { throw End(outcome: .limitReached) }
    }

    private func perform(_ command: ReplayKeys.Command) throws(End) {
        switch command {
        case .togglePause: playback.togglePause(at: MachineClock.monotonic)
        case .step: playback.step()
        case .faster, .slower: playback.changeSpeed(isFaster: command == .faster, at: MachineClock.monotonic)
        case .quit: throw End(outcome: .limitReached)
        case .help: status?.print(ReplayKeys.help)
        case .stepBack:
            playback.pause()
            try seek(.events(max(timeline.position.events - 1, 0)))
        case .move(let span): try seek(.time(max(timeline.position.time + span, .zero)))
        case .previousMark: try goToPreviousMark()
        case .nextMark: try goToNextMark()
        case .search(let text): try search(text)
        case .goTo(let text): try goTo(text)
        case .mark(let label): mark(label)
        }
    }

    // MARK: - Going somewhere

    /// Moves to a goal, forward or back, and shows the event at the new position.
    ///
    /// - Returns: `false` if the goal cannot be reached by going back; the position is then unchanged.
    @discardableResult
    func seek(_ goal: RecordingTimeline.Goal) throws(End) -> Bool {
        (landing, landingUnits) = ([], [])
        let origin = timeline.position
        guard try reading({ () throws(RecordingError) in try timeline.approach(goal) }) else {
            refuse("this recording cannot be rewound")
            return false
        }
        watcher?.moves(to: timeline.position.number, at: timeline.position.time)
        // A goal after the end leads to the last position.
        _ = try pass(until: { $0.hasReached(goal) })
        try arrive(from: origin)
        return true
    }

    private func arrive(from origin: TimelinePosition) throws(End) {
        playback.moved(to: timeline.position.time, at: MachineClock.monotonic)
        arriveAtModel()
        guard timeline.position != origin else { return }
        say("— \(placeText) —")
        try tellUnits(landingUnits)
        if !landing.isEmpty { try tellAgain(landing) }
        (landing, landingUnits) = ([], [])
    }

    /// Moves forward until a condition holds. If none does before the end, the replay returns to where it began.
    ///
    /// - Parameters:
    ///   - missing: The message if nothing is found.
    ///   - isReached: The condition for the next entry.
    ///   - isWanted: The condition for the reports of the last entry.
    private func seekOn(
        _ missing: String, until isReached: (RecordingTimeline) -> Bool,
        orAt isWanted: (([StampedReport]) -> Bool)? = nil
    ) throws(End) {
        try flush()
        (landing, landingUnits) = ([], [])
        let origin = timeline.position
        watcher?.moves(to: origin.number, at: origin.time)
        if try pass(until: isReached, orAt: isWanted) { return try arrive(from: origin) }
        refuse(missing)
        _ = try reading { () throws(RecordingError) in try timeline.approach(.entries(origin.entries)) }
        watcher?.moves(to: timeline.position.number, at: timeline.position.time)
        _ = try pass(until: { $0.hasReached(.entries(origin.entries)) })
        playback.moved(to: timeline.position.time, at: MachineClock.monotonic)
        arriveAtModel()
    }

    /// Passes the model at the new position to the watcher.
    func arriveAtModel() {
        watcher?.arrives(timeline.model)
    }

    private func goToPreviousMark() throws(End) {
        let here = timeline.position
        guard let mark = timeline.marks.last(where: { $0.number < here.number }) else {
            return refuse("no previous mark")
        }
        playback.pause()
        try seek(.record(mark.number))
    }

    private func goToNextMark() throws(End) {
        let here = timeline.position.number
        playback.pause()
        try seekOn("no next mark") { timeline in
            timeline.marks.contains { $0.number > here && $0.number <= timeline.position.number }
        }
    }

    private func search(_ text: String) throws(End) {
        let pattern: LineMatcher
        do throws(RegularExpression.Malformed) {
            pattern = LineMatcher(try RegularExpression(text))
        } catch {
            return refuse("the expression is malformed: \(error.message)")
        }
        playback.pause()
        try seekOn("no line matches", until: { _ in false }, orAt: { pattern.matches($0) })
    }

    func goTo(_ text: String) throws(End) {
        if let number = Int(text) {
            try seek(.record(number))
            return
        }
        guard let place = RecordingPosition(parsing: text) else { return refuse("invalid position") }
        switch place {
        case .record(let number): try seek(.record(number))
        case .offset(let microseconds): try seek(.time(Moment(microseconds: microseconds)))
        case .wall(let wall): try seek(.time(timeline.time(ofWall: wall)))
        case .mark(let label):
            if let mark = timeline.marks.first(where: { $0.label == label }) {
                try seek(.record(mark.number))
            } else {
                try seekOn("no mark has this name") { timeline in timeline.marks.contains { $0.label == label } }
            }
        }
    }

    func mark(_ label: String) {
        let mark = PlacedMark(label, number: timeline.position.number, time: timeline.position.time)
        do throws(RecordingError) {
            try timeline.keep(mark)
            say("marked \(placeText): \(label)")
        } catch {
            refuse("the mark cannot be stored")
        }
    }

    // MARK: - Saying

    /// Reports why a command was not performed, to the user and in the answer of a call.
    private func refuse(_ line: String) {
        complaint = line
        say(line)
    }

    private func say(_ line: String) {
        watcher?.says(line)
        status?.print([line])
    }

    private var placeText: String {
        let clock = timeline.position.wall.map { TimeText.clock(wall: $0) + ", " } ?? ""
        return clock + "record \(timeline.position.number)"
    }

    /// Draws the status line, and updates the watcher and the clients.
    func showStatus() {
        tellClients()
        status?.show(timeline.position, playback, question: control.question)
        guard let watcher else { return }
        let position = timeline.position
        watcher.stands(
            ReplayProgress(
                number: position.number, time: position.time, wall: position.wall, isPaused: playback.isPaused,
                pace: playback.paceText, marks: timeline.marks.map(\.time)))
    }
}

// Calls from clients of the control socket.
extension ReplayLoop {
    /// Performs the calls of clients one after the other. A step finishes before the next call is handled.
    func attendClients() throws(End) {
        guard clients != nil else { return }
        called += stopping.takeCalls()
        while !playback.isStepping {
            if let waiting = steps {
                guard waiting.left == 0 else {
                    steps?.left -= 1
                    return playback.step()
                }
                endSteps()
            }
            guard let call = called.popFirst() else { return }
            do throws(End) {
                try perform(call)
            } catch {
                call.answer(call.method == .quit ? .success(.done) : .failure(Self.ending))
                throw error
            }
        }
    }

    private func perform(_ call: ControlCall) throws(End) {
        let arguments = call.arguments
        complaint = nil
        switch call.method {
        case .pause: playback.pause()
        case .resume: playback.resume(at: MachineClock.monotonic)
        case .seek: try goTo(arguments.text("to") ?? "")
        case .mark: mark(arguments.text("label") ?? "mark")
        case .speed: setSpeed(arguments.text("to") ?? "")
        case .loop: setRounds(arguments.integer("rounds"))
        case .step:
            let count = arguments.integer("count") ?? 1
            guard arguments.flag("back") else {
                steps = (call, count)
                return
            }
            playback.pause()
            try seek(.events(max(timeline.position.events - count, 0)))
        case .quit: throw End(outcome: .limitReached)
        default: complaint = "a replay does not answer \(call.method.rawValue)"
        }
        try drain()
        answer(call)
    }

    private func setSpeed(_ text: String) {
        guard let pace = PlaybackClock.pace(typed: text) else {
            complaint = "params.to must be a number from 0.01 to 1000, a rate such as 20/s, or max"
            return
        }
        playback.play(at: pace, now: MachineClock.monotonic)
    }

    private func setRounds(_ count: Int?) {
        if !timeline.canGoBack || configuration.follows {
            complaint = "this recording cannot be rewound, so it cannot be played again"
        } else {
            // The current round is played to its end.
            rounds = count
        }
    }

    /// Answers a call that moves or changes the replay with the current figures, or with the complaint.
    private func answer(_ call: ControlCall) {
        showStatus()
        if let complaint {
            call.answer(.failure(ControlError(call.method == .speed ? .parameters : .nothing, complaint)))
        } else {
            call.answer(.success(ControlResult { figures.encode(into: &$0) }))
        }
    }

    /// Answers the pending step call: its events are shown, or there are no more.
    func endSteps() {
        guard let call = steps?.call else { return }
        steps = nil
        complaint = nil
        answer(call)
    }

    /// Answers all waiting calls with an error, since the replay is ending.
    func turnAwayClients() {
        let waiting = (steps.map { [$0.call] } ?? []) + called + stopping.takeCalls(isLast: true)
        for call in waiting { call.answer(.failure(Self.ending)) }
    }

    private static let ending = ControlError(.failed, "the replay is ending")

    /// Passes the current figures to the control server.
    func tellClients() { clients?.note(figures) }

    private var figures: ReplayFigures {
        let state: ReplayFigures.State =
            if playback.isPaused { .paused } else if isStarved { .waiting } else { .playing }
        return ReplayFigures(
            state: state, position: timeline.position, pace: playback.typedPace, round: round, rounds: rounds,
            marks: timeline.marks.count, events: counts.events, gaps: counts.gaps, undecodable: counts.undecodable)
    }
}

/// Matches reports against a regular expression, using their compact lines without colours and at full length.
final class LineMatcher {
    private let pattern: RegularExpression

    init(_ pattern: RegularExpression) { self.pattern = pattern }

    /// Returns whether any line of the reports matches.
    func matches(_ reports: [StampedReport]) -> Bool {
        var lines = EventLines(isCompact: true, width: nil)
        var buffer = TerminalBuffer()
        for report in reports { lines.append(report, to: &buffer) }
        return !buffer.bytes.isEmpty && pattern.matchesLine(of: buffer.bytes)
    }
}
