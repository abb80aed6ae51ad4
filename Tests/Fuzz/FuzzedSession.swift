import Events
import Glibc
import JSONText
import Live
import Pipeline
import Recording
import SectionedModel
import Wire

/// A session and everything that can happen to it, as bytes say; at the end it is told to stop.
///
/// The bytes are pieces that end with FF. The first says whose server it is (`g` GroupMe's, `s` any Socket.IO server, else Twake's) and behind
/// that, each in a line, which rooms are wanted. Of each other piece the first byte says what happens, the rest what with (`Happening`).
struct FuzzedSession {
    private(set) var session: Session
    let configuration: Configuration
    private(set) var reports: [StampedReport] = []
    /// Whatever the session was given, as it is recorded, and when.
    private(set) var records: [(record: Record, stamp: Stamp)] = []
    private(set) var now = Moment.zero
    private var n = -1
    private var connection = 0
    /// The requests that wait for an answer, the oldest first.
    private var requests: [Int] = []
    private var effects: [Effect] = []

    static let seed: UInt64 = 1
    private static let wall: Int64 = 1_700_000_000_000_000

    /// The session at the end of what the bytes say; nil where they say nothing.
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

    /// What happens, by the byte that says so.
    private enum Happening: Character {
        /// The connection that was asked for last opens.
        case opens = "o"
        /// It does not; the words.
        case fails = "x"
        /// It is gone; the reason.
        case closes = "c"
        /// A text message; its text.
        case text = "<"
        /// A binary message.
        case binary = "["
        /// A request that waits is answered: a letter for which, `a` for the oldest, then the body.
        case answers = "="
        /// One is refused: a letter for which, one for the status, then the body.
        case refuses = "#"
        /// One is lost: a letter for which, then the words.
        case loses = "-"
        /// Milliseconds pass.
        case passes = "+"
        /// Time passes until something is due.
        case isDue = ">"
        /// The token was looked up again: `1` for another one.
        case token = "t"
        /// The user wants something done; an action as JSON.
        case acts = "@"
        /// The user gives up what is not done, or asks for it again.
        case drops = "d"
        case retries = "y"
        /// What an earlier session left undone; a list as JSON.
        case restores = "u"
        /// What an earlier session remembered: a line with the user's id, and a line for each row.
        case remembers = "m"
        /// Rooms are wanted, unwanted, wanted and no others, wished of no more.
        case wants = "j"
        case unwants = "l"
        case only = "1"
        case withdraws = "w"
        case resets = "0"
        /// Somebody looks at a room: people, messages, its resources, its workspace.
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

    /// 0 for `a`, 1 for `b`.
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

    /// Writes its recording.
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

    /// What a stranger calls something never becomes more of a request than a name.
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
