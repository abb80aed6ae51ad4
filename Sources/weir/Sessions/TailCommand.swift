import Glibc
import WeirLive
import WeirNetwork
import WeirPipeline
import WeirRecording
import WeirThreads
import WeirWire

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

/// The commands `weir tail` and `weir record`.
enum TailCommand {
    static func run(_ options: TailOptions) async -> ExitCode {
        if let missing = missingSecret(options) { return Console.fail(missing) }
        let configuration: TailConfiguration
        do { configuration = try self.configuration(options) } catch { return Console.fail(error) }
        return await run(configuration, options.run, options.output, options.context) { tail in
            if options.emitsLines, let engine = tail.engine { emitLines(of: engine, options.emitPatience) }
        }
    }

    /// Emits each line of standard input, on a dedicated thread, once the tail is connected.
    private static func emitLines(of tail: TailEngine, _ patience: Duration?) {
        runOnThread(named: "weir-lines") {
            var mark: Unicode.Scalar? = "\u{FEFF}"
            while var text = readLine()?.unicodeScalars[...] {
                if let first = text.first, first == mark.take() { text.removeFirst() }
                // Some editors end lines with a single carriage return.
                for line in text.split(separator: "\r") where !line.allSatisfy(\.properties.isWhitespace) {
                    let isTaken = Monitor(false)
                    do throws(EmitText.Problem) {
                        tail.emit(try Emit(line: String(line), patience: patience)) { isTaken.change { $0 = true } }
                        isTaken.wait { $0 ? () : nil }
                    } catch {
                        tail.tell(Notice(.warning, "line not sent: \(error.message)"))
                    }
                }
            }
        }
    }

    /// Returns the tail's settings from the options.
    static func configuration(_ options: TailOptions) throws(CommandError) -> TailConfiguration {
        var configuration = TailConfiguration(
            server: options.url, session: try session(options), token: options.token,
            seed: UInt64.random(in: .min ... .max), tool: Help.version)
        configuration.serviceTokens = options.serviceTokens
        configuration.framing = options.framing
        configuration.access = options.access
        (configuration.auth, configuration.query) = (options.auth, options.query)
        (configuration.rules, configuration.emitPatience) = (options.rules, options.emitPatience)
        configuration.storePath = options.store
        configuration.requiresStore = options.requiresStore
        return configuration
    }

    /// Returns the settings extended by the options of the run.
    static func configuration(
        _ base: TailConfiguration, _ run: RunOptions, _ output: OutputOptions, _ context: Context? = nil
    ) -> TailConfiguration {
        var configuration = base
        configuration.context = context?.name
        configuration.recordPath = run.recording
        configuration.recording = run.plan
        (configuration.count, configuration.untilMatch) = (output.count, output.untilMatch)
        configuration.duration = run.duration
        configuration.idleTimeout = run.idleTimeout
        if run.hasControl {
            configuration.controlPath = ControlSocket.pathForThisProcess(name: run.name, context: context?.name)
        }
        configuration.allowsEmit = run.allowsEmit
        configuration.pinsFollow = run.pinsFollow
        configuration.recordFolder = run.recordFolder
        (configuration.metricsAddress, configuration.otlp) = (run.metrics, run.collector)
        if run.hasControl || run.metrics != nil || run.collector != nil {
            configuration.metrics = MetricsCollector(traces: run.collector != nil)
        }
        configuration.manager = ServiceManager.takeFromEnvironment()
        return configuration
    }

    /// Runs a tail with its outlets, control socket and signals. Prints the summary and returns the exit code.
    static func run(
        _ base: TailConfiguration, _ run: RunOptions, _ output: OutputOptions, _ context: Context? = nil,
        begun: (Tail) -> Void = { _ in }
    ) async -> ExitCode {
        var run = run
        let start = MachineClock.monotonic
        while true {
            let (code, why) = await runOnce(base, run, output, context, begun)
            guard let why else { return code }
            Console.note("! \(why): beginning anew as another member", badge: context?.badge, isGrave: true)
            if let whole = run.duration { run.duration = max(.zero, whole - (MachineClock.monotonic - start)) }
        }
    }

