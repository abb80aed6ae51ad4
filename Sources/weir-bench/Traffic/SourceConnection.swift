import WeirEvents
import WeirJSON
import WeirNetwork
import WeirPipeline
import WeirThreads
import WeirWire

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

/// Counts the frames of the events. It knows just enough of the protocol to start the source.
struct FrameCounter: SourceReader {
    private(set) var progress = SourceProgress()

    mutating func opened(at now: Moment) -> [WebSocketMessage] { [] }

    mutating func receive(_ messages: [WebSocketMessage], at now: Moment) -> [WebSocketMessage] {
        var answers: [WebSocketMessage] = []
        for message in messages {
            // Every event is longer than any other message of the source.
            guard message.bytes.count < 200 else {
                progress.events += 1
                continue
            }
            if message.bytes.starts(with: "0{".utf8) { answers.append(.text("40")) }
            if message.bytes.starts(with: "40".utf8) { answers.append(.text(#"42["blast"]"#)) }
            if message.bytes.starts(with: #"42["done""#.utf8) { progress.isDone = true }
        }
        return answers
    }
}

/// Decodes every event and discards it.
struct EventDecoder: SourceReader {
    private(set) var progress = SourceProgress()
    private var client: SocketIOClientMachine?
    private var effects: [SocketIOClientMachine.Effect] = []

    mutating func opened(at now: Moment) -> [WebSocketMessage] {
        client = SocketIOClientMachine(SocketIOClientMachine.Configuration(revision: .v4), openedAt: now)
        return []
    }

    mutating func receive(_ messages: [WebSocketMessage], at now: Moment) -> [WebSocketMessage] {
        var answers: [WebSocketMessage] = []
        for message in messages {
            client?.receive(message, at: now, into: &effects)
            var index = 0
            while index < effects.count {
                handle(effects[index], &answers)
                index += 1
            }
            effects.removeAll(keepingCapacity: true)
        }
        return answers
    }

    private mutating func handle(_ effect: SocketIOClientMachine.Effect, _ answers: inout [WebSocketMessage]) {
        switch effect {
        case .send(let message): answers.append(message)
        case .connected: client?.emit("blast", arguments: nil, into: &effects)
        case .event(let event): handle(event)
        case .refused, .acknowledged, .unacknowledged, .dropped, .disconnected: break
        case .malformed(let malformed): progress.complaint = "a frame cannot be read: \(malformed.message)"
        case .close(let cause): progress.complaint = "the connection ended: \(cause)"
        }
    }

    private mutating func handle(_ event: SocketIO.Event) {
        if event.isNamed("done") { return progress.isDone = true }
        do {
            if case .resource = try Twake.Event(array: event.array.bytes) { progress.events += 1 }
        } catch {
            progress.complaint = "an event cannot be decoded: \(error)"
        }
    }
}

extension Configuration.BackendKind {
    /// Returns a backend declared by a profile. Like Twake's clients, it sends the token in an event of its own.
    static func declared(_ profile: String) throws(BenchmarkError) -> Self {
        let emit = #"realtime: {emit: [{event: authenticate, arguments: [{token: "{token}"}]}]}"#
        do throws(Profile.Invalid) {
            return .declared(try Profile(parsing: Array((profile + "\n" + emit + "\n").utf8)))
        } catch {
            throw .failed("the benchmark's profile is wrong: \(error)")
        }
    }
}

/// Runs a whole session. It joins the room of the channels, which starts the source, and keeps their list.
struct SessionRunner: SourceReader {
    private static let company = "a0000000-0000-4000-8000-000000000001"
    private static let workspace = "b0000000-0000-4000-8000-000000000002"

    private(set) var progress = SourceProgress()
    private var diffs = 0
    private var session: Session
    private var effects: [Effect] = []
    /// The number of the next input.
    private var number = 0

    init(_ backend: Configuration.BackendKind = .twake) {
        let room = "/companies/\(Self.company)/workspaces/\(Self.workspace)/channels?type=public"
        session = Session(
            Configuration(
                backend: backend, revision: .v4, company: Self.company, workspace: Self.workspace, rooms: [room],
                resyncInterval: nil),
            seed: 1)
    }

    mutating func opened(at now: Moment) -> [WebSocketMessage] {
        var answers: [WebSocketMessage] = []
        feed(.start, at: now, &answers)
        feed(.opened(connection: 1, token: Secret("made up")), at: now, &answers)
        return answers
    }

    mutating func receive(_ messages: [WebSocketMessage], at now: Moment) -> [WebSocketMessage] {
        var answers: [WebSocketMessage] = []
        for message in messages { feed(.message(connection: 1, message), at: now, &answers) }
        if progress.isDone, diffs < progress.events {
            progress.complaint = "\(diffs) diffs of \(progress.events) events"
        }
        return answers
    }

    private mutating func feed(_ input: Input, at now: Moment, _ answers: inout [WebSocketMessage]) {
        number += 1
        session.advance(to: now, into: &effects)
        session.handle(input, n: number, at: now, into: &effects)
        var index = 0
        while index < effects.count {
            handle(effects[index], at: now, &answers)
            index += 1
        }
        effects.removeAll(keepingCapacity: true)
    }

    private mutating func handle(_ effect: Effect, at now: Moment, _ answers: inout [WebSocketMessage]) {
        switch effect {
        case .send(_, let message): answers.append(message)
        case .request(let request):
            // Answers the request for the list at once, so that the channels are known when the events arrive.
            let body = ArraySlice(Self.channels.utf8)
            session.handle(
                .answered(request: request.id, .response(status: 200, body: body, retryAfter: nil)), n: number, at: now,
                into: &effects)
        case .report(let report): note(report)
        case .close, .finish: progress.complaint = "the session ended the connection"
        case .connect, .cancel, .renewToken, .remember: break
        }
    }

    private mutating func note(_ report: Report) {
        switch report {
        case .event(let report):
            switch report.wireName {
            case "realtime:resource": progress.events += 1
            case "done": progress.isDone = true
            default: break
            }
        case .diff: diffs += 1
        case .undecodable(let report): progress.complaint = "\(report.subject) cannot be read: \(report.message)"
        case .gap, .connection, .room, .action, .emit, .refetch, .typing, .notice: break
        }
    }

    /// The list of the source's channels, in the form of its service's answer.
    private static var channels: String {
        let entities = (0..<2000).map { index in
            let digits = String(index)
            let id = "c0000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
            return
                #"{"company_id":"\#(company)","workspace_id":"\#(workspace)","id":"\#(id)","name":"channel","visibility":"public","last_activity":0,"updated_at":1}"#
        }
        return #"{"resources":[\#(entities.joined(separator: ","))]}"#
    }
}
