import WeirWire

/// The state of a session's connection.
enum Link: Sendable {
    /// No connection is open, and none is planned.
    case idle
    /// The session requested a connection, which is not open yet.
    case connecting(connection: Int, RealtimeProtocol)
    /// A connection is open; the namespace is not joined yet, or the protocol's session not established.
    case handshaking(Open)
    /// The namespace is joined, or the protocol's session established, and the backend has not reported that it is
    /// ready. It must do so by `until`.
    case authenticating(Open, until: Moment)
    /// Rooms can be joined, and events arrive.
    case ready(Open)
    /// The server refused the token with these words. The next attempt starts once another token is available.
    case renewingToken(refusal: String)
    /// The next attempt starts at that moment.
    case waiting(until: Moment)
    /// The session has ended for good.
    case over

    /// An open connection.
    ///
    /// Its protocol client is stored in the session (`client`, `bayeux` or `messages`). The session examines this state
    /// for every message, so it stays small.
    struct Open: Sendable {
        var connection: Int
        var spoken: RealtimeProtocol
    }

    /// How long a backend may take to accept the token.
    static let authenticationTimeout: Duration = .seconds(15)

    var isReady: Bool { if case .ready = self { true } else { false } }
    var isOver: Bool { if case .over = self { true } else { false } }

    /// The open connection, at whatever stage of its handshake; `nil` while none is open.
    var open: Open? {
        switch self {
        case .handshaking(let open), .authenticating(let open, _), .ready(let open): open
        case .idle, .connecting, .renewingToken, .waiting, .over: nil
        }
    }

    /// The deadline of the connection's state, apart from the timers of its protocol client.
    var deadline: Moment? {
        switch self {
        case .idle, .connecting, .renewingToken, .over, .handshaking, .ready: nil
        case .waiting(let until), .authenticating(_, let until): until
        }
    }
}

/// The cause of a lost connection, for display and for deciding how to continue.
enum LossCause: Hashable, Sendable {
    /// The connection could not be opened.
    case failed(ConnectFailure)
    /// The peer or the network closed the connection.
    case closed(WebSocketClose)
    /// The Socket.IO client ended the connection.
    case protocolEnd(SocketIOClientMachine.CloseCause)
    /// The Bayeux client ended the connection.
    case channelsEnd(BayeuxClient.CloseCause)
    /// The client for plain JSON messages ended the connection.
    case messagesEnd(MessageClient.CloseCause)
    /// The server refused the session's namespace, with these words.
    case namespaceRefused(String)
    /// The server removed the session from the namespace.
    case disconnectedByServer
    /// The backend neither accepted nor refused the token in time.
    case authenticationTimeout
    /// The server refused the token, with these words.
    case tokenRefused(String)

    /// Whether the connection was healthy until the peer closed it in an orderly way, so that everything sent before
    /// was received. After a protocol error the session closes the connection itself, and the server had more to send.
    var isOrderly: Bool {
        if case .closed(let close) = self { close.code != 1006 && close.retry != .atOnce } else { false }
    }

    /// Whether the session may reconnect without waiting: the connection was dead or unintelligible, or the server had
    /// forgotten the session.
    var needsNoWait: Bool {
        switch self {
        case .closed(let close): close.retry == .atOnce
        case .protocolEnd(.pingTimeout), .channelsEnd(.silent), .messagesEnd(.silent), .messagesEnd(.restart): true
        case .failed, .protocolEnd, .channelsEnd, .messagesEnd, .namespaceRefused, .disconnectedByServer,
            .authenticationTimeout, .tokenRefused:
            false
        }
    }

    /// One line for people. It may contain the peer's words.
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

