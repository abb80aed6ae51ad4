public import JSONText
import Wire

/// A JSON message of a plain WebSocket.
public struct JSONMessage: Hashable, Sendable {
    /// What it is called, where the profile says; empty where it has no name.
    public var name: String
    /// What it carries: the part that the profile names, else all of it.
    public var payload: RawJSON

    /// The name of a notification of a push service.
    static let push = "push"
}

/// The client's end of a plain WebSocket of JSON messages, as a profile describes it. Pure: messages and times in, effects out.
///
///     start ──► greeting ──hello──► asked ──────────► open ──beat, answer, beat … ──► closed
///       │ (no hello is waited for)    ▲ │ resumed, or the first message        │
///       └─────────────────────────────┘ └─ resume refused: identify ───────────┘ silence, or a message that says so
///
/// `asked` is only waited in where an earlier session is resumed: whether that went well decides whether anything was missed.
struct MessageClient: Sendable {
    /// What outlives a connection: what resumes the session.
    struct Memory: Sendable {
        /// The number of the last message, as the server wrote it.
        fileprivate(set) var sequence: String?
        /// The server's name of the session.
        fileprivate(set) var session: String?
    }

    /// What is to be done.
    enum Effect: Sendable {
        case send(RawJSON)
        /// Events may come now; whether the session of the last connection goes on.
        case connected(isRecovered: Bool)
        case message(JSONMessage)
        case malformed(String)
        case close(CloseCause)
    }

    /// Why it ended the connection.
    enum CloseCause: Hashable, Sendable {
        /// The server did not greet in time.
        case noHello
        /// The server did not answer a heartbeat.
        case silent
        /// The server asked for another connection.
        case restart
        /// A message of ours lacks a value; which.
        case unfilled(String)

        var text: String {
            switch self {
            case .noHello: "no hello in time"
            case .silent: "the server did not answer a heartbeat"
            case .restart: "the server asked for another connection"
            case .unfilled(let name): "'\(name)' of the profile lacks a value"
            }
        }
    }

    private enum State {
        case idle
        case greeting(until: Moment)
        /// A resume was sent.
        case asked
        case open
        case closed
    }

    /// How long a server may take to greet.
    private static let helloTimeout: Duration = .seconds(15)
    /// Bounds of what a server says about heartbeats.
    private static let beats = Duration.milliseconds(100)...Duration.seconds(3600)

    private let realtime: Profile.Realtime
    private let token: Secret?
    private var state = State.idle
    private(set) var memory: Memory
    private var interval: Duration?
    private var nextBeat: Moment?
    private var awaitsAnswer = false
    private var reading = SocketReading.resumed

    init(_ realtime: Profile.Realtime, token: Secret?, memory: Memory) {
        (self.realtime, self.token, self.memory) = (realtime, token, memory)
        interval = realtime.heartbeat?.every
    }

    var deadline: Moment? {
        switch state {
        case .greeting(let until): reading == .resumed ? until : nil
        case .asked, .open: nextBeat
        case .idle, .closed: nil
        }
    }

    /// The socket is open.
    mutating func start(at now: Moment, into effects: inout [Effect]) {
        if realtime.hello == nil {
            identify(at: now, into: &effects)
        } else {
            state = .greeting(until: now + Self.helloTimeout)
        }
    }

    /// The socket is read, or not; for what was not read the server has as much longer.
    mutating func set(_ reading: SocketReading, at now: Moment) {
        if reading == .resumed, self.reading != .resumed {
            if case .greeting = state { state = .greeting(until: now + Self.helloTimeout) }
            awaitsAnswer = false
        }
        self.reading = reading
    }

    mutating func advance(to now: Moment, into effects: inout [Effect]) {
        switch state {
        case .greeting(let until) where until <= now && reading == .resumed: close(.noHello, into: &effects)
        case .asked, .open:
            guard let due = nextBeat, due <= now, let heartbeat = realtime.heartbeat else { return }
            guard !awaitsAnswer || reading != .resumed else { return close(.silent, into: &effects) }
            awaitsAnswer = heartbeat.answer != nil
            nextBeat = interval.map { now + $0 }
            send(heartbeat.send, "heartbeat", into: &effects)
        case .idle, .greeting, .closed: break
        }
    }

