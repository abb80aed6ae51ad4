import WeirJSON
import WeirNetwork
import WeirPipeline
import WeirRecording
import WeirWire

// The path of inputs into the session and of effects out of it.
extension TailEngine {
    /// Feeds one input at the current time.
    func feed(_ input: Input) { feed(input, at: loop.now) }

    /// Feeds one input, hands over its reports and records, and sets the timer.
    func feed(_ input: Input, at now: Moment) {
        take(input, at: now)
        handOver()
        rearm()
    }

    /// Feeds an answer that was decoded on another thread.
    func feed(_ answered: Input, _ reading: AnswerReading) {
        take(answered, at: loop.now, reading)
        handOver()
        rearm()
    }

    /// Feeds the messages of one read. Their results are handed over together.
    func feed(_ messages: [WebSocketMessage], connection: Int) {
        let now = loop.now
        noteUpgrade()
        for message in messages { take(.message(connection: connection, message), at: now) }
        handOver()
        rearm()
    }

    /// Feeds one input, after excusing deadlines that passed while the server's messages were not read.
    private func take(_ input: Input, at now: Moment, _ reading: AnswerReading? = nil) {
        excuse(at: now, evenIfRead: true)
        put(input, at: now, reading)
    }

    /// Excuses deadlines that passed while the process was suspended or the socket was not read: they do not show that
    /// the server was silent, since its messages may be waiting. The excuse is recorded, so that a replay behaves the
    /// same.
    private func excuse(at now: Moment, evenIfRead: Bool) {
        // The timer's deadline is cheaper to read, and the session's is never earlier.
        guard timer.map({ $0.due <= now }) ?? true, let due = session.deadline, due <= now else { return }
        let isStandstill = (evenIfRead || backPressure.isReadingPaused) && now - due > EventLoop.standstill
        guard isStandstill || (backPressure.isReadingPaused && session.reading == .resumed) else { return }
        put(.reading(.stalled), at: Moment(microseconds: due.microseconds - 1))
        put(.reading(backPressure.isReadingPaused ? .paused : .resumed), at: now)
    }

    /// Feeds one input. Deadlines up to `now` run first, in the order in which a replay runs them.
    private func put(_ input: Input, at now: Moment, _ reading: AnswerReading? = nil) {
        guard case .running = phase else { return }
        // A decoded answer was scrubbed before it was decoded.
        let input = reading == nil ? recorder.scrubber?.scrubbed(input) ?? input : input
        session.advance(to: now, into: &effects)
        perform(journal.unnumbered(at: now))
        guard case .running = phase else { return }
        let stamp =
            input.isRecorded
            ? journal.stamp(at: now) : journal.unnumbered(at: now)
        persistence?.pendingBytes += input.heldBytes
        var place: Int?
        if remembersConnection, let record = Record.of(input).map(completed) {
            if makesRecords {
                place = pending.count
                pending.append(.record(record, stamp))
            }
            if case .message(_, let message) = input {
                recorder.notes.message = message
                recorder.notes.connection.received(message)
            }
        }
        if case .answered(let request, _) = input,
            let parent = connection.traceparents.removeValue(forKey: request)
        {
            configuration.metrics?.note(traceparent: parent, of: stamp.n)
        }
        if let reading { session.take(reading) }
        recorder.filter?.begin()
        session.handle(input, n: stamp.n, at: now, into: &effects)
        if stamp.n > 0 { recorder.lastInput = stamp.n }
        if let place { noteRetry(of: effects, place: place) }
        perform(stamp)
        if let place { keepOrLeaveOut(place, stamp) }
        recorder.notes.message = nil
        noteState(after: stamp.n, at: now)
        while let input = nextDue() { take(input, at: now) }
        // Check the goal only now: the changes made by the last event belong to it, and a replay shows them as well.
        if goal.isReached { conclude(.limitReached) }
    }

