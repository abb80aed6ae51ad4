import Glibc
import WeirEvents
import WeirJSON
import WeirLive
import WeirViews
import WeirModel
import WeirPipeline
import WeirRecording
import WeirWire

/// A session driven by bytes, which can cause anything that may happen to it. At the end it receives the request to stop.
///
/// The bytes are pieces that end with FF. The first piece selects the server (`g` GroupMe, `s` any Socket.IO server,
/// otherwise Twake), followed by the wanted rooms, one per line. In each other piece the first byte selects the event
/// (`Happening`) and the rest is its argument.
struct FuzzedSession {
    private(set) var session: Session
    let configuration: Configuration
    private(set) var reports: [StampedReport] = []
    /// All inputs of the session as they are recorded, with their stamps.
    private(set) var records: [(record: Record, stamp: Stamp)] = []
    private(set) var now = Moment.zero
    private var n = -1
    private var connection = 0
    /// The ids of requests without an answer, oldest first.
    private var requests: [Int] = []
    private var effects: [Effect] = []

    static let seed: UInt64 = 1
    private static let wall: Int64 = 1_700_000_000_000_000

    /// Creates a session and runs it to the end of the bytes; `nil` when they are empty.
    init?(_ input: ArraySlice<UInt8>) {
        let pieces = input.split(separator: 0xFF)
        guard let first = pieces.first, let server = first.first else { return nil }
        configuration = Configuration(
            backend: server == UInt8(ascii: "g") ? .groupme : server == UInt8(ascii: "s") ? .socketio : .twake,
            rooms: text(first.dropFirst()).split(separator: "\n").map { String($0) })
        session = Session(configuration, seed: Self.seed, keepsChecksum: true)
        feed(.start)
        for piece in pieces.dropFirst() {
            guard let happening = piece.first.flatMap({ Happening(rawValue: Character(Unicode.Scalar($0))) }) else {
                continue
            }
            happen(happening, piece.dropFirst())
        }
        feed(.stop)
    }

    /// The events, by the byte that selects them.
    private enum Happening: Character {
        /// The connection requested last opens.
        case opens = "o"
        /// The connection requested last fails; the argument is the message.
        case fails = "x"
        /// The connection is lost; the argument is the reason.
        case closes = "c"
        /// A text message arrives; the argument is its text.
        case text = "<"
        /// A binary message arrives; the argument is its bytes.
        case binary = "["
        /// A request is answered: a letter selects it (`a` is the oldest), followed by the body.
        case answers = "="
        /// A request is rejected: a letter selects it, another the status, followed by the body.
        case refuses = "#"
        /// A request is lost: a letter selects it, followed by the message.
        case loses = "-"
        /// A number of milliseconds passes.
        case passes = "+"
        /// Time passes until the session's next deadline.
        case isDue = ">"
        /// The token was resolved again; `1` means that it changed.
        case token = "t"
        /// The user requests an action, given as JSON.
        case acts = "@"
        /// The user discards the oldest pending action, or retries it.
        case drops = "d"
        case retries = "y"
        /// The outbox of an earlier session is restored from a list in JSON.
        case restores = "u"
        /// The cache of an earlier session is restored: a line with the user's id, and one line per row.
        case remembers = "m"
        /// Changes to the wanted rooms: add, remove, replace all, withdraw a request, and reset.
        case wants = "j"
        case unwants = "l"
        case only = "1"
        case withdraws = "w"
        case resets = "0"
        /// The user requests a room's people, its messages or its resources, or selects its workspace.
        case people = "p"
        case history = "h"
        case refetches = "r"
        case selects = "s"
    }

