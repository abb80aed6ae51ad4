import WeirJSON
import WeirModel
import WeirNetwork
import WeirPipeline
import WeirRecording
import WeirThreads
import WeirWire

/// Assigns numbers to everything that belongs in a recording. It does so whether or not a recording is written, so that
/// the numbers do not depend on it.
struct Journal {
    /// The wall clock at the session's time 0, in microseconds since 1970 UTC.
    let wallStart: Int64
    private var lastNumber = 0

    /// The last number assigned; 0 before the first.
    var last: Int { lastNumber }

    /// Creates a journal for a session whose clock shows `now` at this instant.
    init(now: Moment) {
        wallStart = MachineClock.wall - now.microseconds
    }

    /// Returns a stamp with the next number. Its wall clock is the one at the start plus the session's time, so it
    /// never steps.
    mutating func stamp(at now: Moment) -> Stamp {
        lastNumber += 1
        return Stamp(n: lastNumber, time: now, wall: wallStart + now.microseconds)
    }

    /// Returns the stamp of something that is not recorded. Its number is 0.
    func unnumbered(at now: Moment) -> Stamp { Stamp(n: 0, time: now, wall: wallStart + now.microseconds) }
}

/// A tail's notes about its recording, in addition to the records.
struct RecordingNotes {
    /// The interval of model checksums and clock comparisons.
    static let interval: Duration = .seconds(1)
    /// The maximum time between two clock records.
    static let longestClock: Duration = .seconds(60)
    /// The smallest deviation of the wall clock that counts as a step, in microseconds.
    static let smallestStep: Int64 = 10_000

    /// The causes of model changes since the last checksum.
    enum Change {
        case none
        /// An input changed the model. A replay after the same record has the same model.
        case byInput
        /// A timer changed the model. A replay runs it before the next input.
        case byTime
    }

    var change = Change.none
    var lastState: Moment?
    var lastClock: (time: Moment, step: Int64)?
    var connection = ConnectionMemory()
    /// The message that the session handles now.
    var message: WebSocketMessage?
    var isOnWebSocket = false
    /// The name of the protocol that the connecting request chose.
    var spoken: String?
}

// Records that are neither inputs nor results of the session.
extension TailEngine {
    /// Begins a new segment of the recording; does nothing without a recording. Can be called on any thread.
    package nonisolated func rotateRecording() {
        loop.run { [self] in assumeIsolated { tail in tail.tellServiceOfReload { tail.rotate() } } }
    }

    /// Writes the flight recorder's content to a new file; does nothing without a flight recorder. Can be called on any
    /// thread.
    package nonisolated func dumpFlight() {
        loop.run { [self] in assumeIsolated { $0.dump() } }
    }

    func dump() {
        guard case .running = phase else { return }
        guard recorder.flight != nil else {
            tellNotice(Notice(.warning, "no flight recorder: start with --flight-recorder 10m"))
            return handOver()
        }
        pending.append(.dump(journal.unnumbered(at: loop.now)))
        handOver()
    }

    func recordingSays(_ word: RecordingSink.Word) {
        switch word {
        case .rotationDue: rotate()
        case .flightPartDue:
            guard case .running = phase else { return }
            pending.append(.flightPart(restatement, journal.unnumbered(at: loop.now)))
            handOver()
        case .notice(let notice):
            pending.append(.report(StampedReport(stamp: journal.unnumbered(at: loop.now), report: .notice(notice))))
            handOver()
        }
    }

    func rotate() {
        guard recorder.path != nil, case .running = phase else { return }
        noteLastState(at: loop.now)
        pending.append(.rotate(restatement, journal.unnumbered(at: loop.now)))
        handOver()
    }

    /// The state that a session starting at this point needs.
    var restatement: StatePreamble {
        let entries = session.subscriptions.entries
        return StatePreamble(
            user: session.rowsOwner, model: session.model.snapshot,
            rooms: StatePreamble.wishes(of: session.subscriptions, at: loop.now),
            connection: recorder.notes.connection.records(rooms: entries.map(\.name)))
    }

    /// Schedules a flush after records were handed over. The first record one second later ends a chunk; without one
    /// the timer ends it. So compressed or unsynced data does not wait for the next message.
    func settleLater() {
        backPressure.hasRecordedSince = true
        guard backPressure.settling == nil else { return }
        backPressure.hasRecordedSince = false
        backPressure.settling = loop.schedule(at: loop.now + RecordingNotes.interval) { [weak self] in
            self?.assumeIsolated { $0.settle() }
        }
    }

    private func settle() {
        backPressure.settling = nil
        guard case .running = phase, makesRecords else { return }
        outletThread?.push([.settle(journal.unnumbered(at: loop.now))])
        // The latest records may be less than a second old.
        if backPressure.hasRecordedSince { settleLater() }
    }