    /// Runs the session's deadlines when the timer fires.
    private func timerFired() {
        timer = nil
        guard case .running = phase else { return }
        let now = loop.now
        // Before it fires a late timer, the loop reads all waiting data.
        excuse(at: now, evenIfRead: false)
        session.advance(to: now, into: &effects)
        perform(journal.unnumbered(at: now))
        while let input = nextDue() { take(input, at: now) }
        if goal.isReached { conclude(.limitReached) }
        handOver()
        rearm()
    }

    /// Sets the timer to the session's next deadline.
    private func rearm() {
        var deadline: Moment?
        if case .running = phase { deadline = session.deadline }
        guard deadline != timer?.due else { return }
        timer?.timer.cancel()
        timer = deadline.map { due in
            let timer = loop.schedule(at: due) { [weak self] in self?.assumeIsolated { $0.timerFired() } }
            return SessionTimer(due: due, timer: timer)
        }
    }

    /// Passes the gathered items to the outlet thread. If that thread lags, the socket is not read until it has caught
    /// up.
    func handOver() {
        if persistence != nil {
            // Remembered rows go to the store again, together with the new copy of the model.
            showRemembered()
            handOverToStore()
        }
        if rooms.hasChanged || !rooms.looks.isEmpty { tellWhoWaitsForRooms() }
        tellFollowers()
        guard !pending.isEmpty else { return }
        outletThread?.push(pending)
        pending.removeAll(keepingCapacity: true)
        if makesRecords { settleLater() }
        if let why = outletThread?.lateWords { pauseReading(for: .outlets, why) }
    }

    /// Pauses or resumes reading when the outlet thread's backlog changes.
    func reviewReading() {
        if let why = outletThread?.lateWords {
            pauseReading(for: .outlets, why)
        } else {
            resumeReading(for: .outlets)
        }
    }

    /// Stops reading the socket until the consumer has caught up. At the end of the tail the socket yields nothing more
    /// except its close.
    func pauseReading(for consumer: Consumer, _ why: String) {
        guard case .running = phase else { return }
        let wasPaused = backPressure.isReadingPaused
        backPressure.behind.insert(consumer)
        guard !wasPaused else { return }
        connection.socket?.setReading(false)
        restartIdleLimit()
        tellOfPause(why)
        backPressure.pausing = loop.schedule(at: loop.now + .milliseconds(250)) { [weak self] in
            self?.assumeIsolated { $0.feed(.reading(.paused)) }
        }
    }

    /// Shows a notice that reading pauses, at most once in ten seconds.
    private func tellOfPause(_ why: String) {
        let now = loop.now
        if let last = backPressure.toldOfPause, now - last < .seconds(10) { return }
        backPressure.toldOfPause = now
        let notice = Notice(.warning, "\(why): reading the socket pauses until it has caught up")
        outletThread?.push([.report(StampedReport(stamp: journal.unnumbered(at: now), report: .notice(notice)))])
    }

    func resumeReading(for consumer: Consumer) {
        guard backPressure.behind.remove(consumer) != nil, !backPressure.isReadingPaused else { return }
        backPressure.pausing?.cancel()
        if session.reading != .resumed { feed(.reading(.resumed)) }
        connection.socket?.setReading(true)
        restartIdleLimit()
    }

    /// Performs the effects of the session. `stamp` is the stamp of the input that caused them.
    private func perform(_ stamp: Stamp) {
        var index = 0
        var writing: [FetchRequest] = []
        while index < effects.count {
            if case .request(let request) = effects[index], persistence != nil, request.method != "GET" {
                writing.append(request)
            } else {
                perform(effects[index], stamp)
            }
            index += 1
        }
        effects.removeAll(keepingCapacity: true)
        if persistence != nil { keepOutbox(thenSend: writing, stamp) }
    }

