import Glibc
import WeirModel
import WeirNetwork
import WeirPipeline
import WeirRecording
import WeirStore
import WeirThreads
import WeirWire

/// The engine of a ``Tail``: feeds the pure `Session` with inputs and performs its effects, on one thread.
///
/// The actor is pinned to the network loop, so socket callbacks reach it without a hop. Call `run()` exactly once: the
/// threads that `init` starts end with it.
package actor TailEngine {
    /// The executor: the network loop's thread.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    nonisolated let loop: EventLoop
    nonisolated let configuration: TailConfiguration
    let http: HTTPClient
    let outlets: [any Outlet]
    /// The sequences that read the reports. They are one of the outlets.
    let readers: ReportReaders
    /// Whether an outlet shows the traffic on the wire.
    let showsWire: Bool
    var outletThread: OutletThread?
    /// The items for the outlet thread, handed over once per input.
    var pending: [OutletThread.Item] = []

    var session: Session
    var effects: [Effect] = []
    var timer: SessionTimer?
    var journal: Journal
    var connection = TailConnection()
    var backPressure = BackPressure()
    var rooms = TailRooms()
    var recorder: TailRecorder
    /// The store and its pending writes; `nil` without a store.
    var persistence: TailPersistence?
    /// The notices about opening the store.
    let storeNotices: [Notice]
    var control: TailControl
    var operations: TailOperations
    /// The clients that follow the states of the tail.
    var followers = Followers()
    /// The callers that wait for the outcomes of actions.
    var waiters = Waiters()
    /// The emits that are not sent yet, and the callers that wait for an outcome.
    var sayings = Sayings()
    /// The delay of the last event with a server time, in milliseconds.
    var lag: Int64?
    /// The offset of the server's clock.
    var serverClock = ServerClock()
    var limits = Limits()
    /// The events or matches that end the tail.
    var goal: RunGoal
    var counts = Counts()
    var phase = Phase.new

    /// The timer of the session's next deadline.
    struct SessionTimer {
        var due: Moment
        var timer: LoopTimer
    }

    /// The timers of the limits.
    struct Limits {
        var duration: LoopTimer?
        var idle: LoopTimer?
        var closing: LoopTimer?
        /// The timer of the next token renewal.
        var renewal: LoopTimer?
    }

    /// The counters for the summary.
    struct Counts {
        var events = 0
        var changes = 0
        var gaps = 0
        var undecodable = 0
        var connections = 0
        var requests = RequestFigures()
    }

    /// The phases of a tail's life.
    enum Phase {
        case new
        case running(CheckedContinuation<TailOutcome, Never>)
        /// The session has ended; the socket is being closed in order.
        case leaving(CheckedContinuation<TailOutcome, Never>, TailOutcome)
        case over
    }

    /// Opens the files and starts the threads, so that a path that cannot be written is reported before anything is sent.
    init(_ configuration: TailConfiguration, outlets: [any Outlet], readers: ReportReaders) throws(TailError) {
        var configuration = configuration
        configuration.recording.options.sessionPath = configuration.session.backend.sessionPath
        self.configuration = configuration
        self.readers = readers
        self.outlets = outlets + [configuration.metrics].compactMap(\.self) + [readers]
        showsWire = outlets.contains { $0.needsWire }
        goal = RunGoal(
            count: configuration.count, shownBy: configuration.filter, muted: configuration.muted,
            match: configuration.untilMatch)
        do {
            loop = try EventLoop(name: "weir-loop")
            try configuration.access.check()
            http = try HTTPClient(
                answeringOn: loop,
                // In addition to its requests a session may poll, which takes two connections.
                connectionsPerHost: configuration.session.concurrentRequests + 2)
            operations = TailOperations(
                metricsServer: try configuration.metricsAddress.map { [loop] place throws(NetworkError) in
                    try MetricsServer(place.address, place.port, on: loop)
                })
        } catch {
            throw .network(error)
        }
        sayings.rules = configuration.rules.map { EmitRuleJudge($0) }
        journal = Journal(now: loop.now)
        control = TailControl(rates: EventRates(from: loop.now))
        do {
            (persistence, storeNotices) = try Self.openStore(configuration, at: journal.wallStart / 1000)
        } catch {
            throw .store(error)
        }
        var told = configuration.session
        persistence?.look(into: &told)
        session = Session(
            told, seed: configuration.seed,
            keepsChecksum: outlets.contains { $0.needsChecksums } || configuration.recordsStates)
        do {
            recorder = try TailRecorder(configuration, session: told, wallStart: journal.wallStart)
        } catch {
            throw .recording(error)
        }
        configuration.patience?.keepUnread(in: configuration.recordPath.flatMap(Self.folder(of:)))
    }

    /// Returns 128 random bits as 32 hex digits.
    static func newIdentity() -> String {
        var random = SystemRandomNumberGenerator()
        return (0..<2).map { _ in Hexadecimal.text(of: random.next() as UInt64) }.joined()
    }

    /// Runs until something ends the tail, then closes everything in order. Calls `begun` on the loop once the session has
    /// started.
    nonisolated func run(begun: @escaping @Sendable () -> Void) async -> TailSummary {
        let control = openControl()
        var read = Result<Remembered?, StoreError>.success(nil)
        if let persistence = await persistence {
            read = await readStore(persistence.store, server: persistence.server, view: persistence.view)
        }
        let outcome = await begin(control, read, begun)
        var summary = await summary(outcome)
        await connection.renewing?.value
        let isFenced = if case .fencedOff = outcome { true } else { false }
        summary.unwritten = await shutDown(isFenced: isFenced).filter {
            $0 != .closedByReader && outcome != .cannotWrite($0) && !isFenced
        }
        return summary
    }

    /// The current model of the session.
    var model: SectionedCollection<Item> { session.model }

    /// Ends the tail in order, with the outcome `.interrupted(signal:)`. Any thread; ignored while the engine does not run.
    nonisolated func stop(signal: Int32) {
        loop.run { [self] in
            assumeIsolated { $0.conclude(.interrupted(signal: signal)) }
        }
    }

    private func begin(
        _ control: Result<ControlService?, NetworkError>, _ read: Result<Remembered?, StoreError>,
        _ begun: @Sendable () -> Void
    ) async -> TailOutcome {
        do {
            try openOutlets()
        } catch {
            return .cannotWrite(.system(operation: "start", path: "outlets", code: EAGAIN))
        }
        return await withCheckedContinuation { continuation in
            phase = .running(continuation)
            startLimits()
            adopt(control)
            listenToStore()
            startMetrics()
            startService()
            feed(.start, at: .zero)
            recall(read)
            takeSeat()
            begun()
        }
    }

    private func openOutlets() throws(ThreadError) {
        if configuration.controlPath != nil {
            control.attachments = AttachSink(
                head: recorder.head, options: configuration.recording.options,
                mostWaiting: configuration.mostWaitingForViewers
            ) { [self] viewer, bytes in
                loop.run { self.assumeIsolated { $0.stream(bytes, to: viewer) } }
            }
        }
        outletThread = try OutletThread(
            outlets: outlets,
            recording: configuration.isRecording || configuration.controlPath != nil ? recorder.slot : nil,
            flight: recorder.flight, attachments: control.attachments,
            wire: WireSink(outlets, hiding: configuration.recording.options)
        ) { [self] error in
            loop.run { self.assumeIsolated { $0.outletFailed(error) } }
        } onWord: { [self] word in
            loop.run { self.assumeIsolated { $0.recordingSays(word) } }
        } onChange: { [self] in
            loop.run { self.assumeIsolated { $0.reviewReading() } }
        }
    }

    private func summary(_ outcome: TailOutcome) -> TailSummary {
        var summary = TailSummary(
            outcome: outcome, events: counts.events, gaps: counts.gaps, undecodable: counts.undecodable,
            sections: session.model.sectionKeys.map { ($0, session.model.elementCount(in: $0)) },
            requests: counts.requests, context: configuration.context)
        summary.model = session.model
        summary.absent = goal.absent + (recorder.filter?.absent ?? [])
        return summary
    }

    /// Ends the threads on a helper thread, since the loop must not end them. Returns what could not be written.
    private nonisolated func shutDown(isFenced: Bool) async -> [OutletError] {
        let (thread, control, store, metrics) = await (
            outletThread, self.control.service, persistence?.store, operations.metricsServer
        )
        let seat = configuration.seat
        let exports = await operations.otlp != nil
        return await withCheckedContinuation { continuation in
            let (http, loop) = (self.http, self.loop)
            runOnThread(named: "weir-shutdown") {
                let failures = thread?.finish() ?? []
                seat?.end(isFenced: isFenced)
                if exports || metrics != nil { self.endMetrics(metrics) }
                store?.close()
                control?.close()
                http.shutDown()
                loop.shutDown()
                continuation.resume(returning: failures)
            }
        }
    }
}

// Limits and the end of a tail.
extension TailEngine {
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
        guard !backPressure.isReadingPaused else { return }
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
        readers.release()
        configuration.seat?.stop()
        configuration.manager?.tell("STOPPING=1")
        let now = endTime
        let stamp = journal.unnumbered(at: now)
        noteLastState(at: now)
        // The flight recorder exists to explain a failure like this.
        if case .gaveUp = outcome, recorder.flight != nil { pending.append(.dump(stamp)) }
        var last: [Effect] = []
        session.handle(.stop, n: stamp.n, at: now, into: &last)
        for effect in last { leave(by: effect, stamp) }
        let why: Record.EndRecord.Why =
            if case .interrupted(let signal) = outcome, signal != 0 { .signal } else { .closed }
        if makesRecords { pending.append(.endRecording(why, journal.stamp(at: now))) }
        recorder.hasEnded = true
        handOver()
        for timer in [timer?.timer, limits.duration, limits.idle, limits.renewal, operations.feeding] {
            timer?.cancel()
        }
        guard connection.socket != nil else { return leave() }
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
            record(.frame(Record.FrameRecord(connection: connection.number, direction: .out, message: message)), stamp)
            connection.socket?.send(message)
        case .close(_, let close): connection.socket?.close(close)
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
