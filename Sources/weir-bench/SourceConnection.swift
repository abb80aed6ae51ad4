import Network
import Wire

/// A consumer of the source's messages.
protocol SourceReader: Sendable {
    /// Handles the opening of the WebSocket. Returns the messages to send.
    mutating func opened(at now: Moment) -> [WebSocketMessage]
    /// Handles received messages. Returns the messages to send.
    mutating func receive(_ messages: [WebSocketMessage], at now: Moment) -> [WebSocketMessage]
    /// The events and errors seen so far.
    var progress: SourceProgress { get }
}

/// The progress of a reader of the source.
struct SourceProgress: Sendable {
    /// The number of events received.
    var events = 0
    /// Whether the source has announced the end of its events.
    var isDone = false
    /// The first error in reading the messages.
    var complaint: String?
}

/// One connection to the source, from opening it to the source's `done`. It runs on the loop's thread.
actor SourceConnection {
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private nonisolated let loop: EventLoop
    private nonisolated let outcome = Monitor<Result<ReceiveFigures, BenchmarkError>?>(nil)
    private var reader: any SourceReader
    private var socket: WebSocketClient?
    private var deadline: LoopTimer?
    private var watch: Stopwatch?
    private var countsPeak = false
    /// The number of events per second that the consumer takes; `nil` for as many as arrive.
    private let rate: Int?
    private var pause: LoopTimer?

    init(on loop: EventLoop, _ reader: any SourceReader, rate: Int? = nil) {
        self.loop = loop
        self.reader = reader
        self.rate = rate
    }

    /// Receives all events. It blocks, so do not call it on the loop.
    nonisolated func receive(
        from source: BlastSource, _ framing: WebSocketFraming
    ) throws(BenchmarkError) -> ReceiveFigures {
        loop.run { self.assumeIsolated { $0.connect(source, framing) } }
        return try outcome.wait { $0 }.get()
    }

    private func connect(_ source: BlastSource, _ framing: WebSocketFraming) {
        let url = URLParts(
            scheme: source.authority == nil ? "ws" : "wss", host: "127.0.0.1", port: source.port, path: "/socket/",
            query: "EIO=4&transport=websocket")
        var request = WebSocketRequest(url: url, access: Access(trust: source.authority.map { .file($0) } ?? .system))
        request.framing = framing
        socket = WebSocketClient(on: loop, request) { event in
            self.assumeIsolated { $0.socketDid(event) }
        }
        deadline = loop.schedule(at: loop.now + .seconds(120)) {
            self.assumeIsolated { $0.finish(.failure(.failed("the source did not send `done` within two minutes"))) }
        }
    }

    private func socketDid(_ event: WebSocketEvent) {
        switch event {
        case .opened: send(reader.opened(at: loop.now))
        case .received(let messages): received(messages)
        case .closed(let close):
            finish(.failure(.failed("the source closed the connection with code \(close.code)")))
        case .failed(let failure): finish(.failure(.failed("no connection to the source: \(failure.message)")))
        }
    }

    private func received(_ messages: [WebSocketMessage]) {
        // The measurement begins with the batch that contains the first event, and may end with the same batch.
        let before = Stopwatch()
        if watch == nil { countsPeak = PeakMemory.reset() }
        send(reader.receive(messages, at: loop.now))
        let progress = reader.progress
        if watch == nil, progress.events > 0 { watch = before }
        if let complaint = progress.complaint { return finish(.failure(.failed(complaint))) }
        waitIfAhead(progress)
        guard progress.isDone, let span = watch?.elapsed else { return }
        let peak = countsPeak ? PeakMemory.megabytes : nil
        finish(.success(ReceiveFigures(events: progress.events, span: span, peak: peak)))
    }

    /// Stops reading until the consumer is due to have taken all events received so far.
    private func waitIfAhead(_ progress: SourceProgress) {
        guard let rate, let watch, !progress.isDone else { return }
        let ahead = Double(progress.events) / Double(rate) - watch.elapsed.seconds
        guard ahead > 0.001 else { return }
        socket?.setReading(false)
        pause = loop.schedule(at: loop.now + .microseconds(Int64(ahead * 1e6))) {
            self.assumeIsolated { $0.socket?.setReading(true) }
        }
    }

    private func send(_ messages: [WebSocketMessage]) {
        for message in messages { socket?.send(message) }
    }

    private func finish(_ result: Result<ReceiveFigures, BenchmarkError>) {
        deadline?.cancel()
        deadline = nil
        pause?.cancel()
        socket?.close(WebSocketClose(code: 1000))
        socket = nil
        outcome.change { outcome in
            if outcome == nil { outcome = result }
        }
    }
}