    private static func text(of cause: SocketIOClientMachine.CloseCause) -> String {
        switch cause {
        case .pingTimeout: "ping timeout: the server was silent for too long"
        case .handshakeTimeout: "no Socket.IO handshake in time"
        case .notEngineIO(let malformed): "not a Socket.IO server: \(malformed.message)"
        case .revisionMismatch(let revision): "the server uses Engine.IO \(revision.rawValue)"
        case .outOfStep(let malformed): "the server is out of step: \(malformed.message)"
        case .msgpack: "the server uses the msgpack parser, which Weir does not support"
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

/// The answers of the server about a connection's namespaces. Events arrive from the first answer on; the session is
/// ready after the last.
struct NamespaceAnswers: Sendable {
    private var due: [String]
    private var joined = 0
    /// Whether no joined namespace has missed an event.
    private(set) var isRecovered = true

    init(_ names: [String]) { due = names }

    /// Records that the server joined a namespace; returns `true` for the last answer.
    mutating func join(_ name: String, isRecovered: Bool) -> Bool {
        guard let index = due.firstIndex(of: name) else { return false }
        due.remove(at: index)
        joined += 1
        self.isRecovered = self.isRecovered && isRecovered
        return due.isEmpty
    }

    /// The consequence of a refused namespace.
    enum Refused {
        /// Other namespaces are joined, or may still be.
        case othersLeft
        /// This was the last answer, and other namespaces are joined.
        case ready
        /// This was the last answer, and no namespace is joined.
        case alone
    }

    mutating func refuse(_ name: String) -> Refused {
        due.removeAll { $0 == name }
        if !due.isEmpty { return .othersLeft }
        return joined > 0 ? .ready : .alone
    }
}

/// Facts that outlive a single connection.
struct ConnectionHistory: Sendable {
    /// The number of connections requested so far.
    var connections = 0
    /// The number of attempts since the last session that held. Sessions that did not hold count, except for the first
    /// of them.
    var attempt = 0
    /// The sessions in a row that ended too soon to count as held.
    var steadiness = Steadiness()
    /// Whether a connection was ever ready.
    var wasReady = false
    /// The failure that ended the last connection.
    var failure: ConnectFailure?
    /// The time of the last message received.
    var heardAt = Moment.zero
    /// The time from which events may be missing, until a connection is ready again; `nil` if none may be.
    var lostAt: Moment?
    /// The start and the end of the last gap.
    var lastGap: (from: Moment, to: Moment)?
    /// The count of what the last gap missed, while the session refetches it.
    var missing: GapCount?
    /// The takeover of rooms from other members of the group; `nil` if none is under way.
    var takeover: Takeover?
    /// The Engine.IO revision to use next; `nil` if it is unknown.
    var revision: EngineIO.Revision?
    /// The state that the protocol client of the last connection left for its successor.
    var memory = SocketIOClientMachine.Memory()
    var channels = BayeuxClient.Memory()
    var messages = MessageClient.Memory()
    /// The server's answers about the namespaces that the open connection requested.
    var joining = NamespaceAnswers([])
    /// Whether Bayeux uses long-polling, because the server answered with something other than a WebSocket.
    var lacksWebSocket = false
    /// A description of the CONNECT payload of the open connection. Engine.IO 3 has no place for such a payload.
    var connectPayload: String?
    /// Whether the server resumed the session of the last connection, so that nothing was missed.
    var isRecovered = false
    /// The number of missed events that the server sent after it resumed the session; `nil` if the server does not
    /// identify them.
    var recoveredEvents: Int?
    /// Rooms that were joined when a connection was lost. They miss nothing if the next connection is recovered.
    var followedRooms: Set<String> = []
    /// The time of the next full resync, which needs no known loss.
    var nextResync: Moment?
    /// The number of tokens that the server refused since it last accepted one.
    var refusedTokens = 0
    /// Whether the session has reported why a server may not answer CONNECT.
    var toldOfOtherParsers = false
    /// Whether the session has reported that the REST service refuses the token.
    var toldOfRefusedRequests = false
    /// The requests for which the session has reported that the service does not answer properly.
    var toldDelays = ReportedFailures()
    /// The rows of answers that were reported to the user as unreadable.
    var toldRows: Set<String> = []
}
