public import JSONText

/// The server end of Bayeux for all its clients: sessions, subscriptions, queues and held connects. It behaves like
/// Faye 1.4 (Bayeux BX-7 to BX-25).
///
/// This is a state machine. The driver passes it frames with their link and the time, and the machine returns effects.
/// A link is a WebSocket, or one HTTP exchange, which ends with the answer to its single frame. A session lives for
/// twice the connect timeout after its last connect. Its events go to the WebSocket that last sent a connect, or wait
/// for the next connect. A frame is answered as one array, after all its messages are handled; a frame with a held
/// connect is answered when the connect ends. The server forwards only the data of a client's message, because `ext`
/// may contain tokens.
public struct BayeuxServer: Sendable {
    let configuration: Configuration
    /// The sessions by number. Numbers count up from 1.
    var sessions: [Int: Session] = [:]
    /// The numbers of the sessions, in ascending order.
    var order: [Int] = []
    var numbers: [Secret: Int] = [:]
    var nextSession = 1
    /// The WebSockets that have sent data, with the sessions that a connect has bound to them.
    var sockets: [Int: [Int]] = [:]
    /// Frames with a held connect, by link.
    var held: [Int: HeldFrame] = [:]
    /// The earliest time at which a session may expire.
    var nextExpiry: Moment?
    var random: RandomSource
    var deliveries = 0

    /// One client's session, from its handshake to its end.
    struct Session: Sendable {
        let clientID: Secret
        var subscriptions: [Bayeux.Channel] = []
        /// Messages that wait for the next connect, each as JSON text.
        var queue: [[UInt8]] = []
        var queuedBytes = 0
        /// The WebSocket that receives the session's events.
        var socket: Int?
        /// When the session ends if no connect arrives.
        var expires: Moment
    }

    /// The answer to a frame whose connect is still held.
    struct HeldFrame: Sendable {
        let session: Int
        /// The id of the connect.
        let id: String?
        /// When the server answers the connect.
        let until: Moment
        /// The other replies, each as JSON text.
        let replies: [[UInt8]]
        /// The number of replies that precede the connect's.
        let place: Int
        let isSocket: Bool
    }

    /// Creates a server without clients. `seed` determines the ids of its sessions.
    public init(_ configuration: Configuration = Configuration(), seed: UInt64) {
        self.configuration = configuration
        random = RandomSource(seed: seed)
    }

    /// When to call `advance(to:into:)` next; `nil` if no deadline is pending.
    public var deadline: Moment? {
        let end = held.values.lazy.map(\.until).min()
        guard let nextExpiry else { return end }
        return min(end ?? nextExpiry, nextExpiry)
    }

    /// The number of open sessions.
    public var sessionCount: Int { sessions.count }

    /// Performs the steps that are due up to `now`: answers connects whose hold time is over, and ends expired sessions.
    public mutating func advance(to now: Moment, into effects: inout [Effect]) {
        for link in held.filter({ $0.value.until <= now }).keys.sorted() { release(link, into: &effects) }
        guard let nextExpiry, nextExpiry <= now else { return }
        for number in order.filter({ sessions[$0].map { $0.expires <= now } ?? false }) {
            end(number, into: &effects)
        }
        self.nextExpiry = sessions.values.lazy.map(\.expires).min()
    }

    /// Handles the loss of a WebSocket, or of the client of an HTTP exchange. Its sessions remain until they expire.
    public mutating func linkClosed(_ link: Int) {
        held[link] = nil
        for number in sockets.removeValue(forKey: link) ?? [] where sessions[number]?.socket == link {
            sessions[number]?.socket = nil
        }
    }

    /// Ends the sessions of a WebSocket and closes it, as a server does to remove a client. The client must shake hands
    /// again.
    public mutating func endSessions(on link: Int, into effects: inout [Effect]) {
        for number in sockets[link] ?? [] where sessions[number]?.socket == link { end(number, into: &effects) }
    }

    /// Publishes a message from the server itself.
    public mutating func publish(_ channel: Bayeux.Channel, _ data: RawJSON, into effects: inout [Effect]) {
        deliveries += 1
        hand(on: channel, id: String(deliveries, radix: 16), data, into: &effects)
    }

    /// Ends a session and closes its WebSocket. A client that uses the session again receives the advice to shake hands. The answer to a
    /// held connect contains the advice `reconnect`.
    mutating func end(
        _ number: Int, advising reconnect: Bayeux.Advice.Reconnect = .handshake, into effects: inout [Effect]
    ) {
        guard let session = sessions.removeValue(forKey: number) else { return }
        numbers[session.clientID] = nil
        order.removeAll { $0 == number }
        for link in links(holding: number) { release(link, ending: reconnect, into: &effects) }
        if let socket = session.socket {
            sockets[socket]?.removeAll { $0 == number }
            effects.append(.close(link: socket))
        }
        effects.append(.occasion(.ended(session: number)))
    }

    /// Returns a new id of 31 base-36 characters, like Faye's.
    mutating func newClientID() -> Secret {
        let digits = Array("0123456789abcdefghijklmnopqrstuvwxyz")
        return Secret(String((0..<31).map { _ in digits[Int(random.next() % 36)] }))
    }
}