    private func perform(_ effect: Effect, _ stamp: Stamp) {
        switch effect {
        case .connect(let request): connect(request, stamp)
        case .send(let connection, let message):
            let shown = makesRecords ? recorder.scrubber?.scrubbed(message) ?? message : message
            record(.frame(Record.FrameRecord(connection: connection, direction: .out, message: shown)), stamp)
            if connection == self.connection.number { self.connection.socket?.send(message) }
        case .close(let connection, let close):
            record(.connection(Record.ConnectionRecord(connection: connection, state: .closing)), stamp)
            if connection == self.connection.number { self.connection.socket?.close(close) }
        case .request(let request): send(request, stamp)
        case .cancel(let request):
            connection.exchanges.removeValue(forKey: request).map { http.cancel($0) }
            connection.uploads.remove(request)
            counts.requests.cancelled(request)
            connection.largeAnswers.cancel(request)
        case .renewToken: renewToken(insteadOf: connection.token, isAsked: true)
        case .remember(let fact): remember(fact, at: stamp.time)
        case .report(let report): tell(report, stamp)
        case .finish(let ending): conclude(ending.outcome)
        }
    }

    /// Records an effect of the session. Draws a record number even if nothing is recorded.
    func record(_ record: @autoclosure () -> Record, _ stamp: Stamp) {
        let own = journal.stamp(at: stamp.time)
        if makesRecords { pending.append(.record(record(), own)) }
    }

    private func tell(_ report: Report, _ stamp: Stamp) {
        if let record = Record.of(report) { self.record(record, stamp) }
        switch report {
        case .event:
            counts.events += 1
            control.rates.note(at: stamp.time)
            restartIdleLimit()
        case .diff(let diff):
            counts.changes += 1
            keep(diff)
            recorder.notes.change = stamp.n == 0 ? .byTime : .byInput
        case .room(let room):
            keep(room)
            noteRoom(room)
            noteRoomFate(room)
            showRoomsSoon()
        case .gap(let gap): if gap.isLoss { counts.gaps += 1 }
        case .undecodable: counts.undecodable += 1
        case .connection(let change):
            note(change)
            tellService(of: change)
            guard case .ready = change else { break }
            takeUpOutbox()
            recorder.notes.connection.becameReady()
        case .emit(let emit): noteEmit(emit)
        case .action(let action): tellFollowers(of: action)
        case .refetch, .typing, .notice: break
        }
        let stamped = StampedReport(stamp: stamp, report: report, clock: &serverClock, context: configuration.context)
        if control.service != nil { rooms.traffic.note(stamped) }
        if let lag = stamped.lag { self.lag = lag }
        if goal.isSet { goal.note(stamped) }
        if !sayings.rules.isEmpty { noteForRules(stamped) }
        recorder.filter?.note(stamped)
        pending.append(.report(stamped))
    }
}

extension Input {
    /// Whether the input has a record. All inputs except the beginning and the end do.
    fileprivate var isRecorded: Bool {
        switch self {
        case .start, .stop: false
        case .opened, .failed, .message, .closed, .reading, .answered, .tokenRenewed, .act, .dropAction, .retryAction,
            .cancel, .restoreOutbox, .want, .unwant, .only, .resetRooms, .share, .withdraw, .look, .refetch, .select,
            .emit, .pushed, .remembered:
            true
        }
    }
}

extension Ending {
    fileprivate var outcome: TailOutcome {
        switch self {
        case .stopped: .limitReached
        case .refused(let message): .refused(message)
        case .cannotConnect(let failure): .cannotConnect(failure)
        case .gaveUp(let attempts, let failure): .gaveUp(attempts: attempts, failure)
        }
    }
}

extension Input {
    /// The number of bytes in the input whose size the server controls.
    fileprivate var heldBytes: Int {
        if case .message(_, let message) = self { return message.bytes.count }
        if case .answered(_, .response(_, let body, _)) = self { return body.count }
        return 0
    }
}

/// The large answers that are decoded on another thread, one at a time and in order of arrival. The limit on concurrent
/// requests bounds their number.
struct LargeAnswers {
    struct Waiting {
        var request: Int
        var answer: Answer
        var body: ArraySlice<UInt8>
        var reader: AnswerReader
        /// The hold on the memory of the body.
        var hold: HTTPBodyHold?
    }

    /// The body size, in bytes, from which an answer is decoded on another thread. The loop decodes smaller ones in
    /// less than a millisecond.
    static let size = 128 << 10

