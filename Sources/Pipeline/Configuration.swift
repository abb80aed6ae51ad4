public import Wire

/// The settings of a session, fixed at its start. A configuration contains no secret: it is written into recordings, so
/// that a replay creates the same session.
public struct Configuration: Hashable, Sendable {
    /// Whether the session makes a realtime connection. Without one it only sends requests: the user's actions, and the
    /// reads that these need.
    public var connects = true
    /// Whether something else captured the connections and the session plays them back. The session accepts each
    /// connection as it comes. It ends none itself, however long the connection is silent; only the capture does.
    public var isCaptured = false
    /// The backend of the session's server.
    public var backend: BackendKind
    /// The path of the Socket.IO endpoint, with a slash at both ends, or of the Bayeux endpoint.
    public var path: String
    /// The namespaces, at least one and without duplicates. An emit without a namespace goes to the first. Each begins
    /// with a slash and contains no comma, which would end it on the wire.
    public var namespaces: [String]
    /// The Engine.IO revision; `nil` to detect it, starting with 4.
    public var revision: EngineIO.Revision?
    /// The transports that the session may use.
    public var transport: EngineIO.TransportChoice
    /// The company, if the user named one.
    public var company: String?
    /// The workspace, if the user named one.
    public var workspace: String?
    /// The selection at the end of the previous session. It applies if the user named no company or workspace and is
    /// still in the selected ones.
    public var globals = Globals()
    /// The rooms to join, each a `RoomExpression`. If empty, the backend's list or room templates decide.
    public var rooms: [String]
    /// The adoption of rooms that the backend lists; `nil` for `matching` if patterns are given, and for `all`
    /// otherwise.
    public var adoption: SubscriptionRules.Adoption?
    /// The number of wanted rooms at which patterns and the backend's list add no more; `nil` for no limit. Rooms
    /// that are wished for by name are always joined.
    public var maximumRooms: Int?
    /// Whether the tails of a group divide the rooms. The session then holds no room until `Input.share` arrives.
    public var isShared = false
    /// The number of attempts in a row before the session gives up; `nil` for one attempt at the first connection and
    /// no limit after it.
    public var maximumAttempts: Int?
    /// The ends of a connection after which the session reconnects.
    public var reconnects = Reconnecting.always
    /// The delays between attempts to connect.
    public var reconnect: Backoff
    /// The longest wait that the session accepts from a server's Retry-After.
    public var longestRetryAfter = Duration.longestRetryAfter
    /// The maximum number of requests in flight, at least 1.
    public var concurrentRequests: Int
    /// The maximum number of requests that start in any second, at least 1; `nil` for no maximum.
    public var requestsPerSecond: Int?
    /// The number of head messages of each channel to show at the start, the newest ones; 0 for one page.
    public var history: Int
    /// The number of messages of each channel, the newest ones, that the session fetches after it missed some, and
    /// again at each full resync. At least 1. Messages beyond it are reported as a hole.
    public var catchUp = Configuration.usualCatchUp
    /// The kinds of rows that the session follows in addition to channels and their messages.
    public var following: Following
    /// The maximum sizes of what the session accepts from the server.
    public var limits = Limits()
    /// The time from the connect, or from the last full resync, to the next full resync of everything joined, which
    /// finds what the server lost by itself; `nil` for none.
    public var resyncInterval: Duration?

    /// Creates a configuration. The backend sets the path, unless given, and the pace of requests.
    public init(
        backend: BackendKind, path: String? = nil, namespaces: [String] = ["/"], revision: EngineIO.Revision? = nil,
        transport: EngineIO.TransportChoice = .auto,
        company: String? = nil,
        workspace: String? = nil, rooms: [String] = [], maximumAttempts: Int? = nil,
        reconnect: Backoff = Backoff(base: .milliseconds(500), cap: .seconds(10)), concurrentRequests: Int = 8,
        history: Int = 0, following: Following = [], resyncInterval: Duration? = .seconds(300)
    ) {
        self.backend = backend
        self.path = path ?? backend.usualPath
        self.namespaces = namespaces
        self.revision = revision
        self.transport = transport
        self.company = company
        self.workspace = workspace
        self.rooms = rooms
        self.maximumAttempts = maximumAttempts
        self.reconnect = reconnect
        self.concurrentRequests = concurrentRequests
        requestsPerSecond = backend.usualPace
        self.history = history
        self.following = following
        self.resyncInterval = resyncInterval
    }
}

extension Configuration {
    /// The ends of an established connection after which the session reconnects.
    public enum Reconnecting: String, Hashable, Sendable, CaseIterable {
        /// The session never reconnects after an end.
        case never
        /// The session reconnects after every end that is not final, including a disconnect by the server.
        case always
        /// The session reconnects after every end except a disconnect by the server, like the JavaScript client.
        case lost
    }
}
