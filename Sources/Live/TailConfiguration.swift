public import Network
public import Pipeline
public import Wire

/// What a tail is told once.
public struct TailConfiguration: Sendable {
    /// The server's address: scheme `http` or `https` (or `ws`, `wss`), host and port. The path is not used; the session has its own.
    public var server: URLParts
    /// What the session is told.
    public var session: Configuration
    /// Where the token comes from.
    public var token: TokenReference?
    /// Where the tokens come from of services that a profile declares at addresses of their own, by the service's name.
    public var serviceTokens: [String: TokenReference] = [:]
    /// The object that authenticates a Socket.IO connection of Engine.IO 4; nil for the backend's own.
    public var auth: ReferenceTemplate?
    /// The query of every request of the realtime connection; nil for the address's own.
    public var query: ReferenceTemplate?
    /// How the server is reached.
    public var access: AccessPlan
    /// Who reads the frames of the WebSocket.
    public var framing = WebSocketFraming.auto
    /// The recording to write; nothing may be at that path yet. `-` is standard output, which nothing else should write to.
    public var recordPath: String?
    /// How it is written.
    public var recording = RecordingPlan()
    /// The store to remember by: what is in it fills the model at once, and what is learnt is kept in it. Nil for none.
    public var storePath: String?
    /// Whether the tail cannot do without the store; otherwise one that cannot be opened is a notice.
    public var requiresStore = false
    /// The control socket to serve; its folder must be the user's own, mode 0700.
    public var controlPath: String?
    /// The folder that clients of the control socket may have recordings written to; nil for that of `recordPath`.
    public var recordFolder: String?
    /// What is said without being asked for.
    public var rules: [EmitRule] = []
    /// How long the answer to what is typed in a view is waited for; nil when none is asked for.
    public var emitPatience: Duration?
    /// Whether clients of the control socket may send events to the server.
    public var allowsEmit = false
    /// Whether rooms that clients join for good are pinned, and those that they leave for good are pinned no more.
    public var pinsFollow = false
    /// What may be changed of the view while the tail runs; nil when there is none.
    public var view: ViewControls?
    /// What is shown of what is reported; nil when nothing is. Clients of the control socket may change it.
    public var filter: ViewFilter?
    /// How long an answer of the REST service may take, from the request to its last byte.
    var requestTimeout: Duration = .seconds(30)
    /// Bytes that may wait for a viewer.
    var mostWaitingForViewers = 4 << 20
    /// How long those wait who write the output. While a recording is written, they keep what nobody reads in its folder.
    public var patience: WritePatience?
    /// Name of the context it runs in, for whoever asks, for the recording and for what is printed.
    public var context: String?
    /// Which rooms are not shown, for whoever shows events: the tail says which, as it is told.
    public var muted: MutedRooms?
    /// End after this many events of those that are shown.
    public var count: Int?
    /// End with the first report that this holds of, shown or not.
    public var untilMatch: Filter?
    /// End after this span.
    public var duration: Duration?
    /// End when no event came for this span.
    public var idleTimeout: Duration?
    /// Seed of the session's jitter.
    public var seed: UInt64
    /// The tool's name and version, for the recording's head.
    public var tool: String

    /// Where the REST service is.
    var service: URLParts { server.service(of: session.backend) }

    /// Where its tokens come from.
    var tokens: TokenSource {
        TokenSource(
            reference: token, services: serviceTokens, server: server, access: access, backend: session.backend)
    }

    /// Whether finding what a connection needs may block, or fail.
    var needsResolving: Bool {
        token != nil || !serviceTokens.isEmpty || access.needsResolving
            || [auth, query].contains { $0?.references.isEmpty == false }
    }

    /// Whether the recording holds states of the model, which needs its checksums.
    var recordsStates: Bool { isRecording && recording.tellsStates }

    /// Whether anything is recorded, be it in memory.
    var isRecording: Bool { recordPath != nil || recording.flight != nil }

    /// What clients of the control socket call it: the name of the socket's file.
    var controlName: String {
        let file = controlPath?.split(separator: "/").last ?? ""
        return String(file.hasSuffix(".sock") ? file.dropLast(5) : file)
    }

    /// A configuration with everything optional left out.
    public init(
        server: URLParts, session: Configuration, token: TokenReference? = nil, seed: UInt64, tool: String = "weir"
    ) {
        self.server = server
        self.session = session
        self.token = token
        self.access = AccessPlan()
        self.seed = seed
        self.tool = tool
    }
}

/// How a tail ended.
public enum TailOutcome: Hashable, Sendable {
    /// What was waited for came, the time asked for passed, or the recording was played to its end.
    case limitReached
    /// The time passed before what was waited for came.
    case timedOut
    /// The reader of standard output is gone.
    case outputClosed
    /// It was told to stop, by that signal (0: by the program).
    case interrupted(signal: Int32)
    /// The server refused the token, or the namespace; its words, untrusted.
    case refused(String)
    /// There never was a connection.
    case cannotConnect(ConnectFailure)
    /// The connection was lost and the allowed attempts failed.
    case gaveUp(attempts: Int, ConnectFailure)
    /// An outlet or the recording could not be written; or, in a replay, the recording could not be read on.
    case cannotWrite(OutletError)
    /// A replay is not what was recorded, or the recording not what was written; where they part.
    case mismatch(String)
    /// A replay was to begin at a place that is not in the recording.
    case noPlace(String)
    /// A replay ended before what was looked for came; what that is.
    case notFound(String)
}

/// What a tail or a replay saw.
public struct TailSummary: Sendable {
    /// How it ended.
    public var outcome: TailOutcome
    /// What could not be written besides, while it ended or before.
    public var unwritten: [OutletError] = []
    /// Events shown.
    public var events: Int
    /// Gaps shown.
    public var gaps: Int
    /// Frames, events and answers that could not be read.
    public var undecodable: Int
    /// The model's sections in order, each with the number of its elements.
    public var sections: [(section: Item.Section, count: Int)]
    /// The requests made, and their answers; of a replay those that were recorded.
    public var requests = RequestFigures()
    /// Name of the context it ran in; nil without one.
    public var context: String?
    /// What `--until-match` and `--record-filter` name and no event had: a line for people each.
    public var absent: [String] = []
    /// What a replay compared and found equal; nil when it was not to compare.
    public var verdict: String?

    /// Whether something was lost, or may have been.
    public var hasLoss: Bool { gaps > 0 || undecodable > 0 }
}
