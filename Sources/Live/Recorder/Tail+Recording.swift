import JSONText
import Network
import Pipeline
import Recording
import SectionedModel
import Wire

/// What a tail knows of its recording, besides the records.
struct RecordingNotes {
    /// When states and the clock are looked at again.
    static let interval: Duration = .seconds(1)
    /// A clock record comes at least so often.
    static let longestClock: Duration = .seconds(60)
    /// A wall clock that moved less against ours did not step; microseconds.
    static let smallestStep: Int64 = 10_000

    /// What changed the model since it was last told of.
    enum Change {
        case none
        /// A replay that is behind the same record has the same model.
        case byInput
        /// Time did: a replay does it before the next input.
        case byTime
    }

    var change = Change.none
    var lastState: Moment?
    var lastClock: (time: Moment, step: Int64)?
    var connection = ConnectionMemory()
    /// The message that the session is being given.
    var message: WebSocketMessage?
    var isOnWebSocket = false
    /// What was asked of the connection that is being opened.
    var spoken: String?
}

// What the recording is told that is no input and nothing the session did.
extension Tail {
    /// Begins a new segment of the recording; nothing where it has none. Any thread.
    public nonisolated func rotateRecording() {
        loop.run { [self] in assumeIsolated { $0.rotate() } }
    }

    /// Writes what the flight recorder has to a new file; nothing without one. Any thread.
    public nonisolated func dumpFlight() {
        loop.run { [self] in assumeIsolated { $0.dump() } }
    }

    func dump() {
        guard case .running = phase else { return }
        guard flight != nil else {
            tellNotice(Notice(.warning, "there is no flight recorder: begin with --flight-recorder 10m"))
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
        guard recordingPath != nil, case .running = phase else { return }
        noteLastState(at: loop.now)
        pending.append(.rotate(restatement, journal.unnumbered(at: loop.now)))
        handOver()
    }

    /// What a session that begins here must know.
    var restatement: Restatement {
        let entries = session.roomBook.entries
        return Restatement(
            user: session.rowsOwner, model: session.model.snapshot,
            rooms: Restatement.wishes(of: session.roomBook, at: loop.now),
            connection: notes.connection.records(rooms: entries.map(\.name)))
    }

    /// Records were handed over. A chunk ends with the first record a second later; when none comes, it ends by time, so that what was
    /// compressed in memory, or not yet forced to the disk, does not wait for the next message.
    func settleLater() {
        hasRecordedSince = true
        guard settling == nil else { return }
        hasRecordedSince = false
        settling = loop.schedule(at: loop.now + RecordingNotes.interval) { [weak self] in
            self?.assumeIsolated { $0.settle() }
        }
    }

    private func settle() {
        settling = nil
        guard case .running = phase, makesRecords else { return }
        outletThread?.push([.settle(journal.unnumbered(at: loop.now))])
        // They may be less than a second old.
        if hasRecordedSince { settleLater() }
    }

    /// The input was handled, and what it led to is done.
    func noteState(after number: Int, at now: Moment) {
        guard makesRecords, number > 0 else { return }
        noteClock(at: now)
        guard configuration.recording.tellsStates else { return }
        // A replay did by then what time did.
        if case .byTime = notes.change { notes.change = .byInput }
        guard case .byInput = notes.change else { return }
        if let last = notes.lastState, now - last < RecordingNotes.interval { return }
        putState(after: number, at: now)
    }

    /// Nothing follows: the last state is told, unless time has changed it since the last input.
    func noteLastState(at now: Moment) {
        guard makesRecords, configuration.recording.tellsStates, case .byInput = notes.change else {
            return
        }
        putState(after: lastInput, at: now)
    }

    private func putState(after number: Int, at now: Moment) {
        guard let checksum = session.model.checksum else { return }
        let keys = session.model.sectionKeys
        let state = Record.StateRecord(
            after: number, checksum: checksum, checksumVersion: Item.checksumVersion, sections: keys.count,
            items: keys.indices.reduce(0) { $0 + session.model.elementCount(at: $1) })
        pending.append(.record(.state(state), journal.aside(at: now)))
        notes.lastState = now
        notes.change = .none
    }

    /// Compares the clocks, once a second.
    private func noteClock(at now: Moment) {
        if let last = notes.lastClock, now - last.time < RecordingNotes.interval { return }
        let step = journal.wallStep(at: now)
        let isNews: Bool
        if let last = notes.lastClock {
            isNews =
                now - last.time >= RecordingNotes.longestClock || abs(step - last.step) > RecordingNotes.smallestStep
        } else {
            isNews = true
        }
        guard isNews else { return }
        notes.lastClock = (now, step)
        pending.append(.record(.clock(.init(step: step)), journal.aside(at: now)))
    }

    /// A record of the connection, with what is known here and not to the session.
    func completed(_ record: Record) -> Record {
        if case .action(var action) = record, action.act == .emit {
            if let clean = scrubber?.scrubbed(action.what.bytes) { action.what.bytes = clean[...] }
            return .action(action)
        }
        guard case .connection(var connection) = record else { return record }
        // What is about all of them is of the one there is.
        if connection.connection == 0 { connection.connection = self.connection }
        if connection.state == .open {
            notes.isOnWebSocket = socket?.isOnWebSocket ?? false
            connection.transport = notes.isOnWebSocket ? "websocket" : "polling"
            connection.spoken = notes.spoken
        }
        notes.connection.note(connection)
        return .connection(connection)
    }

    /// Whether the connection went over to a WebSocket, before what came over it is handled.
    func noteUpgrade() {
        guard !notes.isOnWebSocket, socket?.isOnWebSocket == true else { return }
        notes.isOnWebSocket = true
        let upgraded = Record.ConnectionRecord(connection: connection, state: .upgraded, transport: "websocket")
        notes.connection.note(upgraded)
        record(.connection(upgraded), journal.unnumbered(at: loop.now))
    }

    /// What became of a room; the message that is being handled is what the server said of it.
    func noteRoom(_ report: RoomReport) {
        guard remembersConnection else { return }
        switch report.change {
        case .joined: notes.connection.joined(report.room, by: notes.message)
        case .left, .leaving, .lost, .refused: notes.connection.left(report.room)
        case .wanted, .joining, .found: break
        }
    }

    /// What was told of a message says whether the recording is to have it whole.
    func keepOrLeaveOut(_ place: Int, _ stamp: Stamp) {
        guard let recordFilter, pending.indices.contains(place), case .record(let record, stamp) = pending[place],
            let remainder = recordFilter.remainder(of: record)
        else { return }
        pending[place] = .leftOut(record, remainder: remainder, stamp)
    }

    /// When it will be tried again is known only after the session was told of the end.
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
    /// How far the wall clock is from where it would be had it not been set since the start; microseconds.
    func wallStep(at now: Moment) -> Int64 {
        MachineClock.wall - wallStart - now.microseconds
    }

    /// The stamp of a record that repeats the number of the one before it.
    func aside(at now: Moment) -> Stamp { unnumbered(at: now) }
}
