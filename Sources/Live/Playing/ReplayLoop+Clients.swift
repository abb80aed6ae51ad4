import Network
import Pipeline
import Wire

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
