import Network
import Pipeline
import Recording
import Wire

// Limits and the end of a tail.
extension Tail {
    /// The maximum time for an orderly close of the socket.
    private static let closingTime: Duration = .seconds(1)

    func startLimits() {
        if let duration = configuration.duration {
            limits.duration = loop.schedule(at: loop.now + duration) { [weak self] in
                self?.assumeIsolated { $0.timeIsUp() }
            }
        }
        restartIdleLimit()
    }

    /// Restarts the idle limit. It does not run while the socket is not read, since silence then means nothing.
    func restartIdleLimit() {
        guard let idle = configuration.idleTimeout else { return }
        limits.idle?.cancel()
        guard !isReadingPaused else { return }
        limits.idle = loop.schedule(at: loop.now + idle) { [weak self] in
            self?.assumeIsolated { $0.timeIsUp() }
        }
    }

    /// Ends the tail at a time limit. That is the expected outcome, unless the goal is not reached or no session was
    /// ever established.
    private func timeIsUp() {
        if !goal.isSet, let failure = session.neverStood { return conclude(.cannotConnect(failure)) }
        conclude(goal.isSet ? .timedOut : .limitReached)
    }

    func outletFailed(_ error: OutletError) {
        if isFencedOff {
            return conclude(.fencedOff("the others of the group took this tail for dead, and hold its rooms"))
        }
        conclude(error == .closedByReader ? .outputClosed : .cannotWrite(error))
    }

    /// Begins the end: the session takes its leave, and the socket gets a moment to close.
    func conclude(_ outcome: TailOutcome) {
        guard case .running(let continuation) = phase else { return }
        phase = .leaving(continuation, outcome)
        configuration.seat?.stop()
        configuration.manager?.tell("STOPPING=1")
        let now = endTime
        let stamp = journal.unnumbered(at: now)
        noteLastState(at: now)
        // The flight recorder exists to explain a failure like this.
        if case .gaveUp = outcome, flight != nil { pending.append(.dump(stamp)) }
        var last: [Effect] = []
        session.handle(.stop, n: stamp.n, at: now, into: &last)
        for effect in last { leave(by: effect, stamp) }
        let why: Record.EndRecord.Why =
            if case .interrupted(let signal) = outcome, signal != 0 { .signal } else { .closed }
        if makesRecords { pending.append(.endRecording(why, journal.stamp(at: now))) }
        hasEndedRecords = true
        handOver()
        for timer in [timer?.timer, limits.duration, limits.idle, limits.renewal, feeding] { timer?.cancel() }
        guard socket != nil else { return leave() }
        limits.closing = loop.schedule(at: loop.now + Self.closingTime) { [weak self] in
            self?.assumeIsolated { $0.leave() }
        }
    }

    /// The time of the end. A timer that is due but has not run does not run any more, so the end gets a time before
    /// it: a replay then does not run it either.
    private var endTime: Moment {
        guard let due = session.deadline, due <= loop.now else { return loop.now }
        return Moment(microseconds: due.microseconds - 1)
    }

    /// Performs an effect of the ending session. Only the goodbye and the reports matter.
    private func leave(by effect: Effect, _ stamp: Stamp) {
        switch effect {
        case .send(_, let message):
            record(.frame(Record.FrameRecord(connection: connection, direction: .out, message: message)), stamp)
            socket?.send(message)
        case .close(_, let close): socket?.close(close)
        case .report(let report):
            if case .gap(let gap) = report, gap.isLoss { counts.gaps += 1 }
            pending.append(
                .report(StampedReport(stamp: stamp, report: report, context: configuration.context)))
        case .connect, .request, .cancel, .renewToken, .remember, .finish: break
        }
    }

    /// Resumes `run()` once everything is closed.
    func leave() {
        guard case .leaving(let continuation, let outcome) = phase else { return }
        phase = .over
        endFollowers()
        limits.closing?.cancel()
        continuation.resume(returning: outcome)
    }
}