    /// Records the clock and a model checksum after an input was handled, if they are due.
    func noteState(after number: Int, at now: Moment) {
        guard makesRecords, number > 0 else { return }
        noteClock(at: now)
        guard configuration.recording.tellsStates else { return }
        // By then a replay has also run the timers.
        if case .byTime = recorder.notes.change { recorder.notes.change = .byInput }
        guard case .byInput = recorder.notes.change else { return }
        if let last = recorder.notes.lastState, now - last < RecordingNotes.interval { return }
        putState(after: number, at: now)
    }

    /// Records the last checksum before the end, unless a timer has changed the model since the last input.
    func noteLastState(at now: Moment) {
        guard makesRecords, configuration.recording.tellsStates, case .byInput = recorder.notes.change else {
            return
        }
        putState(after: recorder.lastInput, at: now)
    }

    private func putState(after number: Int, at now: Moment) {
        guard let checksum = session.model.checksum else { return }
        let keys = session.model.sectionKeys
        let state = Record.StateRecord(
            after: number, checksum: checksum, checksumVersion: Item.checksumVersion, sections: keys.count,
            items: keys.indices.reduce(0) { $0 + session.model.elementCount(at: $1) })
        pending.append(.record(.state(state), journal.aside(at: now)))
        recorder.notes.lastState = now
        recorder.notes.change = .none
    }

    /// Compares the clocks once a second and records a step.
    private func noteClock(at now: Moment) {
        if let last = recorder.notes.lastClock, now - last.time < RecordingNotes.interval { return }
        let step = journal.wallStep(at: now)
        let isNews: Bool
        if let last = recorder.notes.lastClock {
            isNews =
                now - last.time >= RecordingNotes.longestClock || abs(step - last.step) > RecordingNotes.smallestStep
        } else {
            isNews = true
        }
        guard isNews else { return }
        recorder.notes.lastClock = (now, step)
        pending.append(.record(.clock(.init(step: step)), journal.aside(at: now)))
    }

    /// Returns the record with details that only the tail knows, such as the transport, and without secrets.
    func completed(_ record: Record) -> Record {
        if case .action(var action) = record, action.act == .emit {
            if let clean = recorder.scrubber?.scrubbed(action.what.bytes) { action.what.bytes = clean[...] }
            return .action(action)
        }
        guard case .connection(var connection) = record else { return record }
        // A change of all connections applies to the only one.
        if connection.connection == 0 { connection.connection = self.connection.number }
        if connection.state == .open {
            recorder.notes.isOnWebSocket = self.connection.socket?.isOnWebSocket ?? false
            connection.transport = recorder.notes.isOnWebSocket ? "websocket" : "polling"
            connection.spoken = recorder.notes.spoken
        }
        recorder.notes.connection.note(connection)
        return .connection(connection)
    }

    /// Records an upgrade to a WebSocket before the messages on it are handled.
    func noteUpgrade() {
        guard !recorder.notes.isOnWebSocket, connection.socket?.isOnWebSocket == true else { return }
        recorder.notes.isOnWebSocket = true
        let upgraded = Record.ConnectionRecord(connection: connection.number, state: .upgraded, transport: "websocket")
        recorder.notes.connection.note(upgraded)
        record(.connection(upgraded), journal.unnumbered(at: loop.now))
    }

    /// Remembers a room's join. The message that is being handled is the server's answer to it.
    func noteRoom(_ report: RoomReport) {
        guard remembersConnection else { return }
        switch report.change {
        case .joined: recorder.notes.connection.joined(report.room, by: recorder.notes.message)
        case .left, .leaving, .lost, .refused: recorder.notes.connection.left(report.room)
        case .wanted, .joining, .found: break
        }
    }

    /// Shortens the pending record of a message if the record filter does not match its reports.
    func keepOrLeaveOut(_ place: Int, _ stamp: Stamp) {
        guard let filter = recorder.filter, pending.indices.contains(place),
            case .record(let record, stamp) = pending[place],
            let remainder = filter.remainder(of: record)
        else { return }
        pending[place] = .leftOut(record, remainder: remainder, stamp)
    }

    /// Adds the retry time to a pending connection record. The session determines it only after it handled the end.
    func noteRetry(of effects: [Effect], place: Int) {
        guard pending.indices.contains(place), case .record(.connection(var change), let stamp) = pending[place],
            change.state == .closed || change.state == .failed
        else { return }
        var span: Duration?
        for case .report(.connection(.lost(_, let retryIn))) in effects { span = retryIn }
        guard let span else { return }
        let (seconds, attoseconds) = span.components
        change.next = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
        pending[place] = .record(.connection(change), stamp)
    }
}

extension Journal {
    /// Returns how far the wall clock has been set since the start, in microseconds.
    func wallStep(at now: Moment) -> Int64 {
        MachineClock.wall - wallStart - now.microseconds
    }

    /// Returns the stamp of a record that repeats the number of the record before it.
    func aside(at now: Moment) -> Stamp { unnumbered(at: now) }
}
