import WeirEvents
import WeirModel
package import WeirPipeline
package import WeirRecording
import WeirWire

/// Turns the entries of a recording into inputs of a session, and the session's effects into reports. Pure: all times
/// come from the file. A copy is an independent state that shares unchanged storage with the original.
struct RecordPlayer {
    private(set) var session: Session
    private let wallStart: Int64
    private var effects: [Effect] = []
    /// Set if the file begins in the middle of a recording.
    private var continuation: MidRecordingReplay?
    /// Set if the session plays traffic that another program captured.
    private var captured: CapturedTraffic?
    private var last = Stamp(n: 0, time: .zero, wall: 0)
    /// The number of the last record that is not restated; 0 before the first one.
    private var lastInput = 0
    private var requests: RequestLedger
    /// The counts and latencies of the recorded requests.
    private(set) var figures = RequestFigures()
    /// The estimated offset of the server's clock.
    private var serverClock = ServerClock()
    /// The model's most recent states; `nil` without verification.
    private var states: StateHistory?
    /// The counts of successful comparisons so far. Only meaningful with verification.
    private(set) var verified = VerifiedCounts()
    /// The number of the first record after the last `sync`.
    private var chunkStart = 1

    /// The number of events reported so far.
    private(set) var events = 0
    /// Why the replay cannot go on: it differs from the recording. `nil` if it does not.
    private(set) var mismatch: String?

    /// The name of the context that was recorded; `nil` without one.
    private let context: String?
    /// The path of the current file, which complaints mention; `nil` if there is only one file.
    var file: String?

    /// The reports since the caller last emptied this array.
    var reports: [StampedReport] = []

    /// Creates a player for the session in a recording's head, with its configuration. With `verifies`, damage and
    /// different states are mismatches. A torn last line, left by a writer that was killed, is not.
    init(
        of head: Record.Head, _ configuration: Configuration, keepsChecksum: Bool = false,
        refetch: RefetchPolicy = .recorded, verifies: Bool = false
    ) {
        session = Session(configuration, seed: head.seed, keepsChecksum: keepsChecksum || verifies)
        wallStart = head.wallStart
        captured = configuration.isCaptured ? CapturedTraffic(configuration) : nil
        // A capture contains no answers to the requests that this session makes.
        requests = RequestLedger(policy: captured != nil && refetch == .recorded ? .off : refetch)
        states = verifies ? StateHistory() : nil
        context = head.context
        // A filtered recording lacks requests, and the others have different numbers than the session's.
        continuation = head.filter == nil ? nil : MidRecordingReplay()
    }

    /// Starts the session at time 0.
    mutating func start() {
        session.handle(.start, n: 0, at: .zero, into: &effects)
        gather(Stamp(n: 0, time: .zero, wall: wallStart))
    }

    /// Plays the next entry. `event` is the entry's event, if it was decoded ahead.
    mutating func play(_ entry: RecordingReader.Entry, event: EventReport? = nil) {
        switch entry {
        case .record(let record, var stamp):
            // The times in a damaged or edited file may go back, but a session's time must not.
            stamp.time = max(stamp.time, last.time)
            last = stamp
            play(record, stamp, event)
        case .damage(let line, let offset, let bytes, let message):
            damaged("line \(line) at byte \(offset) (\(bytes) bytes) cannot be read: \(message)")
        case .tornTail(let offset, let bytes, let isCutOff):
            damaged(
                "the last \(bytes) bytes, from \(offset), are not a whole record: the recording was cut off",
                isLoss: isCutOff)
        case .discontinuity(let expected, let found, let line):
            let lost = found > expected ? found - expected : nil
            damaged("line \(line) is record \(found) where \(expected) should follow", lost: lost)
        case .checksumMismatch(let line, let bytes, let recorded):
            if states != nil { differ("\(chunkText), before line \(line): the checksum differs") }
            damaged(
                "the \(bytes) bytes before line \(line) differ from the \(recorded) that were written: wrong checksum"
            )
        case .displacement(let expected, let found, let line):
            damaged(
                "the text before line \(line) was written at byte \(found), but byte \(expected) should follow: "
                    + "chunks are missing, doubled or out of order")
        }
    }

    /// Reports a recording without an end record. This is a warning and not a gap, since nothing is known to be
    /// missing.
    mutating func missEnd() {
        let place = last.n > 0 ? "record \(last.n)" : "its head"
        warn("the recording has no end after \(place): it was not closed, or is still being written")
    }

    /// Returns the input for a record. Records that a later segment restates are used only if the earlier segments were
    /// not played.
    private mutating func input(_ record: Record, _ stamp: Stamp) -> Input? {
        if stamp.isRestated {
            if lastInput > 0 { return nil }
            if continuation == nil { continuation = MidRecordingReplay() }
            return continuation?.input(record, isRestated: true)
        }
        if !record.isUnnumbered { lastInput = stamp.n }
        return continuation == nil ? Input(record) : continuation?.input(record, isRestated: false)
    }

