package import WeirJSON
import WeirWire

/// A JSON message of a plain WebSocket.
package struct JSONMessage: Hashable, Sendable {
    /// The name at the profile's path; empty when the message has none.
    package var name: String
    /// The part that the profile selects as data, or else the whole message.
    package var payload: RawJSON

    /// The name of messages that carry a notification of a push service.
    static let push = "push"
}

/// The client side of a plain WebSocket with JSON messages, as a profile describes it. Pure: messages and times go in,
/// effects come out.
///
///     start ──► greeting ──hello──► asked ──────────► open ──beat, answer, beat … ──► closed
///       │ (without a hello)           ▲ │ resumed, or the first message        │
///       └─────────────────────────────┘ └─ resume refused: identify ───────────┘ silence, or a restart message
///
/// The client waits in `asked` only when it resumes an earlier session: the outcome decides whether events were missed.
struct MessageClient: Sendable {
    /// The state that outlives a connection, for resuming the session.
    struct Memory: Sendable {
        /// The sequence number of the last message, as the server wrote it.
        fileprivate(set) var sequence: String?
        /// The server's identifier of the session.
        fileprivate(set) var session: String?
    }

    /// An output of the client, to be performed in order.
    enum Effect: Sendable {
        case send(RawJSON)
        /// The connection is usable. `isRecovered` means that the previous session continues.
        case connected(isRecovered: Bool)
        case message(JSONMessage)
        case malformed(String)
        case close(CloseCause)
    }

    /// The reason why the client ends the connection.
    enum CloseCause: Hashable, Sendable {
        /// The server sent no hello in time.
        case noHello
        /// The server did not answer a heartbeat.
        case silent
        /// The server asked the client to reconnect.
        case restart
        /// A message of the client lacks a value; the text names the message.
        case unfilled(String)

        var text: String {
            switch self {
            case .noHello: "no hello in time"
            case .silent: "the server did not answer a heartbeat"
            case .restart: "the server requested a new connection"
            case .unfilled(let name): "'\(name)' of the profile lacks a value"
            }
        }
    }

    private enum State {
        case idle
        case greeting(until: Moment)
        /// A resume request was sent.
        case asked
        case open
        case closed
    }

    /// The time limit for the server's hello.
    private static let helloTimeout: Duration = .seconds(15)
    /// The limits of the heartbeat interval that a server may request.
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

    /// Starts the handshake after the socket opens.
    mutating func start(at now: Moment, into effects: inout [Effect]) {
        if realtime.hello == nil {
            identify(at: now, into: &effects)
        } else {
            state = .greeting(until: now + Self.helloTimeout)
        }
    }

    /// Records whether the socket is being read. After a pause, the server gets its full time limits again.
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
        // A heartbeat answer is not an event.
        if realtime.heartbeat?.answer?.holds(of: message) == true {
            awaitsAnswer = false
            return
        }
        var isRestart: Bool { realtime.restart?.holds(of: message) == true }
        switch state {
        case .idle, .closed: return
        case .greeting:
            guard realtime.hello?.holds(of: message) == true else { break }
            let asked = realtime.heartbeat?.interval?.inValue.value(in: message)?.plainText.flatMap { Int64($0) }
            if let asked { interval = min(max(.milliseconds(asked), Self.beats.lowerBound), Self.beats.upperBound) }
            return identify(at: now, into: &effects)
        case .asked:
            let isRefused = realtime.resume?.refused?.holds(of: message) == true
            if !isRefused, isRestart { return close(.restart, into: &effects) }
            if isRefused { memory = Memory() }
            state = .open
            if isRefused { send(realtime.identify, "identify", into: &effects) }
            effects.append(.connected(isRecovered: !isRefused))
        case .open:
            if isRestart { return close(.restart, into: &effects) }
        }
        let name = realtime.message?.name?.inValue.value(in: message)?.plainText ?? ""
        let payload = realtime.message?.data?.inValue.value(in: message) ?? message
        effects.append(.message(JSONMessage(name: name, payload: payload)))
    }

    /// Sends a message of the backend, unless the connection is not yet usable.
    mutating func send(_ message: RawJSON, into effects: inout [Effect]) {
        switch state {
        case .asked, .open: effects.append(.send(message))
        case .idle, .greeting, .closed: break
        }
    }

    /// Records that the server closed the socket. After a code that ends the session, the next connection begins a new
    /// one.
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
        // Servers accept null before the first message.
        case "sequence": memory.sequence ?? "null"
        default: nil
        }
    }

    private mutating func close(_ cause: CloseCause, into effects: inout [Effect]) {
        state = .closed
        effects.append(.close(cause))
    }
}

extension Session {
    /// Starts the message client when the WebSocket opens.
    mutating func openMessages(into effects: inout [Effect]) {
        guard let realtime = configuration.backend.module.profile?.realtime else { return }
        messages = MessageClient(realtime, token: token, memory: history.messages)
        let now = context.now
        messages?.set(reading, at: now)
        withMessages(into: &effects) { client, wire in client.start(at: now, into: &wire) }
    }

    /// Runs `body` on the message client of the open connection, if any, and performs the resulting effects.
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
                reportUndecodable(.frame, subject: "frame", why, context.frame, into: &effects)
            case .close(let cause): end(.messagesEnd(cause), into: &effects)
            }
        }
    }

    /// Returns the reason when a close code means that the token was refused, otherwise `nil`.
    func refusal(_ close: WebSocketClose) -> String? {
        guard let realtime = configuration.backend.module.profile?.realtime,
            realtime.close.refused.contains(Int(close.code))
        else { return nil }
        return close.reason.isEmpty ? "closed with code \(close.code)" : close.reason
    }
}
