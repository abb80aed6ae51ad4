public import JSONText

/// The server's end of Bayeux for all its clients, as Faye 1.4 behaves (`reference/groupme.md` 4.5): sessions, subscriptions, queues, the
/// connects that are held.
///
/// A machine: give it frames by the link they came on and the time; it answers with effects. A link is a WebSocket, or one HTTP exchange,
/// which the answer to its one frame ends. A session lives for twice the time a connect is held after the last connect; events for it go
/// out on the WebSocket that last sent a connect, or wait for the next connect. A frame is answered as one array, once all of it is: one
/// with a held connect when that ends. Nothing a client sends is handed on but its data: an `ext` holds tokens.
public struct BayeuxServer: Sendable {
    let configuration: Configuration
    /// By their numbers, which count up.
    var sessions: [Int: Session] = [:]
    /// The numbers of the sessions, in order.
    var order: [Int] = []
    var numbers: [Secret: Int] = [:]
    var nextSession = 1
    /// The WebSockets on which something came, and the sessions bound to them by a connect.
    var sockets: [Int: [Int]] = [:]
    /// Frames with a held connect, by their link.
    var held: [Int: HeldFrame] = [:]
    /// No session ends before.
    var nextExpiry: Moment?
    var random: RandomSource
    var deliveries = 0

    /// A client.
    struct Session: Sendable {
        let clientID: Secret
        var subscriptions: [Bayeux.Channel] = []
        /// Messages that wait for a connect, each JSON text.
        var queue: [[UInt8]] = []
        var queuedBytes = 0
        /// The WebSocket its events go out on.
        var socket: Int?
        /// When it ends unless a connect comes.
        var expires: Moment
    }

    /// The answer to a frame, of which a connect is still held.
    struct HeldFrame: Sendable {
        let session: Int
        /// The connect's id; a later connect's that took its place.
        var id: String?
        /// When the connect is answered.
        let until: Moment
        /// The other replies, each JSON text.
        var replies: [[UInt8]]
        /// How many of them stand before the connect's.
        let place: Int
        let isSocket: Bool
    }

    /// A server without clients. `seed` decides the ids of its sessions.
    public init(_ configuration: Configuration = Configuration(), seed: UInt64) {
        self.configuration = configuration
        random = RandomSource(seed: seed)
    }

    /// When `advance(to:into:)` wants to be called next; nil when nothing is timed.
    public var deadline: Moment? {
        let end = held.values.lazy.map(\.until).min()
        guard let nextExpiry else { return end }
        return min(end ?? nextExpiry, nextExpiry)
    }

    /// How many sessions there are.
    public var sessionCount: Int { sessions.count }

    /// Does what is due up to `now`: connects held long enough are answered, sessions without one end.
    public mutating func advance(to now: Moment, into effects: inout [Effect]) {
        for link in held.filter({ $0.value.until <= now }).keys.sorted() { release(link, into: &effects) }
        guard let nextExpiry, nextExpiry <= now else { return }
        for number in order.filter({ sessions[$0].map { $0.expires <= now } ?? false }) {
            end(number, into: &effects)
        }
        self.nextExpiry = sessions.values.lazy.map(\.expires).min()
    }

    /// A WebSocket, or the client of an exchange, is gone. Its sessions stay until they end by themselves.
    public mutating func linkClosed(_ link: Int) {
        held[link] = nil
        for number in sockets.removeValue(forKey: link) ?? [] where sessions[number]?.socket == link {
            sessions[number]?.socket = nil
        }
    }

    /// Ends the sessions of a WebSocket, which is closed, as a server does that puts a client out: it is to shake hands anew.
    public mutating func endSessions(on link: Int, into effects: inout [Effect]) {
        for number in sockets[link] ?? [] where sessions[number]?.socket == link { end(number, into: &effects) }
    }

    /// Publishes from the server itself.
    public mutating func publish(_ channel: Bayeux.Channel, _ data: RawJSON, into effects: inout [Effect]) {
        deliveries += 1
        hand(on: channel, id: String(deliveries, radix: 16), data, into: &effects)
    }

    /// Ends a session: its WebSocket is closed, and whoever comes with it again is told to shake hands. A connect that is held is
    /// answered with that advice, or as `reconnect` says.
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

    /// 31 characters of base 36, as Faye's.
    mutating func newClientID() -> Secret {
        let digits = Array("0123456789abcdefghijklmnopqrstuvwxyz")
        return Secret(String((0..<31).map { _ in digits[Int(random.next() % 36)] }))
    }
}
