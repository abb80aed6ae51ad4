public import Wire

/// What a session is told once. Holds no secret: it is written into recordings, so that a replay makes the same session.
public struct Configuration: Hashable, Sendable {
    /// Whether a realtime connection is made. Without one only requests go out: what the user wants done, and what is needed to know
    /// how.
    public var connects = true
    /// Whether the connections are none of the session's: something else captured them, and they are played. Each is taken as it comes,
    /// and none ends but by what was captured, however long it is silent.
    public var isCaptured = false
    /// The backend.
    public var backend: BackendKind
    /// The Socket.IO path, with slashes on both ends, or that of Bayeux.
    public var path: String
    /// The namespaces, one at least and each once; an emit that names none goes to the first. Each begins with a slash and holds no comma,
    /// which would end it on the wire.
    public var namespaces: [String]
    /// The Engine.IO revision; nil finds out, beginning with 4.
    public var revision: EngineIO.Revision?
    /// The transports to use.
    public var transport: EngineIO.TransportChoice
    /// The company, where the user named one.
    public var company: String?
    /// The workspace, where the user named one.
    public var workspace: String?
    /// What was selected when the session before ended. Taken where the user named no company or workspace, and is in them still.
    public var globals = Globals()
    /// Rooms to join, each a `RoomExpression`; when empty, the backend's own list or templates decide.
    public var rooms: [String]
    /// What becomes of rooms that the backend tells of; nil for `all` where no patterns are given, else `matching`.
    public var adoption: RoomWishes.Adoption?
    /// More rooms than these are not joined unless they are named one by one; nil for no limit.
    public var maximumRooms: Int?
    /// Attempts in a row before giving up: nil is one for the first connection and no limit once there was one.
    public var maximumAttempts: Int?
    /// After which ends of a connection another one is opened.
    public var reconnects = Reconnecting.always
    /// Delays between attempts to connect.
    public var reconnect: Backoff
    /// Longer than this no server has the session wait by a Retry-After.
    public var longestRetryAfter = Duration.longestRetryAfter
    /// Requests in flight at once, 1 at least.
    public var concurrentRequests: Int
    /// Requests that begin in any second, 1 at least; nil for any number.
    public var requestsPerSecond: Int?
    /// How many head messages of each channel are shown at the start, the newest ones; 0 for one page.
    public var history: Int
    /// How many messages of each channel are caught up with after some were missed, the newest ones, and seen again at each full look;
    /// 1 at least. What is missing then is reported as a hole.
    public var catchUp = Configuration.usualCatchUp
    /// What is followed beside channels and what is said in them.
    public var following: Following
    /// The largest things taken from the server.
    public var limits = Limits()
    /// How long after the last full look, or the connect, everything joined is looked at again, so that what a server lost by itself is
    /// found; nil never does.
    public var lookAgain: Duration?

    /// A configuration.
    public init(
        backend: BackendKind, path: String? = nil, namespaces: [String] = ["/"], revision: EngineIO.Revision? = nil,
        transport: EngineIO.TransportChoice = .auto,
        company: String? = nil,
        workspace: String? = nil, rooms: [String] = [], maximumAttempts: Int? = nil,
        reconnect: Backoff = Backoff(base: .milliseconds(500), cap: .seconds(10)), concurrentRequests: Int = 8,
        history: Int = 0, following: Following = [], lookAgain: Duration? = .seconds(300)
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
        self.lookAgain = lookAgain
    }
}

extension Configuration {
    /// After which ends of a connection that stood another one is opened.
    public enum Reconnecting: String, Hashable, Sendable, CaseIterable {
        /// After none.
        case never
        /// After whatever is not for good, a server's own disconnect included.
        case always
        /// After all but a server's own disconnect, as the JavaScript client does.
        case lost
    }
}