    private mutating func play(_ record: Record, _ stamp: Stamp, _ event: EventReport?) {
        if let length = record.lengthBeforeCut {
            damaged("record \(stamp.n) was cut when it was recorded: it had \(length) bytes", isLoss: true)
        }
        guard !record.isUnnumbered else { return look(at: record, stamp) }
        verified.records += 1
        if case .http(let exchange) = record { note(exchange, stamp) }
        if case .mark(let mark) = record {
            report(.notice(Notice(Notice.Mark(label: mark.label, author: mark.author ?? ""))), stamp)
        }
        // Due timers run before the record: the tail ran them on time and recorded the results.
        session.advance(to: stamp.time, into: &effects)
        gather(Stamp(n: 0, time: stamp.time, wall: stamp.wall))
        if case .http(let exchange) = record, case .request(let method, let url, _) = exchange.phase,
            continuation == nil, let own = requests.met(exchange.id)
        {
            verified.requests += 1
            if let complaint = requests.complaint(of: own, method, url, record: stamp.n) { fail(complaint) }
        }
        guard let input = input(record, stamp) else { return }
        // A session that began in the middle has its own numbers and states.
        if continuation == nil { settleRequests(stamp) }
        if case .answered = input, requests.policy == .off { return }
        // The end record has a number in the file, but its input has none, live or replayed.
        let number = if case .end = record { 0 } else { stamp.n }
        let stamp = Stamp(n: number, time: stamp.time, wall: stamp.wall)
        if captured == nil { feed(input, stamp, event) } else { feedCaptured(input, stamp, event) }
    }

    private mutating func feedCaptured(_ input: Input, _ stamp: Stamp, _ event: EventReport?) {
        switch input {
        // The session's connection opens with the first message that the session understands.
        case .opened: break
        case .message(let connection, let message): hear(message, of: connection, stamp, event)
        default: feed(input, stamp, event)
        }
    }

    private mutating func hear(_ message: WebSocketMessage, of connection: Int, _ stamp: Stamp, _ event: EventReport?) {
        judge(message, of: connection, stamp, event)
        // The session closed the connection to use the other revision of Engine.IO, in which it understands the
        // message.
        if session.openConnection == nil, message.bytes.starts(with: "40".utf8) {
            judge(message, of: connection, stamp, event)
        }
    }

    private mutating func judge(_ message: WebSocketMessage, of connection: Int, _ stamp: Stamp, _ event: EventReport?)
    {
        switch captured?.judge(message, of: connection, for: session) {
        case .heard, nil: break
        case .opensAnew:
            feed(.closed(connection: connection, WebSocketClose(code: 1005)), stamp)
            feed(.opened(connection: connection, token: nil), stamp)
        case .opens(let before):
            feed(.opened(connection: connection, token: nil), stamp)
            for message in before { feed(.message(connection: connection, message), stamp) }
        case .passedOver(let why):
            if let why { warn("record \(stamp.n): \(why)") }
            return
        }
        feed(.message(connection: connection, message), stamp, event)
    }

    private mutating func note(_ exchange: Record.HTTPRecord, _ stamp: Stamp) {
        switch exchange.phase {
        case .request: figures.asked(exchange.id, at: stamp.time)
        case .response(let status, _, _): figures.answered(exchange.id, status: status, at: stamp.time)
        case .failure(let kind, _): figures.answered(exchange.id, failure: kind, at: stamp.time)
        }
    }

    private mutating func feed(_ input: Input, _ stamp: Stamp, _ event: EventReport? = nil) {
        let isHandled =
            if case .message(let connection, _) = input, let event {
                session.handle(event, on: connection, n: stamp.n, at: stamp.time, into: &effects)
            } else {
                false
            }
        if !isHandled { session.handle(input, n: stamp.n, at: stamp.time, into: &effects) }
        gather(stamp)
        if states != nil, continuation == nil, let checksum = session.model.checksum {
            states?.note(after: last.n, checksum)
        }
    }

    // MARK: - Comparing

    /// Handles the records without a number: checksums and states of the model.
    private mutating func look(at record: Record, _ stamp: Stamp) {
        switch record {
        case .sync:
            chunkStart = stamp.n + 1
            verified.checksums += 1
        case .state(let state):
            guard continuation == nil else { return }
            if let complaint = states?.complaint(of: state, &verified) { differ(complaint) }
            if let warning = states?.warning(of: state, record: stamp.n) { warn(warning) }
        case .head, .connection, .frame, .http, .subscription, .gap, .token, .action, .memory, .mark, .clock, .note,
            .index, .end, .unknown:
            break
        }
    }

    /// Handles unknown requests before the next input: answers them, or ends the replay.
    private mutating func settleRequests(_ stamp: Stamp) {
        for request in requests.takeUnknown() {
            switch requests.policy {
            case .recorded: fail(request.complaint)
            case .stub:
                let nothing = Answer.response(status: 404, body: ArraySlice("{}".utf8), retryAfter: nil)
                feed(.answered(request: request.id, nothing), Stamp(n: 0, time: last.time, wall: stamp.wall))
            case .off: break
            }
        }
    }

