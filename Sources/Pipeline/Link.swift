import Wire

/// The connection of a session, as a state.
enum Link: Sendable {
    /// Nothing was started.
    case idle
    /// A WebSocket was asked for.
    case connecting(connection: Int, RealtimeProtocol)
    /// A WebSocket is open; the namespace is not joined yet, or no session stands.
    case handshaking(Open)
    /// The namespace is joined, or a session stands, and the backend has not said that it is ready; until when it may take.
    case authenticating(Open, until: Moment)
    /// Rooms can be joined, events flow.
    case ready(Open)
    /// The server refused the token (its words); the next attempt begins when another one was found.
    case renewingToken(refusal: String)
    /// The next attempt begins at that moment.
    case waiting(until: Moment)
    /// The session is over.
    case over

    /// An open WebSocket. Its machine is the session's `client` or `bayeux`: a state that is looked at for every message stays small.
    struct Open: Sendable {
        var connection: Int
        var spoken: RealtimeProtocol
    }

    /// How long a backend may take to accept the token.
    static let authenticationTimeout: Duration = .seconds(15)

    var isReady: Bool { if case .ready = self { true } else { false } }
    var isOver: Bool { if case .over = self { true } else { false } }

    /// The connection that is open, whatever has been said on it.
    var open: Open? {
        switch self {
        case .handshaking(let open), .authenticating(let open, _), .ready(let open): open
        case .idle, .connecting, .renewingToken, .waiting, .over: nil
        }
    }

    /// When something of the connection is due, beside what its machine waits for.
    var deadline: Moment? {
        switch self {
        case .idle, .connecting, .renewingToken, .over, .handshaking, .ready: nil
        case .waiting(let until), .authenticating(_, let until): until
        }
    }
}

/// Why a connection was lost, for people and for deciding what comes next.
enum LossCause: Hashable, Sendable {
    /// The socket never opened.
    case failed(ConnectFailure)
    /// The peer, or the network, ended it.
    case closed(WebSocketClose)
    /// Socket.IO ended it.
    case protocolEnd(SocketIOClient.CloseCause)
    /// Bayeux ended it.
    case channelsEnd(BayeuxClient.CloseCause)
    /// The machine of plain JSON messages ended it.
    case messagesEnd(MessageClient.CloseCause)
    /// The server refused our namespace; its words.
    case namespaceRefused(String)
    /// The server took us out of the namespace.
    case disconnectedByServer
    /// The backend did not accept or refuse the token in time.
    case authenticationTimeout
    /// The server refused the token; its words.
    case tokenRefused(String)

    /// Whether nothing was wrong with the connection until the peer ended it in order: then all that was sent before was received. What we
    /// cut, since it was not to be understood, had more to say.
    var isOrderly: Bool {
        if case .closed(let close) = self { close.code != 1006 && close.retry != .atOnce } else { false }
    }

    /// Whether nothing is against calling the server again at once: the connection was dead, or not to be understood, or forgotten.
    var needsNoWait: Bool {
        switch self {
        case .closed(let close): close.retry == .atOnce
        case .protocolEnd(.pingTimeout), .channelsEnd(.silent), .messagesEnd(.silent), .messagesEnd(.restart): true
        case .failed, .protocolEnd, .channelsEnd, .messagesEnd, .namespaceRefused, .disconnectedByServer,
            .authenticationTimeout, .tokenRefused:
            false
        }
    }

    /// One line for people; may hold the peer's words.
    var text: String {
        switch self {
        case .failed(let failure): failure.message
        case .closed(let close):
            close.reason.isEmpty ? "closed with code \(close.code)" : "closed with code \(close.code): \(close.reason)"
        case .protocolEnd(let cause): Self.text(of: cause)
        case .channelsEnd(let cause): Self.text(of: cause)
        case .messagesEnd(let cause): cause.text
        case .namespaceRefused(let message): "the namespace was refused: \(message)"
        case .disconnectedByServer: "the server disconnected us"
        case .authenticationTimeout: "no answer to authenticate"
        case .tokenRefused(let message): "the token was refused: \(message)"
        }
    }

