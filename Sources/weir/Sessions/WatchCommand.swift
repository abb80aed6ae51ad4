import Glibc
import WeirLive
import WeirNetwork
import WeirPipeline
import WeirRecording
import WeirTerminal
import WeirThreads
import WeirWire

/// The subjects that `watch` can show, with their options.
enum WatchOptions {
    /// A server at a URL, with the options of a tail.
    case server(TailOptions)
    /// A running tail, by its name.
    case running(String, OutputOptions)
    /// A recording, with the options of a replay.
    case recording(ReplayOptions)

    init(_ arguments: Arguments) throws(UsageError) {
        if let name = arguments[.on], !arguments.has(.emit), !arguments.has(.ack) {
            guard ControlSocket.isName(name) else {
                throw arguments.error(
                    "--on: no tail is named \(UsageError.quoted(name)); 'weir ps' lists them")
            }
            guard arguments.positionals.isEmpty else {
                throw arguments.error("--on and \(UsageError.quoted(arguments.positionals[0])) exclude each other")
            }
            try Self.refuseAllBut(.running, arguments)
            self = .running(name, try OutputOptions(arguments))
            return
        }
        guard let subject = arguments.positionals.first else {
            throw arguments.error(
                "nothing to watch: give a URL, a recording FILE, or --on NAME for a running tail")
        }
        if Self.isAddress(subject) {
            try Self.refuseAllBut(.server, arguments)
            self = .server(try TailOptions(arguments))
        } else {
            try Self.refuseAllBut(.recording, arguments)
            let options = try ReplayOptions(arguments)
            if subject == "-" {
                throw arguments.error("standard input provides keys and cannot provide the recording; give a FILE")
            }
            self = .recording(options)
        }
    }

    /// Whether a text is a URL rather than the name of a file.
    private static func isAddress(_ text: String) -> Bool {
        text.contains("://") && !RemoteRecordings.isOne(text) && access(text, F_OK) != 0
    }

    /// Refuses typed options that belong to other subjects.
    private static func refuseAllBut(
        _ allowed: Option.Scope.Watched, _ arguments: Arguments
    ) throws(UsageError) {
        for option in Option.allCases where arguments.isTyped(option) {
            let watched = option.row.scope.watched
            if watched.isEmpty || watched.contains(allowed) { continue }
            let meant =
                watched.contains(.server) ? "a server" : watched.contains(.recording) ? "a recording" : "a running tail"
            throw arguments.error("\(option.flag) applies only to watching \(meant)")
        }
    }
}

/// The command `weir watch`: the full-screen view of a server, of a running tail or of a recording.
enum WatchCommand {
    static func run(_ options: WatchOptions) async -> ExitCode {
        guard let terminal = RawTerminal.forFullScreen() else {
            return Console.refuse(
                UsageError(
                    "watch requires a terminal with cursor control on standard input and output"
                        + " (TERM must not be dumb); weir tail and weir replay print lines instead", command: .watch))
        }
        do {
            switch options {
            case .server(let options):
                if let missing = TailCommand.missingSecret(options) { return Console.fail(missing) }
                return try await run(options, on: terminal)
            case .running(let name, let output):
                return try await WatchedTail(RunningProcess(name: name)).run(output, on: terminal)
            case .recording(let options): return try await run(options, on: terminal)
            }
        } catch {
            return Console.fail(error)
        }
    }

    private static func run(_ options: TailOptions, on terminal: RawTerminal) async throws -> ExitCode {
        let base = try TailCommand.configuration(options)
        var configuration = TailCommand.configuration(base, options.run, options.output, options.context)
        if let path = configuration.controlPath, !LocalSocketClient.removeIfStale(path) {
            throw ControlSocket.taken(path)
        }
        let server = configuration.server
        var settings = settings(
            "\(URLParts(scheme: server.scheme, host: server.host, port: server.port))", options.output)
        settings.file = configuration.recordPath
        settings.steersRooms = true
        if !options.mayEmit { settings.silence = "the context is guarded: start with --yes to send events" }
        (settings.badge, settings.isGuarded) = (options.context?.badge, options.context?.isGuarded ?? false)
        let filter = ViewFilter(options.output.filters.view)
        let (muted, controls) = (MutedRooms(), ViewControls(prints: false))
        let desk = WatchDriver(settings, filter: filter, muted: muted, controls: controls)
        (configuration.filter, configuration.muted, configuration.view) = (filter, muted, controls)
        let outlets = try Outlets(options.output, screen: desk, filter: filter)
        let tail = Tail(configuration, outlets: outlets.all)
        let engine = try tail.open()
        Signals.onFirst(ending: outlets.patience) { tail.stop(signal: $0) }
        if options.run.plan.rotation != nil { Signals.onEachHangUp { tail.rotateRecording() } }
        let result = await show(desk, on: terminal) { effect in
            engine.perform(effect) { desk.tell($0) }
        } while: {
            try await tail.run()
        }
        return outlets.conclude(try result.get())
    }

    private static func run(_ options: ReplayOptions, on terminal: RawTerminal) async throws -> ExitCode {
        let path = options.replay.paths[0]
        var settings = settings(path, options.output)
        settings.isReplay = true
        settings.file = path
        // Report an invalid file before the view takes the screen.
        if try RemoteRecordings.members(path) == nil { _ = try RecordingReader(opening: path).head }
        let playing = try ReplayCommand.configuration(options)
        let filter = ViewFilter(options.output.filters.view)
        let desk = WatchDriver(settings, filter: filter)
        let outlets = try Outlets(options.output, screen: desk, filter: filter)
        var console = ReplayConsole()
        console.watcher = desk
        let replay = Replay(playing, console: console, outlets: outlets.all)
        Signals.onFirst(ending: outlets.patience) { replay.stop(signal: $0) }
        runOnThread(named: "weir-length") {
            if let end = try? RecordingIndex(ofFile: path).times?.upperBound { desk.tell(.length(end)) }
        }
        let result = await show(desk, on: terminal) {
            replay.perform($0)
        } while: {
            try await replay.run()
        }
        return outlets.conclude(try result.get())
    }

    /// Returns the view's settings, with a title and the layout of lines.
    static func settings(_ title: String, _ output: OutputOptions) -> Watch.Settings {
        var settings = Watch.Settings(title: title)
        (settings.lines.time, settings.lines.zone) = (output.lines.time, output.lines.zone)
        settings.theme = TerminalDevice.theme(of: 1) ?? TerminalTheme(.none)
        return settings
    }

    /// Shows a desk on the terminal while `body` runs, and restores the terminal afterwards.
    static func show(
        _ desk: WatchDriver, on terminal: RawTerminal, perform: @escaping @Sendable (Watch.Effect) -> Void,
        while body: () async throws -> TailSummary
    ) async -> Result<TailSummary, any Error> {
        let isShown = Monitor(true)
        terminal.begin(wakeup: desk.wakeup, takesScreen: true)
        runOnThread(named: "weir-screen") {
            var resumes = RawTerminal.resumes
            desk.show(input: 0, output: 1) {
                defer { resumes = RawTerminal.resumes }
                return resumes != RawTerminal.resumes
            } perform: { effect in
                if case .copy(let text) = effect {
                    try? DescriptorWriter(descriptor: 1, name: "the terminal").write(WatchDriver.clipboard(text))
                }
                perform(effect)
            }
            // The user closed the view, or `body` has ended.
            perform(.quit)
            isShown.change { $0 = false }
        }
        let outcome: Result<TailSummary, any Error>
        do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
        desk.close()
        isShown.wait { $0 ? nil : () }
        terminal.end()
        return outcome
    }
}
