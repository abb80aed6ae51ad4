import Glibc
import Live
import Network
import Pipeline
import Recording
import Wire

/// The commands `weir tail` and `weir record`.
enum TailCommand {
    static func run(_ options: TailOptions) async -> ExitCode {
        if let missing = missingSecret(options) { return Console.fail(missing) }
        let configuration: TailConfiguration
        do { configuration = try self.configuration(options) } catch { return Console.fail(error) }
        return await run(configuration, options.run, options.output, options.context) { tail in
            if options.emitsLines { emitLines(of: tail, options.emitPatience) }
        }
    }

    /// Emits each line of standard input, on a dedicated thread, once the tail is connected.
    private static func emitLines(of tail: Tail, _ patience: Duration?) {
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
            tail = try Tail(configuration, outlets: all)
        } catch {
            configuration.seat?.end(isFenced: false)
            return (Console.fail(error), nil)
        }
        Signals.onFirst(ending: outlets.patience) { tail.stop(signal: $0) }
        Signals.onEach(SIGUSR1) { tail.tellStatistics() }
        Signals.onEach(SIGUSR2) { tail.dumpFlight() }
        if run.plan.rotation != nil { Signals.onEachHangUp { tail.rotateRecording() } }
        if !output.quiet { announce(configuration, context) }
        begun(tail)
        let summary = await tail.run()
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
