import WeirLive
@testable import WeirViews
import WeirPipeline
import WeirRecording
import WeirWire

/// A session fed with a Twake server's messages, and all of its reports.
struct Conversation {
    private var session: Session
    private var effects: [Effect] = []
    private var requests: [FetchRequest] = []
    private var now = Moment.zero
    private var n = 0
    private var connection = 0
    private let respond: (String) -> String?

    /// All reports that the session has made.
    private(set) var reports: [StampedReport] = []

    /// Creates a session with these rooms. `respond` maps a request's path and query to a body, or to `nil` for a 404.
    init(rooms: [String], respond: @escaping (String) -> String?) {
        let configuration = Configuration(
            backend: .twake, revision: .v4, company: "C", workspace: "W", rooms: rooms, following: .usual)
        session = Session(configuration, seed: 1, keepsChecksum: true)
        self.respond = respond
        feed(.start)
    }

    /// Feeds one input, ten milliseconds after the previous one.
    mutating func feed(_ input: Input) {
        n += 1
        now = now + .milliseconds(10)
        session.advance(to: now, into: &effects)
        session.handle(input, n: n, at: now, into: &effects)
        let stamp = Stamp(n: n, time: now, wall: 1_767_323_045_123_456 + now.microseconds)
        for effect in effects {
            switch effect {
            case .connect(let request): connection = request.connection
            case .request(let request): requests.append(request)
            case .report(let report): reports.append(StampedReport(stamp: stamp, report: report))
            case .send, .close, .cancel, .renewToken, .remember, .finish: break
            }
        }
        effects = []
    }

    /// Opens the socket, joins the namespace, authenticates, and joins the rooms.
    mutating func begin(joining rooms: [String]) {
        feed(.opened(connection: connection, token: Secret("secret")))
        receive(#"0{"sid":"s","upgrades":[],"pingInterval":25000,"pingTimeout":20000}"#)
        receive(#"40{"sid":"t"}"#)
        receive(#"42["authenticated"]"#)
        for room in rooms { receive(#"42["realtime:join:success",{"name":"\#(room)"}]"#) }
        answerAll()
    }

    /// Feeds a received text frame to the session.
    mutating func receive(_ text: String) { feed(.message(connection: connection, .text(text))) }

    /// Loses the connection and lets the time until the next attempt pass.
    mutating func lose() {
        feed(.closed(connection: connection, WebSocketClose(code: 1006)))
        now = now + .seconds(30)
    }

    /// Answers all requests, including those that the answers cause.
    mutating func answerAll() {
        while !requests.isEmpty {
            let request = requests.removeFirst()
            let body = respond(request.target)
            feed(
                .answered(
                    request: request.id,
                    .response(
                        status: body == nil ? 404 : 200, body: ArraySlice((body ?? "{}").utf8), retryAfter: nil)))
        }
    }

    /// Fails the oldest request with a connection error and lets the time until the next attempt pass.
    mutating func fail() {
        guard !requests.isEmpty else { return }
        feed(.answered(request: requests.removeFirst().id, .failure(kind: "connect", message: "no server")))
        now = now + .seconds(30)
    }
}
