import Events
import JSONText
import Pipeline
import Wire

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
    private var client: SocketIOClient?
    private var effects: [SocketIOClient.Effect] = []

    mutating func opened(at now: Moment) -> [WebSocketMessage] {
        client = SocketIOClient(SocketIOClient.Configuration(revision: .v4), openedAt: now)
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

    private mutating func handle(_ effect: SocketIOClient.Effect, _ answers: inout [WebSocketMessage]) {
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