    /// Runs a tail once. Also returns the reason to start another one, if the other members of its group considered it dead.
    private static func runOnce(
        _ base: TailConfiguration, _ run: RunOptions, _ output: OutputOptions, _ context: Context?,
        _ begun: (Tail) -> Void
    ) async -> (ExitCode, again: String?) {
        var configuration = configuration(base, run, output, context)
        if let path = configuration.controlPath, !LocalSocketClient.removeIfStale(path) {
            return (Console.fail(ControlSocket.taken(path)), nil)
        }
        let view = output.form == nil ? nil : ViewControls()
        configuration.view = view
        var output = output
        output.report?.facts = ReportFacts(
            server: "\(base.server)", backend: base.session.backend.rawValue, recording: run.recording)
        let outlets: Outlets
        let tail: Tail
        let engine: TailEngine
        do {
            if let (url, lease) = run.share {
                let seat = try RemoteRecordings.join(url, lease: lease)
                (configuration.seat, configuration.recordPath) = (seat, seat.recording)
                configuration.session.isShared = true
            }
            let line = TerminalBoard.Status(
                name: context?.badge ?? base.server.host, recording: configuration.recordPath)
            let muted = MutedRooms()
            configuration.muted = muted
            outlets = try Outlets(output, status: line, controls: view, muted: muted)
            if output.form != nil || output.view != .log { configuration.filter = outlets.filter }
            configuration.patience = outlets.patience
            var all = outlets.all
            if run.publishesEvents, let url = configuration.recordPath { all.append(PublishedEvents(at: url)) }
            tail = Tail(configuration, outlets: all)
            engine = try tail.open()
        } catch {
            configuration.seat?.end(isFenced: false)
            return (Console.fail(error), nil)
        }
        Signals.onFirst(ending: outlets.patience) { tail.stop(signal: $0) }
        Signals.onEach(SIGUSR1) { engine.tellStatistics() }
        Signals.onEach(SIGUSR2) { tail.dumpFlight() }
        if run.plan.rotation != nil { Signals.onEachHangUp { tail.rotateRecording() } }
        if !output.quiet { announce(configuration, context) }
        begun(tail)
        let summary: TailSummary
        do { summary = try await tail.run() } catch { return (Console.fail(error), nil) }
        if case .fencedOff(let why) = summary.outcome { return (.runtimeError, why) }
        var hint = await otherKind(configuration, summary.outcome)
        if case .refused = summary.outcome, configuration.token == nil { hint = ExitCode.noTokenHint }
        return (outlets.conclude(summary, hint: hint), nil)
    }

    /// The HTTP statuses of a server that does not know the handshake. A server that checks the token first answers 401
    /// or 403 at any path.
    private static let unknownHandshake = [200, 400, 401, 403, 404, 405, 426, 501]

    /// Returns a hint if a server answered that is of another kind than expected; otherwise `nil`.
    private static func otherKind(_ configuration: TailConfiguration, _ outcome: TailOutcome) async -> String? {
        guard case .cannotConnect(let failure) = outcome, failure.phase == .handshake,
            failure.isForeign || failure.httpStatus.map(unknownHandshake.contains) ?? false,
            let service = try? AccountService(configuration.server, configuration.access)
        else { return nil }
        let expected = configuration.session.backend
        let kinds = await service.kinds(besides: expected)
        await service.close()
        if let kind = kinds.first {
            return "a \(kind.rawValue) server answers at \(kind.usualPath): try --backend \(kind.rawValue)"
        }
        guard failure.httpStatus == 404 else { return nil }
        return "check --path, the endpoint, and --backend, the kind of server (\(expected.rawValue) was assumed)"
    }

    /// Returns the error for a missing token or other secret, if it can be found without running a command. Commands
    /// run only when their secret is needed.
    static func missingSecret(_ options: TailOptions) -> CommandError? {
        var references = options.access.references
        if let token = options.token { references.append(("token", token)) }
        references += options.serviceTokens.sorted { $0.key < $1.key }.map { ("token of \($0.key)", $0.value) }
        for template in [options.auth, options.query] {
            if let template { references += template.references.map { (template.purpose, $0) } }
        }
        for (purpose, reference) in references {
            switch reference {
            case .environment, .file:
                do {
                    _ = try reference.resolve(purpose)
                } catch {
                    return CommandError(error.message, ExitCode(of: error))
                }
            case .command, .provider: continue
            }
        }
        return nil
    }

    /// Prints the server, the recording and the name of the control socket.
    private static func announce(_ configuration: TailConfiguration, _ context: Context?) {
        let server = configuration.server
        let url = URLParts(scheme: server.scheme, host: server.host, port: server.port)
        var text = "tailing \(url) as \(configuration.session.backend.rawValue)"
        if !configuration.session.rooms.isEmpty { text += ", \(configuration.session.rooms.count) rooms" }
        if let proxy = try? configuration.access.proxy(for: server) { text += " through the proxy \(proxy.authority)" }
        if let path = configuration.recordPath { text += ", recording to \(path == "-" ? "standard output" : path)" }
        if let path = configuration.controlPath { text += "; control socket \(ControlSocket.name(of: path))" }
        Console.note(text, badge: context?.badge, isGrave: context?.isGuarded ?? false)
    }

    private static func session(_ options: TailOptions) throws(CommandError) -> Configuration {
        // Sets belong to the last tailed account, since the account of this run is not known yet.
        let rooms = try options.rooms.map { text throws(CommandError) in
            try RoomStore.expanding([text]) { () throws(CommandError) in
                guard let store = options.store else { throw CommandError("room sets require a store", .usage) }
                return RoomStore(path: store)
            }.expanded.description
        }
        var told = Configuration(
            backend: options.backend, path: options.path, namespaces: options.namespaces,
            revision: options.revision, transport: options.transport, company: options.company,
            workspace: options.workspace, rooms: rooms,
            maximumAttempts: options.maximumAttempts, history: options.history,
            following: options.members ? [.usual, .members] : .usual)
        told.adoption = options.adoption
        told.reconnects = options.reconnects
        told.catchUp = options.catchUp
        told.longestRetryAfter = options.longestRetryAfter
        told.maximumRooms = options.maximumRooms
        told.limits = options.limits
        return told
    }
}
