import WeirNetwork
import WeirPipeline
import WeirRecording
import WeirThreads
import WeirWire

/// The connection to the server, and the requests of the session.
struct TailConnection {
    var socket: RealtimeSocket?
    /// The number of the connection that owns the socket. The tail ignores late callbacks of older connections.
    var number = 0
    var status = TailEngine.ConnectionStatus()
    var token: Secret?
    /// The auth object of the last attempt to connect, as JSON.
    var auth: Secret?
    /// The access settings resolved by the last attempt to connect.
    var access = Access()
    var serviceTokens = ServiceTokens()
    /// The latest renewal of the token; `nil` before the first one.
    var renewing: Task<Void, Never>?
    /// Whether the notice about libwebsockets parsing the frames was shown.
    var toldOfFraming = false
    var exchanges: [Int: HTTPClient.ExchangeID] = [:]
    /// The requests whose files are being read.
    var uploads: Set<Int> = []
    /// The `traceparent` of the answers that were not handled yet, by request. Only with a collector of spans.
    var traceparents: [Int: String] = [:]
    /// The answers that are decoded on another thread.
    var largeAnswers = LargeAnswers()
}

/// The pause of the socket while consumers lag.
struct BackPressure {
    /// The consumers that lag. The socket is not read while the set is not empty.
    var behind: Set<TailEngine.Consumer> = []
    /// The timer that flushes the current chunk; `nil` if nothing waits for it.
    var settling: LoopTimer?
    /// Whether records were handed over since `settling` was set.
    var hasRecordedSince = false
    /// The timer that reports a lasting pause to the session.
    var pausing: LoopTimer?
    /// The time of the last notice about a pause.
    var toldOfPause: Moment?

    var isReadingPaused: Bool { !behind.isEmpty }
}

/// The traffic and the mutes of the rooms, and the requests that wait for rooms.
struct TailRooms {
    /// The traffic of each room, counted only if the tail has a control socket.
    var traffic = RoomTraffic()
    /// The rules that hide rooms from the view.
    var mutes = RoomMutes()
    /// The rooms that are hidden now. `muteChanges` counts the changes of this set.
    var muted: Set<String> = []
    var muteChanges = 0
    var muteTimer: LoopTimer?
    /// The mute patterns in the store.
    var keptMutes: [String] = []
    /// The requests that wait for rooms to be joined or left. `looks` contains those that wait for answers about rooms.
    var settlements: [RoomSettlement] = []
    var looks: [TailEngine.RoomLook] = []
    var settlementNumber = 0
    /// Whether the state of a room changed since pending requests were last checked.
    var hasChanged = false
    /// The timer that publishes the held rooms to the group; `nil` when nothing changed.
    var showing: LoopTimer?
}

/// The recording of a tail, and the flight recorder.
struct TailRecorder {
    /// The current recording, or a slot for a later one.
    let slot: RecordingSlot
    /// The path of the current recording; `nil` if nothing is recorded.
    var path: String?
    /// The flight recorder, with the latest records in memory.
    let flight: FlightSink?
    /// The head of all recordings.
    let head: Record.Head
    /// Removes secrets from the server's messages before the session and the recorder get them; `nil` if secrets are
    /// kept.
    let scrubber: SecretScrubber?
    /// The filter of the recording; `nil` if all events are recorded whole.
    var filter: RecordFilter?
    /// Whether the end is recorded. The socket may deliver something even after that.
    var hasEnded = false
    /// The number of the last input's record.
    var lastInput = 0
    /// The notes for records other than inputs.
    var notes = RecordingNotes()

    /// Creates the recording that the configuration requests, or none.
    ///
    /// - Parameters:
    ///   - session: The settings of the session as it begins.
    ///   - wallStart: The start in microseconds since 1970, UTC.
    init(
        _ configuration: TailConfiguration, session: Configuration, wallStart: Int64
    ) throws(RecordingError) {
        let plan = configuration.recording
        let head = Record.Head(
            recording: TailEngine.newIdentity(), wallStart: wallStart, tool: configuration.tool, system: "Linux",
            context: configuration.context, title: plan.title, tags: plan.tags, redactions: plan.redactions,
            seed: configuration.seed, session: session.json)
        self.head = head
        path = configuration.recordPath
        slot = RecordingSlot(
            try path.map { (path) throws(RecordingError) in
                try RecordingSink(path: path, plan: plan, head: head.recording(plan.filter))
            })
        flight = plan.flight.map { FlightSink($0, options: plan.options, head: head) }
        filter = plan.filter.map { RecordFilter($0) }
        scrubber = plan.keepsSecrets ? nil : SecretScrubber(leaving: configuration.session.backend.sessionPath)
    }
}

/// The control socket and its clients.
struct TailControl {
    /// The service of the control socket; `nil` without one.
    var service: ControlService?
    /// The attached viewers, with the number of bytes sent to each.
    var viewers: [UInt: Int] = [:]
    /// The sink for the viewers; `nil` without a control socket.
    var attachments: AttachSink?
    /// The observer for control socket clients; `nil` without a control socket.
    var observer: ControlObserver?
    /// The filters that `filter.pop` returns to.
    var earlierFilters: [String] = []
    /// The events per second over the last minute.
    var rates: EventRates
}

/// Metrics, and the reports to the service manager.
struct TailOperations {
    /// Answers scrapes of metrics; `nil` without `--metrics`.
    let metricsServer: MetricsServer?
    /// Sends metrics and spans to a collector; `nil` without `--otlp`.
    var otlp: OTLPExport?
    /// The timer of the next export.
    var exporting: LoopTimer?
    /// The timer of the next message to the service manager's watchdog.
    var feeding: LoopTimer?
}