    private var waiting: [Waiting] = []
    /// The answer being decoded; `nil` if none is.
    private var current: Waiting?

    /// Appends an answer to the queue.
    mutating func add(_ answer: Waiting) { waiting.append(answer) }

    /// Removes the answer to a cancelled request. An answer that is being decoded is decoded to its end and then
    /// ignored.
    mutating func cancel(_ request: Int) { waiting.removeAll { $0.request == request } }

    /// Returns the answer to decode next; `nil` while one is being decoded or none waits.
    mutating func next() -> Waiting? {
        guard current == nil, !waiting.isEmpty else { return nil }
        current = waiting.removeFirst()
        return current
    }

    /// Marks the current answer as decoded.
    mutating func finish() { current = nil }
}

// Large bodies are decoded off the loop. Their answers become inputs once they are decoded. The recording contains the
// time at which the session handled them, and a replay, which decodes them itself, gets the same result.
extension TailEngine {
    /// Feeds the answer to a session's request, or queues it for decoding if its body is large. Holds the memory of a
    /// large body until the body is written; the HTTP client reads no other large body before that.
    func take(_ answer: Answer, to request: Int, _ hold: HTTPBodyHold?) {
        guard case .response(200..<300, let body, _) = answer, body.count >= LargeAnswers.size,
            let reader = session.reader(of: request)
        else {
            if let hold { pending.append(.hold(hold)) }
            return feed(.answered(request: request, answer))
        }
        connection.largeAnswers.add(.init(request: request, answer: answer, body: body, reader: reader, hold: hold))
        readNext()
    }

    private func readNext() {
        guard let next = connection.largeAnswers.next() else { return }
        let (body, reader, scrubber) = (next.body, next.reader, recorder.scrubber)
        loop.offload(named: "weir-decode") {
            let clean = scrubber?.scrubbed(body).map { $0[...] }
            return (clean: clean, reading: reader.read(clean ?? body))
        } completion: { [weak self] read in
            self?.assumeIsolated { tail in
                tail.connection.largeAnswers.finish()
                if let hold = next.hold { tail.pending.append(.hold(hold)) }
                var answer = next.answer
                if let clean = read.clean, case .response(let status, _, let retryAfter) = answer {
                    answer = .response(status: status, body: clean, retryAfter: retryAfter)
                }
                tail.feed(.answered(request: next.request, answer), read.reading)
                tail.readNext()
            }
        }
    }
}

extension SecretScrubber {
    /// Returns an input without the secrets that a server put into it, or `nil` if it contains none. Actions of the
    /// user are never changed.
    func scrubbed(_ input: Input) -> Input? {
        switch input {
        case .message(let connection, let message):
            return scrubbed(message).map { .message(connection: connection, $0) }
        case .answered(let request, let answer): return scrubbed(answer).map { .answered(request: request, $0) }
        case .closed(let connection, var close):
            close.reason = scrubbed(close.reason)
            return .closed(connection: connection, close)
        case .failed(let connection, var failure):
            failure.message = scrubbed(failure.message)
            return .failed(connection: connection, failure)
        case .remembered(var memory):
            // The store may have been written before the current rules existed.
            guard let rows = scrubbed(memory.rows[...]) else { return nil }
            memory.rows = rows
            return .remembered(memory)
        case .pushed(let payload): return scrubbed(payload.bytes).map { .pushed(RawJSON(unchecked: $0[...])) }
        case .start, .opened, .reading, .tokenRenewed, .act, .dropAction, .retryAction, .cancel, .restoreOutbox, .want,
            .unwant, .only, .resetRooms, .share, .withdraw, .look, .refetch, .select, .emit, .stop:
            return nil
        }
    }

    /// Returns an answer without secrets, or `nil` if it contains none.
    func scrubbed(_ answer: Answer) -> Answer? {
        switch answer {
        case .response(let status, let body, let retryAfter):
            scrubbed(body).map { .response(status: status, body: $0[...], retryAfter: retryAfter) }
        case .failure(let kind, let message): .failure(kind: kind, message: scrubbed(message))
        }
    }
}
