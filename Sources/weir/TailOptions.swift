import Live
import Network
import Pipeline
import Wire

/// The options of `weir tail` and `weir record`.
struct TailOptions {
    var url: URLParts
    /// The backend of the server.
    var backend: Configuration.BackendKind
    /// The endpoint's path, for Socket.IO with a slash on both ends; `nil` for the backend's default.
    var path: String?
    var namespaces: [String]
    /// The Engine.IO revision; `nil` to detect it.
    var revision: EngineIO.Revision?
    var transport: EngineIO.TransportChoice
    var token: TokenReference?
    var serviceTokens: [String: TokenReference]
    /// The auth object of Socket.IO.
    var auth: ReferenceTemplate?
    /// The query of the realtime connection's requests.
    var query: ReferenceTemplate
    /// The settings for reaching the server.
    var access: AccessPlan
    var company: String?
    var workspace: String?
    /// The patterns, each an expression. The names of sets are not expanded.
    var rooms: [String]
    var adoption: SubscriptionRules.Adoption?
    var maximumRooms: Int?
    /// The rules that emit events.
    var rules: [EmitRule]
    /// Whether lines of standard input are emitted.
    var emitsLines: Bool
    /// How long to wait for the acknowledgement of an event typed later; `nil` to request none.
    var emitPatience: Duration?
    /// Whether the context permits events typed later, which others see.
    var mayEmit: Bool
    /// The minimum number of head messages of each channel to show at the start; 0 for one page.
    var history: Int
    /// The number of messages of each channel to catch up with after a gap.
    var catchUp: Int
    /// Whether to show the members of each channel.
    var members: Bool
    /// The parser of the WebSocket's frames.
    var framing: WebSocketFraming
    var maximumAttempts: Int?
    var longestRetryAfter = Duration.longestRetryAfter
    var reconnects = Configuration.Reconnecting.always
    /// The size limits for data from the server.
    var limits: Limits
    /// The path of the store; `nil` for none.
    var store: String?
    /// Whether the user named the store.
    var requiresStore: Bool
    var run: RunOptions
    var output: OutputOptions
    /// The context that applies; `nil` for none.
    var context: Context?