    /// Reports a different request. It is only a warning if records are missing, since the rest cannot match then.
    private mutating func fail(_ complaint: String) {
        if requests.isDamaged { warn(complaint) } else { differ(complaint) }
    }

    private mutating func differ(_ complaint: String) { mismatch = mismatch ?? inFile(complaint) }

    private mutating func warn(_ complaint: String) { report(.notice(Notice(.warning, inFile(complaint))), last) }

    private func inFile(_ complaint: String) -> String { file.map { "\($0): \(complaint)" } ?? complaint }

    private mutating func damaged(_ text: String, lost: Int? = nil, isLoss: Bool = false) {
        requests.isDamaged = true
        if states != nil, !isLoss { differ(text) }
        warn(text)
        report(.gap(GapReport(cause: .damage, from: last.time, to: last.time, lost: lost)), last)
    }

    /// A phrase for the records since the last `sync`.
    private var chunkText: String {
        last.n > chunkStart
            ? "one of the records \(chunkStart) to \(last.n) was changed" : "record \(last.n) was changed"
    }

    // MARK: - Reports

    /// Collects the reports from the effects. Other effects are ignored, since the recording contains their results.
    private mutating func gather(_ stamp: Stamp) {
        for effect in effects {
            switch effect {
            case .report(let report): self.report(report, stamp)
            case .request(let request):
                if continuation == nil { requests.asked(request) } else { continuation?.note(request) }
            case .cancel(let request): figures.cancelled(request)
            case .connect, .send, .close, .renewToken, .remember, .finish: break
            }
        }
        effects.removeAll(keepingCapacity: true)
    }

    private mutating func report(_ report: Report, _ stamp: Stamp) {
        if case .event = report { events += 1 }
        reports.append(StampedReport(stamp: stamp, report: report, clock: &serverClock, context: context))
    }

    /// The model's sections in order, each with its number of elements.
    var sections: [(section: Item.Section, count: Int)] {
        session.model.sectionKeys.map { ($0, session.model.elementCount(in: $0)) }
    }
}

/// Maps the records of a recording that a new session plays from its middle.
///
/// Restated records fill the session, and connections are renumbered. Answers are matched to requests by method and
/// target, since the session numbers its requests differently. An answer to a request that the session did not make is
/// ignored.
package struct MidRecordingReplay {
    /// The recorded number of a connection minus the session's number.
    private var offset = 0
    /// The recorded number of the restated connection. A merged recording may have several; the session uses the first.
    private var restated: Int?
    /// The session's unanswered requests, by method and target.
    private var asked: [String: [Int]] = [:]
    /// The method and target of recorded requests, by their recorded number.
    private var recorded: [Int: String] = [:]

    /// Creates a continuation without any connection or request.
    package init() {}

    /// Notes a request of the session.
    package mutating func note(_ request: FetchRequest) {
        asked["\(request.method) \(request.target)", default: []].append(request.id)
    }

    /// Returns the session's input for a record, or `nil` if the record is not an input.
    package mutating func input(_ record: Record, isRestated: Bool) -> Input? {
        switch record {
        case .connection(var change):
            if isRestated {
                guard restated == nil || restated == change.connection else { return nil }
                restated = change.connection
                // The session's first connection is the current one, or the next one if this one is closed.
                let isAtHand = change.state == .open || change.state == .connecting
                offset = isAtHand ? change.connection - 1 : change.connection
                guard change.state == .open else { return nil }
            }
            change.connection -= offset
            return Input(.connection(change))
        case .frame(var frame):
            frame.connection -= offset
            return Input(.frame(frame))
        case .subscription(let wish):
            guard isRestated, wish.act == .want else { return Input(record) }
            // A room without a recorded source was announced by the backend and wanted by the session itself.
            let source = wish.source.flatMap(RoomSource.init(rawValue:)) ?? .list
            return .want(rooms: [wish.room], source: source, lasting: wish.span)
        case .http(var exchange):
            if case .request(let method, let url, _) = exchange.phase {
                recorded[exchange.id] = "\(method) \(Self.target(of: url))"
                return nil
            }
            guard let key = recorded.removeValue(forKey: exchange.id), let id = asked[key]?.first else { return nil }
            asked[key]?.removeFirst()
            exchange.id = id
            return Input(.http(exchange))
        case .head, .gap, .token, .action, .memory, .mark, .state, .clock, .note, .sync, .index, .end, .unknown:
            return Input(record)
        }
    }

    /// Returns the path and query of a URL.
    private static func target(of url: String) -> Substring {
        var slashes = 0
        for place in url.indices where url[place] == "/" {
            slashes += 1
            if slashes == 3 { return url[place...] }
        }
        return "/"
    }
}
