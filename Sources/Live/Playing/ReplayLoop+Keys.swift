import Network
import Pipeline
import Recording
import RegularExpressions
import Wire

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