    private static func text(of cause: SocketIOClient.CloseCause) -> String {
        switch cause {
        case .pingTimeout: "ping timeout: the server was silent for too long"
        case .handshakeTimeout: "no Socket.IO handshake in time"
        case .notEngineIO(let malformed): "not a Socket.IO server: \(malformed.message)"
        case .revisionMismatch(let revision): "the server speaks Engine.IO \(revision.rawValue)"
        case .outOfStep(let malformed): "the server is out of step: \(malformed.message)"
        case .msgpack: "the server uses the msgpack parser, which Weir does not speak"
        case .requested: "closed"
        case .byServer: "the server closed the session"
        }
    }

    private static func text(of cause: BayeuxClient.CloseCause) -> String {
        switch cause {
        case .notBayeux(let malformed): "not a Bayeux server: \(malformed.message)"
        case .refused(let words): "the handshake was refused: \(words)"
        case .noAnswer: "no answer to the handshake"
        case .silent: "the server was silent for too long"
        case .forbidden(let words): "the server forbade to come again: \(words)"
        case .byServer: "the server closed the session"
        case .requested: "closed"
        }
    }
}

/// Which of a connection's namespaces have been answered. Events flow from the first answer on; the session is ready after the last.
struct NamespaceAnswers: Sendable {
    private var due: [String]
    private var joined = 0
    /// Whether nothing was missed in any that was joined.
    private(set) var isRecovered = true

    init(_ names: [String]) { due = names }

    /// A namespace was joined; true when that was the last answer.
    mutating func join(_ name: String, isRecovered: Bool) -> Bool {
        guard let index = due.firstIndex(of: name) else { return false }
        due.remove(at: index)
        joined += 1
        self.isRecovered = self.isRecovered && isRecovered
        return due.isEmpty
    }

    /// What a refusal leads to.
    enum Refused {
        /// Others are joined, or may be.
        case othersLeft
        /// That was the last answer, and others are joined.
        case ready
        /// None is joined.
        case alone
    }

    mutating func refuse(_ name: String) -> Refused {
        due.removeAll { $0 == name }
        if !due.isEmpty { return .othersLeft }
        return joined > 0 ? .ready : .alone
    }
}

/// What outlives a connection.
struct ConnectionHistory: Sendable {
    /// Connections asked for.
    var connections = 0
    /// Attempts since the last session that held; sessions that did not hold count, but for the first of them.
    var attempt = 0
    /// The sessions that did not hold.
    var steadiness = Steadiness()
    /// Whether a connection was ever ready.
    var wasReady = false
    /// How the last connection was lost.
    var failure: ConnectFailure?
    /// When something was received last.
    var heardAt = Moment.zero
    /// Since when events may be missing, while no connection is ready again.
    var lostAt: Moment?
    /// Between which moments events were missed the last time.
    var lastGap: (from: Moment, to: Moment)?
    /// What the last gap missed, while it is fetched.
    var missing: GapCount?
    /// The revision to speak next.
    var revision: EngineIO.Revision?
    /// What the machine of the last connection left for the next one's.
    var memory = SocketIOClient.Memory()
    var channels = BayeuxClient.Memory()
    var messages = MessageClient.Memory()
    /// What became of the namespaces that the open connection asked for.
    var joining = NamespaceAnswers([])
    /// Whether frames of Bayeux are polled for, since the server answered something else than a WebSocket.
    var lacksWebSocket = false
    /// What the open connection's CONNECT is to carry, in words. Engine.IO 3 has no place for it.
    var connectPayload: String?
    /// Whether the server took up the session of the last connection, so that nothing was missed.
    var isRecovered = false
    /// Missed events that a server that takes up the session again sent after all; nil where it does not say which they are.
    var recoveredEvents: Int?
    /// Rooms that were joined when a connection was lost, of which nothing is missed if the next one is recovered.
    var followedRooms: Set<String> = []
    /// When everything is looked at again, though nothing is known to be missed.
    var nextLook: Moment?
    /// Tokens the server refused since it last accepted one.
    var refusedTokens = 0
    /// Whether the user was told why a server may not answer CONNECT.
    var toldOfOtherParsers = false
    /// Whether the user was told that the REST service refuses the token.
    var toldOfRefusedRequests = false
    /// Of which requests the user was told that the service does not answer them as it should.
    var toldDelays = ToldFailures()
    /// Of which rows of answers the user was told that they cannot be read.
    var toldRows: Set<String> = []
}