    mutating func receive(_ text: ArraySlice<UInt8>, at now: Moment, into effects: inout [Effect]) {
        let message: RawJSON
        do throws(JSONError) { message = try RawJSON(checking: text) } catch {
            return effects.append(.malformed(error.description))
        }
        if let sequence = realtime.message?.sequence?.inValue.value(in: message)?.plainText {
            memory.sequence = sequence
        }
        if let session = realtime.session?.inValue.value(in: message)?.plainText { memory.session = session }
        // What only keeps the connection alive is no event.
        if realtime.heartbeat?.answer?.holds(of: message) == true {
            awaitsAnswer = false
            return
        }
        switch state {
        case .idle, .closed: return
        case .greeting:
            guard realtime.hello?.holds(of: message) == true else { break }
            let asked = realtime.heartbeat?.interval?.inValue.value(in: message)?.plainText.flatMap { Int64($0) }
            if let asked { interval = min(max(.milliseconds(asked), Self.beats.lowerBound), Self.beats.upperBound) }
            return identify(at: now, into: &effects)
        case .asked:
            let isRefused = realtime.resume?.refused?.holds(of: message) == true
            if isRefused { memory = Memory() }
            state = .open
            if isRefused { send(realtime.identify, "identify", into: &effects) }
            effects.append(.connected(isRecovered: !isRefused))
        case .open:
            if realtime.restart?.holds(of: message) == true { return close(.restart, into: &effects) }
        }
        let name = realtime.message?.name?.inValue.value(in: message)?.plainText ?? ""
        let payload = realtime.message?.data?.inValue.value(in: message) ?? message
        effects.append(.message(JSONMessage(name: name, payload: payload)))
    }

    /// Sends a message of the backend's.
    mutating func send(_ message: RawJSON, into effects: inout [Effect]) {
        switch state {
        case .asked, .open: effects.append(.send(message))
        case .idle, .greeting, .closed: break
        }
    }

    /// The server closed the socket with this code: with one that ends the session, the next connection begins another.
    mutating func closed(code: Int) {
        state = .closed
        if realtime.close.anew.contains(code) || realtime.close.refused.contains(code) { memory = Memory() }
    }

    private mutating func identify(at now: Moment, into effects: inout [Effect]) {
        nextBeat = interval.map { now + $0 }
        if let resume = realtime.resume, memory.session != nil, let message = resume.send.filled(value) {
            state = .asked
            return effects.append(.send(message))
        }
        state = .open
        if let identify = realtime.identify { send(identify, "identify", into: &effects) }
        guard case .open = state else { return }
        effects.append(.connected(isRecovered: false))
    }

    private mutating func send(_ template: JSONTemplate?, _ name: String, into effects: inout [Effect]) {
        guard let template else { return }
        guard let message = template.filled(value) else { return close(.unfilled(name), into: &effects) }
        effects.append(.send(message))
    }

    private func value(of place: String) -> String? {
        switch place {
        case "token": token?.reveal()
        case "session": memory.session
        // Servers take null before the first message.
        case "sequence": memory.sequence ?? "null"
        default: nil
        }
    }

    private mutating func close(_ cause: CloseCause, into effects: inout [Effect]) {
        state = .closed
        effects.append(.close(cause))
    }
}

// A connection that speaks plain JSON messages.
extension Session {
    /// The WebSocket is open.
    mutating func openMessages(into effects: inout [Effect]) {
        guard let realtime = configuration.backend.module.profile?.realtime else { return }
        messages = MessageClient(realtime, token: token, memory: history.messages)
        let now = transaction.now
        messages?.set(reading, at: now)
        withMessages(into: &effects) { client, wire in client.start(at: now, into: &wire) }
    }

    /// Runs the machine of the open connection, if there is one, and carries out what it wants.
    mutating func withMessages(
        into effects: inout [Effect], _ body: (inout MessageClient, inout [MessageClient.Effect]) -> Void
    ) {
        guard let connection = link.open?.connection, messages != nil else { return }
        var wire: [MessageClient.Effect] = []
        body(&messages!, &wire)
        for effect in wire {
            switch effect {
            case .send(let message): effects.append(.send(connection: connection, .text(message.bytes)))
            case .connected(let isRecovered):
                began(isRecovered: isRecovered)
                carryOutPlans(into: &effects)
            case .message(let message): handle(.json(message), into: &effects)
            case .malformed(let why):
                reportUndecodable(.frame, subject: "frame", why, transaction.frame, into: &effects)
            case .close(let cause): end(.messagesEnd(cause), into: &effects)
            }
        }
    }

    /// Why a close of the server's means that the token is refused; nil when it does not.
    func refusal(_ close: WebSocketClose) -> String? {
        guard let realtime = configuration.backend.module.profile?.realtime,
            realtime.close.refused.contains(Int(close.code))
        else { return nil }
        return close.reason.isEmpty ? "closed with code \(close.code)" : close.reason
    }
}
