import Testing
import WeirEvents
import WeirJSON
import WeirModel
import WeirWire

@testable import WeirPipeline

/// A session under test: inputs and times in, effects out, no socket. Frames are written and read as text.
struct Transcript {
    var session: Session
    var now = Moment.zero
    private var n = 0
    private(set) var connection = 0

    /// The effects of the last input.
    var effects: [Effect] = []
    /// All diffs that the session has reported.
    var diffs: [DiffReport] = []
    /// The gaps of rooms that came from other members.
    var handovers: [GapReport] = []
    /// The pending requests, oldest first.
    var requests: [FetchRequest] = []

    init(_ configuration: Configuration, seed: UInt64 = 1, keepsChecksum: Bool = false) {
        session = Session(configuration, seed: seed, keepsChecksum: keepsChecksum)
        feed(.start)
    }

    /// A session of a Twake backend with the given rooms, ready to receive.
    static func ready(
        rooms: [String], company: String? = nil, workspace: String? = nil, keepsChecksum: Bool = false
    ) -> Transcript {
        var transcript = Transcript(
            Configuration(backend: .twake, revision: .v4, company: company, workspace: workspace, rooms: rooms),
            keepsChecksum: keepsChecksum)
        transcript.authenticate()
        for room in rooms { transcript.receive(#"42["realtime:join:success",{"name":"\#(room)"}]"#) }
        return transcript
    }

    mutating func feed(_ input: Input) {
        n += 1
        effects = []
        session.advance(to: now, into: &effects)
        session.handle(input, n: n, at: now, into: &effects)
        note()
    }

    /// Advances the time and runs everything that comes due.
    mutating func pass(_ span: Duration) {
        now = now + span
        effects = []
        session.advance(to: now, into: &effects)
        note()
    }

    private mutating func note() {
        for effect in effects {
            switch effect {
            case .connect(let request): connection = request.connection
            case .report(.diff(let diff)): diffs.append(diff)
            case .report(.gap(let gap)) where gap.cause == .handover: handovers.append(gap)
            case .request(let request): requests.append(request)
            case .cancel(let id): requests.removeAll { $0.id == id }
            case .send, .close, .renewToken, .remember, .report, .finish: break
            }
        }
    }

    /// Feeds a received text frame to the session.
    mutating func receive(_ text: String) { feed(.message(connection: connection, .text(text))) }

    /// Opens the socket, joins the namespace and accepts the token. A server that recovers sessions passes `session`.
    mutating func authenticate(token: String = "secret-token", session: (pid: String, offset: String)? = nil) {
        feed(.opened(connection: connection, token: Secret(token)))
        receive(#"0{"sid":"s","upgrades":[],"pingInterval":25000,"pingTimeout":20000}"#)
        if let session {
            receive(#"40{"sid":"t","pid":"\#(session.pid)"}"#)
            receive(#"42["authenticated","\#(session.offset)"]"#)
        } else {
            receive(#"40{"sid":"t"}"#)
            receive(#"42["authenticated"]"#)
        }
    }

    /// Cuts the socket without a close frame (1006).
    mutating func cut() { feed(.closed(connection: connection, WebSocketClose(code: 1006))) }

    /// Answers the oldest request whose target contains `part`; records an issue when there is none.
    mutating func answer(
        _ part: String, status: Int = 200, _ body: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        guard let index = requests.firstIndex(where: { $0.target.contains(part) }) else {
            Issue.record("nothing asks for \(part), only for \(requests.map(\.target))", sourceLocation: sourceLocation)
            return
        }
        let request = requests.remove(at: index)
        feed(.answered(request: request.id, .response(status: status, body: ArraySlice(body.utf8), retryAfter: nil)))
    }

    /// Answers with a status only.
    mutating func refuse(
        _ part: String, status: Int, retryAfter: Int? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        guard let index = requests.firstIndex(where: { $0.target.contains(part) }) else {
            Issue.record("nothing asks for \(part), only for \(requests.map(\.target))", sourceLocation: sourceLocation)
            return
        }
        let request = requests.remove(at: index)
        let body = ArraySlice(#"{"statusCode":\#(status)}"#.utf8)
        feed(.answered(request: request.id, .response(status: status, body: body, retryAfter: retryAfter)))
    }

    /// Advances the time on a live connection.
    mutating func idle(_ seconds: Int) {
        for _ in 0..<seconds {
            pass(.seconds(1))
            receive("2")
        }
    }

    /// Answers every request for a minute: with the first entry of `service` whose part is
    /// in the target, or else with 404.
    mutating func settle(_ service: [(part: String, body: String)] = []) {
        let end = now + .seconds(60)
        while now < end {
            guard requests.isEmpty else {
                let request = requests.removeFirst()
                let body = service.first { request.target.contains($0.part) }?.body
                feed(
                    .answered(
                        request: request.id,
                        .response(
                            status: body == nil ? 404 : 200, body: ArraySlice((body ?? #"{"statusCode":404}"#).utf8),
                            retryAfter: nil)))
                continue
            }
            if session.isSettled { return }
            pass(.milliseconds(50))
            if now.microseconds % 10_000_000 == 0 { receive("2") }
        }
    }

    /// The ids of a section's rows, in order.
    func ids(in section: Item.Section) -> [String] { session.model.elements(in: section).map(\.id.id.description) }

    /// Returns the reply counter of a head in the model.
    func replies(to head: String) -> Int? { session.model[.message(EntityID(head))]?.message?.replies }

    /// The targets of the pending requests, without their queries.
    var asked: [String] { requests.map { String($0.target.prefix { $0 != "?" }) } }

    /// The frames sent after the last input, as text.
    var sent: [String] {
        effects.compactMap {
            if case .send(_, let message) = $0 { String(decoding: message.bytes, as: UTF8.self) } else { nil }
        }
    }

    /// The last input's reports of room changes, as `joined /room`.
    var roomChanges: [String] {
        effects.compactMap {
            if case .report(.room(let report)) = $0 { "\(report.change) \(report.room)" } else { nil }
        }
    }

    var gaps: [GapReport] {
        effects.compactMap { if case .report(.gap(let gap)) = $0 { gap } else { nil } }
    }

    var waits: [Duration] {
        effects.compactMap { if case .report(.notice(let notice)) = $0 { notice.wait } else { nil } }
    }

    var notices: [String] {
        effects.compactMap { if case .report(.notice(let notice)) = $0 { notice.text } else { nil } }
    }

    var undecodable: [UndecodableReport] {
        effects.compactMap { if case .report(.undecodable(let report)) = $0 { report } else { nil } }
    }

    var ending: Ending? {
        for case .finish(let ending) in effects { return ending }
        return nil
    }

    /// The reasons for connections lost after the last input.
    var losses: [String] {
        effects.compactMap { if case .report(.connection(.lost(let why, _))) = $0 { why } else { nil } }
    }

    /// The delay until the next attempt, when the last input lost the connection.
    var retryIn: Duration? {
        for case .report(.connection(.lost(_, let retryIn))) in effects { return retryIn }
        return nil
    }

    /// The texts of a section's messages, in order.
    func texts(in section: Item.Section) -> [String] {
        session.model.elements(in: section).compactMap(\.message?.text)
    }
}