    private mutating func happen(_ happening: Happening, _ rest: ArraySlice<UInt8>) {
        switch happening {
        case .opens: feed(.opened(connection: connection, token: Secret("‹recorded›")))
        case .fails: feed(.failed(connection: connection, ConnectFailure(phase: .handshake, message: text(rest))))
        case .closes: feed(.closed(connection: connection, WebSocketClose(code: 1006, reason: text(rest))))
        case .text: feed(.message(connection: connection, .text(text(rest))))
        case .binary: feed(.message(connection: connection, .binary(rest)))
        case .answers: answer(rest) { .response(status: 200, body: $0, retryAfter: nil) }
        case .refuses:
            answer(rest) { rest in
                let statuses = [204, 304, 400, 401, 403, 404, 409, 413, 420, 429, 500, 503]
                let status = statuses[Self.letter(rest.first) % statuses.count]
                return .response(status: status, body: rest.dropFirst(), retryAfter: status == 429 ? 3 : nil)
            }
        case .loses: answer(rest) { .failure(kind: "lost", message: text($0)) }
        case .passes: pass(.milliseconds(Int64(text(rest)).map { min(max($0, 0), 1_000_000_000) } ?? 100))
        case .isDue: session.deadline.map { pass($0 - now) }
        case .token: feed(.tokenRenewed(changed: rest.first == UInt8(ascii: "1")))
        case .acts: (try? JSONValue(parsing: rest)).flatMap { Action($0) }.map { feed(.act($0)) }
        case .drops: session.pendingActions.first.map { feed(.dropAction($0.action.id)) }
        case .retries: session.pendingActions.first.map { feed(.retryAction($0.action.id)) }
        case .restores:
            guard case .array(let entries)? = try? JSONValue(parsing: rest) else { return }
            feed(.restoreOutbox(entries.compactMap { OutboxEntry($0) }))
        case .remembers:
            let lines = rest.split(separator: UInt8(ascii: "\n"), maxSplits: 1)
            feed(.remembered(Memory(user: text(lines.first ?? []), rows: Array(lines.dropFirst().first ?? []))))
        case .wants: feed(.want(rooms: [text(rest)], source: .ctl))
        case .unwants: feed(.unwant(rooms: [text(rest)]))
        case .only: feed(.only(rooms: text(rest)))
        case .withdraws: feed(.withdraw(rooms: text(rest), source: .ctl))
        case .resets: feed(.resetRooms)
        case .people: feed(.look(room: text(rest), part: .people))
        case .history: feed(.look(room: text(rest), part: .messages))
        case .refetches: feed(.refetch(text(rest)))
        case .selects: feed(.select(text(rest)))
        }
    }

    private mutating func answer(_ rest: ArraySlice<UInt8>, _ make: (ArraySlice<UInt8>) -> Answer) {
        guard !requests.isEmpty else { return }
        let request = requests.remove(at: Self.letter(rest.first) % requests.count)
        feed(.answered(request: request, make(rest.dropFirst())))
    }

    /// Returns 0 for `a`, 1 for `b`, and so on.
    private static func letter(_ byte: UInt8?) -> Int { Int((byte ?? 0) &- UInt8(ascii: "a")) }

    private mutating func pass(_ span: Duration) {
        now = now + span
        session.advance(to: now, into: &effects)
        take()
    }

    private mutating func feed(_ input: Input) {
        n += 1
        if let record = Record.of(input) { records.append((record, stamp)) }
        session.advance(to: now, into: &effects)
        session.handle(input, n: n, at: now, into: &effects)
        take()
    }

    /// Writes the recording of the session.
    func record(at path: String) throws(RecordingError) {
        let head = Record.Head(
            recording: String(repeating: "0", count: 32), wallStart: Self.wall, tool: "weir-fuzz", seed: Self.seed,
            session: configuration.json)
        var writer = try RecordingWriter(
            creating: path, head: head,
            options: RecordingWriter.Options(durability: .never, overwrites: true, redactions: []))
        for (record, stamp) in records { try writer.append(record, stamp) }
        try writer.close(why: .closed, at: Stamp(n: 0, time: now, wall: Self.wall + now.microseconds))
    }

    private var stamp: Stamp { Stamp(n: n, time: now, wall: Self.wall + now.microseconds) }

    private mutating func take() {
        for effect in effects {
            switch effect {
            case .connect(let request): connection = request.connection
            case .request(let request):
                check(request)
                requests.append(request.id)
            case .cancel(let id): requests.removeAll { $0 == id }
            case .report(let report): reports.append(StampedReport(stamp: stamp, report: report))
            case .send, .close, .renewToken, .remember, .finish: break
            }
        }
        effects.removeAll(keepingCapacity: true)
    }

    /// Checks that text chosen by a stranger never affects more of a request than a name in it.
    private func check(_ request: FetchRequest) {
        require(
            request.target.first == "/" && request.target.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x23 },
            "a request's target is none")
        let path = request.target.prefix { $0 != "?" }
        require(
            !path.split(separator: "/", omittingEmptySubsequences: false).contains { $0 == "." || $0 == ".." },
            "a request climbs in its path")
        require(
            request.body.isEmpty || (try? JSONValue(parsing: request.body[...])) != nil, "a request's body is no JSON")
    }
}

private func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