    init(_ arguments: Arguments) throws(UsageError) {
        let named: Configuration.BackendKind? = try arguments.choice(.backend)
        backend =
            try arguments.declaredBackend() ?? named ?? (arguments.command == .emit ? .socketio : .usual)
        path = try arguments.endpointPath
        if let whole = path, !backend.hasOpaquePath, !whole.hasSuffix("/") { path = whole + "/" }
        namespaces = try arguments.namespaces
        revision = try arguments.revision(.eio)
        transport = try arguments.choice(.transport) ?? .auto
        (token, serviceTokens) = try arguments.tokens()
        company = arguments[.company]
        workspace = arguments[.workspace]
        rooms = try arguments.all(.join).map { word throws(UsageError) in
            try arguments.expression(of: try arguments.patternWords([word])).description
        }
        adoption = try arguments.choice(.autoAdopt)
        maximumRooms = try arguments.count(.maxRooms)
        rules = try arguments.emitRules()
        emitsLines = arguments.emitsLines
        emitPatience = arguments.has(.emitAck) ? try arguments.patience : nil
        mayEmit = arguments.context?.isGuarded != true || arguments.has(.yes)
        history = try arguments.count(.history, in: 1...Configuration.maximumHistory) ?? 0
        // Messages to show must be fetched.
        history = max(history, try arguments.count(.tail, in: 0...Configuration.maximumHistory) ?? 0)
        catchUp = try arguments.count(.catchUp, in: 1...Configuration.maximumHistory) ?? Configuration.usualCatchUp
        members = arguments.has(.members)
        framing = try arguments.choice(.framing) ?? .auto
        maximumAttempts = try arguments.count(.maxAttempts)
        longestRetryAfter = try arguments.duration(.maxRetryAfter) ?? .longestRetryAfter
        reconnects = try arguments.choice(.reconnect) ?? .always
        limits = Limits()
        limits.message = try arguments.limit(.maxMessage) ?? limits.message
        limits.body = try arguments.limit(.maxBody) ?? limits.body
        limits.attachments = try arguments.limit(.maxBinary) ?? limits.attachments
        limits.attachmentCount =
            try arguments.count(.maxAttachments, in: Limits.attachmentCounts) ?? limits.attachmentCount
        limits.depth = try arguments.count(.maxDepth, in: Limits.depths) ?? limits.depth
        run = try RunOptions(arguments)
        output = try OutputOptions(arguments)
        (store, requiresStore) = try arguments.store()
        if backend == .socketio || arguments.command == .emit {
            // A backend without a schema has no rows to store.
            if arguments.isTyped(.store), requiresStore {
                throw arguments.error("--store cannot be used with --backend socketio, which has no model")
            }
            (store, requiresStore) = (nil, false)
        }
        if run.share != nil {
            guard backend != .socketio else {
                throw arguments.error("--share: --backend socketio has no rooms that could be divided")
            }
            // The store may contain rows of rooms that other members hold now.
            if arguments.isTyped(.store), requiresStore {
                throw arguments.error("--store is of no use with --share: the group's recordings remember")
            }
            (store, requiresStore) = (nil, false)
        }
        auth = try arguments.auth()
        if auth != nil { try TailOptions.checkAuth(arguments, backend) }
        url = try arguments.url(arguments.positionals[0])
        query = try arguments.query(of: url)
        if url.path != "/", !TailOptions.isPath(url.path, path ?? backend.usualPath) {
            guard backend == .socketio else {
                throw arguments.error(
                    "\(arguments.urlLabel): the path \(UsageError.quoted(url.path)) has no meaning for --backend"
                        + " \(backend.rawValue); set the path of the endpoint with --path")
            }
            guard !arguments.isTyped(.namespace) else {
                throw arguments.error(
                    "\(arguments.urlLabel): the path \(UsageError.quoted(url.path)) is a namespace, as in other clients, but"
                        + " --namespace names another; set the endpoint's path with --path")
            }
            guard SocketIO.isNamespace(url.path) else {
                throw arguments.error("\(arguments.urlLabel): a namespace must not contain a comma")
            }
            namespaces = [url.path]
        }
        if namespaces.count > 1, backend != .socketio {
            throw arguments.error("several --namespace require --backend socketio")
        }
        output.lines.showsNamespaces = namespaces.count > 1
        context = arguments.context
        access = try arguments.access(to: url)
    }

    /// Whether the path of a URL is the endpoint's, with or without the final slash.
    private static func isPath(_ text: String, _ path: String) -> Bool { text == path || text + "/" == path }

    private static func checkAuth(
        _ arguments: Arguments, _ backend: Configuration.BackendKind
    ) throws(UsageError) {
        guard !backend.speaksBayeux else {
            throw arguments.error("--auth applies to Socket.IO, not to --backend \(backend.rawValue)")
        }
        guard backend != .socketio || arguments[.token] == nil else {
            throw arguments.error("--token and --auth both set the auth object: put the token in --auth")
        }
    }
}

/// The options of `weir demo`.
struct DemoOptions {
    /// The demo world to play.
    var world: EmbeddedService.World
    var seed: UInt64
    var run: RunOptions
    var output: OutputOptions

    init(_ arguments: Arguments) throws(UsageError) {
        // A `--backend` from the settings may have no world and is then ignored; a typed one must have a world.
        let worlds = EmbeddedService.worlds
        let name = arguments[.backend]
        let named = worlds.first { $0.name == name }
        if named == nil, let name, arguments.isTyped(.backend) {
            let names = worlds.map(\.name)
            throw arguments.error("--backend: " + UsageError.unlisted(name, among: names))
        }
        world = named ?? worlds[0]
        seed = try arguments.seed(.seed) ?? 1
        run = try RunOptions(arguments)
        run.duration = run.duration ?? .seconds(15)
        output = try OutputOptions(arguments)
        // The loss during the server's restart is part of the demo.
        output.toleratesLoss = true
    }
}
