import Glibc
public import Network
public import Pipeline
public import Recording
public import SectionedModel
public import Store
import Wire

/// A live session: feeds what the world does to the pure `Session`, and does what the session wants, on one thread.
///
/// The actor is pinned to the network loop, so socket callbacks reach it without a hop. `run()` is to be called once:
/// the threads that `init` starts end with it.
public actor Tail {
    /// The executor: the network loop's thread.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    nonisolated let loop: EventLoop
    nonisolated let configuration: TailConfiguration
    let http: HTTPClient
    /// The recording that is written, now or later.
    let recording: RecordingSlot
    /// Where it is written; nil while there is none.
    var recordingPath: String?
    /// The last part of what would be recorded, in memory.
    let flight: FlightSink?
    let outlets: [any Outlet]
    /// Whether one of them shows what was on the wire.
    let showsWire: Bool
    var outletThread: OutletThread?
    /// What is kept in the store; nil without one.
    var keeper: Keeper?
    /// What the user is to be told about the store.
    let storeNotices: [Notice]
    /// Serves the control socket; nil without one.
    var control: ControlService?
    /// Who looks on, with the bytes each was sent.
    var viewers: [UInt: Int] = [:]
    /// What they are sent; nil without a control socket.
    var attachments: AttachSink?
    /// The head of everything that is recorded.
    let head: Record.Head
    /// Takes secrets out of what the server says, before the session and the recorder are given it; nil where they are kept.
    let scrubber: SecretScrubber?
    /// The renewal of the token, if one was begun.
    var renewing: Task<Void, Never>?
    /// What clients observe; nil without a control socket.
    var observer: ControlObserver?
    /// The filters that `filter.pop` comes back to.
    var earlierFilters: [String] = []
    /// What the connection does.
    var standing = Standing()
    /// Events by the second.
    var rates: EventRates

    var session: Session
    /// What is said by rules and for others.
    var sayings = Sayings()
    var journal: Journal
    /// How late the last event that says when it happened was, in milliseconds.
    var lag: Int64?
    /// How far the server's clock is off.
    var serverClock = ServerClock()
    var effects: [Effect] = []
    /// Items for the outlet thread, handed over once per input.
    var pending: [OutletThread.Item] = []

    var socket: RealtimeSocket?
    /// The connection the socket belongs to; late callbacks of an older one are passed over.
    var connection = 0
    /// Who is behind: while anybody is, the socket is not read.
    var behind: Set<Consumer> = []
    /// When what waits for its chunk to end is written; nil when nothing does.
    var settling: LoopTimer?
    /// Whether records were handed over since that was set.
    var hasRecordedSince = false
    var isReadingPaused: Bool { !behind.isEmpty }
    /// Tells the session of a pause that lasts.
    var pausing: LoopTimer?
    /// When the user was last told so.
    var toldOfPause: Moment?
    /// Whether it was told that libwebsockets reads the frames.
    var toldOfFraming = false
    var token: Secret?
    /// The auth object of the last attempt to connect, JSON.
    var auth: Secret?
    /// How the server is reached since the last attempt to connect.
    var access = Access()
    var serviceTokens = ServiceTokens()
    var exchanges: [Int: HTTPClient.ExchangeID] = [:]
    /// Requests whose files are being read.
    var uploads: Set<Int> = []
    /// Answers that are read on another thread.
    var largeAnswers = LargeAnswers()
    var timer: SessionTimer?
    var limits = Limits()
    /// What is waited for.
    var goal: RunGoal
    /// Which events are recorded whole; nil for all.
    var recordFilter: RecordFilter?
    var counts = Counts()
    var phase = Phase.new
    /// Whether the end was recorded. The socket may bring something even then.
    var hasEndedRecords = false
    /// Number of the input handled last.
    var lastInput = 0
    /// What the recording is to be told besides inputs.
    var notes = RecordingNotes()
    /// What came in each room, where somebody can ask.
    var traffic = RoomTraffic()
    /// Rooms that are not shown, and when the next one is again.
    var mutes = RoomMutes()
    /// The rooms that these are now, and how often they became others.
    var mutedRooms: Set<String> = []
    var muteChanges = 0
    var muteTimer: LoopTimer?
    /// Those that the store has.
    var keptMutes: [String] = []
    /// Who waits for rooms to be joined or left, and for answers about them.
    var settlements: [RoomSettlement] = []
    /// Programs that follow the states of the tail.
    var followers = Followers()
    var looks: [RoomLook] = []
    var settlementNumber = 0
    /// Whether anything became of a room since they were last looked at.
    var roomsChanged = false

    /// The timer of the session's next deadline.
    struct SessionTimer {
        var due: Moment
        var timer: LoopTimer
    }

    /// Timers of the limits.
    struct Limits {
        var duration: LoopTimer?
        var idle: LoopTimer?
        var closing: LoopTimer?
        /// When the token is renewed.
        var renewal: LoopTimer?
    }

    /// What the summary counts.
    struct Counts {
        var events = 0
        var changes = 0
        var gaps = 0
        var undecodable = 0
        var connections = 0
        var requests = RequestFigures()
    }

    /// The life of a tail.
    enum Phase {
        case new
        case running(CheckedContinuation<TailOutcome, Never>)
        /// Everything was said; the socket is being closed in order.
        case leaving(CheckedContinuation<TailOutcome, Never>, TailOutcome)
        case over
    }

    /// A tail that has not begun. Creates the recording, so that a path that cannot be written is known before anything is sent.
    public init(_ configuration: TailConfiguration, outlets: [any Outlet]) throws(TailError) {
        var configuration = configuration
        configuration.recording.options.sessionPath = configuration.session.backend.sessionPath
        self.configuration = configuration
        self.outlets = outlets
        showsWire = outlets.contains { $0.needsWire }
        goal = RunGoal(
            count: configuration.count, shownBy: configuration.filter, muted: configuration.muted,
            match: configuration.untilMatch)
        recordFilter = configuration.recording.filter.map { RecordFilter($0) }
        do {
            loop = try EventLoop(name: "weir-loop")
            try configuration.access.check()
            http = try HTTPClient(
                answeringOn: loop,
                // Beside the requests a session may poll, which takes two.
                connectionsPerHost: configuration.session.concurrentRequests + 2)
        } catch {
            throw .network(error)
        }
        sayings.rules = configuration.rules.map { EmitRuleJudge($0) }
        scrubber =
            configuration.recording.keepsSecrets
            ? nil : SecretScrubber(leaving: configuration.session.backend.sessionPath)
        journal = Journal(now: loop.now)
        rates = EventRates(from: loop.now)
        do {
            (keeper, storeNotices) = try Self.openStore(configuration, at: journal.wallStart / 1000)
        } catch {
            throw .store(error)
        }
        var told = configuration.session
        keeper?.look(into: &told)
        session = Session(
            told, seed: configuration.seed,
            keepsChecksum: outlets.contains { $0.needsChecksums } || configuration.recordsStates)
        do {
            head = Record.Head(
                recording: Self.newIdentity(), wallStart: journal.wallStart, tool: configuration.tool, system: "Linux",
                context: configuration.context,
                title: configuration.recording.title, tags: configuration.recording.tags,
                redactions: configuration.recording.redactions, seed: configuration.seed,
                session: told.json)
            recordingPath = configuration.recordPath
            recording = RecordingSlot(
                try configuration.recordPath.map { [head] path throws(RecordingError) in
                    try RecordingSink(
                        path: path, plan: configuration.recording, head: head.recording(configuration.recording.filter))
                })
            flight = configuration.recording.flight.map { [head] in
                FlightSink($0, options: configuration.recording.options, head: head)
            }
        } catch {
            throw .recording(error)
        }
        configuration.patience?.keepUnread(in: configuration.recordPath.flatMap(Self.folder(of:)))
    }

    /// 128 random bits as 32 hex digits.
    static func newIdentity() -> String {
        var random = SystemRandomNumberGenerator()
        return (0..<2).map { _ in Hexadecimal.text(of: random.next() as UInt64) }.joined()
    }

    /// Runs until something ends it, then closes everything in order.
    public nonisolated func run() async -> TailSummary {
        let control = openControl()
        var read = Result<Remembered?, StoreError>.success(nil)
        if let keeper = await keeper { read = await readStore(keeper.store, server: keeper.server, view: keeper.view) }
        let outcome = await begin(control, read)
        var summary = await summary(outcome)
        await renewing?.value
        summary.unwritten = await shutDown().filter { $0 != .closedByReader && outcome != .cannotWrite($0) }
        return summary
    }

    /// The model as it is now.
    public var model: SectionedCollection<Item> { session.model }

    /// Ends the tail in order, as `.interrupted(signal:)`. Any thread. Ignored while the tail does not run.
    public nonisolated func stop(signal: Int32 = 0) {
        loop.run { [self] in
            assumeIsolated { $0.conclude(.interrupted(signal: signal)) }
        }
    }

    private func begin(
        _ control: Result<ControlService?, NetworkError>, _ read: Result<Remembered?, StoreError>
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
            feed(.start, at: .zero)
            recall(read)
        }
    }

    private func openOutlets() throws(NetworkError) {
        if configuration.controlPath != nil {
            attachments = AttachSink(
                head: head, options: configuration.recording.options,
                mostWaiting: configuration.mostWaitingForViewers
            ) { [self] viewer, bytes in
                loop.run { self.assumeIsolated { $0.stream(bytes, to: viewer) } }
            }
        }
        outletThread = try OutletThread(
            outlets: outlets,
            recording: configuration.isRecording || configuration.controlPath != nil ? recording : nil,
            flight: flight, attachments: attachments,
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
        summary.absent = goal.absent + (recordFilter?.absent ?? [])
        return summary
    }

    /// Ends the threads; they may not be ended from the loop, so a helper does it. Gives what could not be written.
    private nonisolated func shutDown() async -> [OutletError] {
        let (thread, control, store) = await (outletThread, self.control, keeper?.store)
        return await withCheckedContinuation { continuation in
            let (http, loop) = (self.http, self.loop)
            runOnThread(named: "weir-shutdown") {
                let failures = thread?.finish() ?? []
                store?.close()
                control?.close()
                http.shutDown()
                loop.shutDown()
                continuation.resume(returning: failures)
            }
        }
    }
}

/// Why a tail cannot begin.
public enum TailError: Error, Hashable, Sendable {
    /// The network room could not be started.
    case network(NetworkError)
    /// The recording cannot be written, or read.
    case recording(RecordingError)
    /// The store that was asked for cannot be used.
    case store(StoreError)
}
