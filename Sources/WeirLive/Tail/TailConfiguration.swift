public import WeirModel
public import WeirNetwork
public import WeirPipeline
package import WeirRecording
public import WeirWire

/// The settings of a tail.
public struct TailConfiguration: Sendable {
    /// The server's address: the scheme `http` or `https` (or `ws`, `wss`), the host and the port. The path is ignored;
    /// the session has its own.
    public var server: URLParts
    /// The settings of the session.
    public var session: Configuration
    /// The source of the token.
    public var token: TokenReference?
    /// The sources of the tokens for services that a profile declares at their own addresses, by the service's name.
    public var serviceTokens: [String: TokenReference] = [:]
    /// The object that authenticates a Socket.IO connection of Engine.IO 4; `nil` for the backend's default.
    public var auth: ReferenceTemplate?
    /// The query of every request of the realtime connection; `nil` for the query of the address.
    public var query: ReferenceTemplate?
    /// The settings for reaching the server, such as proxies and certificates.
    public var access: AccessPlan
    /// The parser of the WebSocket's frames.
    public var framing = WebSocketFraming.auto
    /// The path of the recording to write, which must not exist yet. `-` is standard output; nothing else should write
    /// to it then.
    public var recordPath: String?
    /// The settings of the recording.
    public var recording = RecordingPlan()
    /// The path of the store, whose rows fill the model at once and which keeps new ones; `nil` for none.
    public var storePath: String?
    /// Whether the tail fails without the store. Otherwise a store that cannot be opened causes a notice.
    public var requiresStore = false
    /// The path of the control socket. Its folder must belong to the user and have mode 0700.
    package var controlPath: String?
    /// The seat in a group that divides the rooms, which also writes the recording; `nil` for a tail that holds all wanted rooms.
    package var seat: (any GroupSeat)?
    /// The figures of the run, which are also among the outlets; `nil` to measure nothing.
    package var metrics: MetricsCollector?
    /// The address that answers scrapes; port 0 lets the system choose.
    package var metricsAddress: (address: String, port: UInt16)?
    /// The OpenTelemetry collector that receives the figures; `nil` for none.
    public var otlp: URLParts?
    /// The service manager that is notified of the tail's state; `nil` for none.
    package var manager: ServiceManager?
    /// The folder for recordings that clients of the control socket begin; `nil` for the folder of `recordPath`.
    package var recordFolder: String?
    /// The rules that send events automatically.
    public var rules: [EmitRule] = []
    /// How long to wait for the acknowledgement of an event typed in a view; `nil` to request none.
    package var emitPatience: Duration?
    /// Whether clients of the control socket may send events to the server.
    package var allowsEmit = false
    /// Whether rooms that clients join permanently are pinned, and rooms that they leave permanently are unpinned.
    package var pinsFollow = false
    /// The changeable settings of the view; `nil` without a view.
    package var view: ViewControls?
    /// The filter of the view, which clients of the control socket may change; `nil` without a view.
    package var filter: ViewFilter?
    /// The timeout of a REST request, from its start to the last byte of the answer.
    var requestTimeout: Duration = .seconds(30)
    /// The maximum number of bytes that wait for a viewer.
    var mostWaitingForViewers = 4 << 20
    /// How long the writers of the output wait. During a recording they store unread output in its folder.
    package var patience: WritePatience?
    /// The name of the context, for clients, recordings and printed events.
    public var context: String?
    /// The rooms hidden from the view. The tail keeps the set up to date.
    package var muted: MutedRooms?
    /// The number of shown events after which the tail ends.
    public var count: Int?
    /// The filter whose first match ends the tail, whether the report is shown or not.
    public var untilMatch: Filter?
    /// The time after which the tail ends.
    public var duration: Duration?
    /// The time without events after which the tail ends.
    public var idleTimeout: Duration?
    /// The seed of the session's jitter.
    public var seed: UInt64
    /// The tool's name and version, for the recording's head.
    public var tool: String

    /// The address of the REST service.
    var service: URLParts { server.service(of: session.backend) }

    /// The source of the tokens, with their renewal.
    var tokens: TokenSource {
        TokenSource(
            reference: token, services: serviceTokens, server: server, access: access, backend: session.backend)
    }

    /// Whether resolving the references of a connection may block or fail.
    var needsResolving: Bool {
        token != nil || !serviceTokens.isEmpty || access.needsResolving
            || [auth, query].contains { $0?.references.isEmpty == false }
    }

    /// Whether the recording contains checksums of the model.
    var recordsStates: Bool { isRecording && recording.tellsStates }

    /// Whether records are written, to a file or to the flight recorder's memory.
    var isRecording: Bool { recordPath != nil || recording.flight != nil }

    /// The name for clients of the control socket, from the name of the socket's file.
    var controlName: String {
        let file = controlPath?.split(separator: "/").last ?? ""
        return String(file.hasSuffix(".sock") ? file.dropLast(5) : file)
    }

    /// Creates a configuration with the defaults for everything optional.
    public init(
        server: URLParts, session: Configuration, token: TokenReference? = nil,
        seed: UInt64 = .random(in: .min ... .max), tool: String = "weir"
    ) {
        self.server = server
        self.session = session
        self.token = token
        self.access = AccessPlan()
        self.seed = seed
        self.tool = tool
    }
}

/// The outcome of a tail or a replay.
public enum TailOutcome: Hashable, Sendable {
    /// The goal was reached, the time limit passed, or the recording was played to its end.
    case limitReached
    /// The time limit passed before the goal was reached.
    case timedOut
    /// The reader of standard output has closed it.
    case outputClosed
    /// A signal (0: the program) stopped the tail.
    case interrupted(signal: Int32)
    /// The server refused the token or the namespace. The value is the server's text, untrusted.
    case refused(String)
    /// No connection was ever established.
    case cannotConnect(ConnectFailure)
    /// The connection was lost and the allowed attempts failed.
    case gaveUp(attempts: Int, ConnectFailure)
    /// An outlet or the recording could not be written. In a replay: the recording could not be read further.
    case cannotWrite(OutletError)
    /// Other members of its group considered it dead, and hold its rooms.
    case fencedOff(String)
    /// A replay differs from the recording, or the recording from what was written. The value describes the place.
    case mismatch(String)
    /// The start position of a replay is not in the recording.
    case noPlace(String)
    /// A replay ended before it found its target. The value describes the target.
    case notFound(String)
}

/// The results of a tail or a replay.
public struct TailSummary: Sendable {
    /// How the tail or the replay ended.
    public var outcome: TailOutcome
    /// Further write failures, at the end or before.
    public var unwritten: [OutletError] = []
    /// The number of shown events.
    public var events: Int
    /// The number of shown gaps.
    public var gaps: Int
    /// The number of frames, events and answers that could not be decoded.
    public var undecodable: Int
    /// The model's sections in order, each with the number of its elements.
    public var sections: [(section: Item.Section, count: Int)]
    /// The model at the end; with several recordings the model of the first.
    public var model = SectionedCollection<Item>()
    /// The figures of the requests and their answers. A replay counts the recorded ones.
    public var requests = RequestFigures()
    /// The name of the context; `nil` without one.
    public var context: String?
    /// A line for each part of `--until-match` and `--record-filter` that no event had.
    public var absent: [String] = []
    /// The result of a successful comparison by a replay; `nil` if it compared nothing.
    public var verdict: String?

    /// Whether something was lost, or may have been.
    public var hasLoss: Bool { gaps > 0 || undecodable > 0 }
}
