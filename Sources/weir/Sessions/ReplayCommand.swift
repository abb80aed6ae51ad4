import Glibc
import WeirLive
import WeirNetwork
import WeirPipeline
import WeirRecording
import WeirThreads

/// The options of `weir replay`.
struct ReplayOptions {
    var replay: ReplayConfiguration
    var output: OutputOptions
    /// The control socket's name; `nil` for the process id.
    var name: String?
    /// Whether the replay opens a control socket.
    var hasControl: Bool
    /// The address on which to serve the recording instead of showing it.
    var serve: (address: String, port: UInt16)?

    /// A function that makes a replay begin where the last one of its name ended. It returns the outlet that stores the
    /// progress.
    var durable: (@Sendable (inout ReplayConfiguration) throws -> (any Outlet)?)?

    init(_ arguments: Arguments) throws(UsageError) {
        output = try OutputOptions(arguments)
        name = try arguments.name(.name)
        hasControl = !arguments.has(.noControl)
        replay = ReplayConfiguration(arguments.positionals)
        replay.pace = try arguments.pace()
        replay.idleLimit = try arguments.duration(.idleLimit)
        replay.start = try arguments.filePosition(.start)
        replay.end = try arguments.filePosition(.end)
        replay.span = try arguments.duration(.span)
        replay.loops = try arguments.rounds(.loop)
        replay.follows = arguments.has(.follow)
        replay.isStepping = arguments.has(.step)
        replay.refetch = try arguments.choice(.refetch) ?? .recorded
        replay.verifies = arguments.has(.verify)
        if let backend = try arguments.declaredBackend() { replay.play(as: backend) }
        (replay.count, replay.untilMatch) = (output.count, output.untilMatch)
        if let name = try arguments.name(.durable) {
            guard replay.paths.count == 1, RemoteRecordings.isOne(replay.paths[0]) else {
                throw arguments.error("--durable requires a single recording in a stream: nats://HOST/STREAM/NAME")
            }
            durable = { try StreamCommand.durable(arguments, name, &$0) }
        }
        serve = try arguments.endpoint(.serve)
        try check(arguments)
        if serve != nil { try checkServing(arguments) }
    }

    /// Checks that no option for showing events is used with `--serve`.
    private func checkServing(_ arguments: Arguments) throws(UsageError) {
        if let other = Option.of(.replay).first(where: {
            arguments.isTyped($0) && ![.serve, .speed, .quiet].contains($0)
        }) {
            throw arguments.error("--serve and \(other.flag) exclude each other")
        }
        if replay.paths.count > 1 || replay.paths.contains("-") { throw arguments.error("--serve needs a single FILE") }
    }

    private func check(_ arguments: Arguments) throws(UsageError) {
        let readsInput = replay.paths.contains("-")
        if readsInput, replay.loops != 1 { throw arguments.error("--loop: standard input can be played only once") }
        if readsInput, replay.isStepping {
            throw arguments.error("--step: standard input cannot provide both keys and recording")
        }
        if replay.follows, replay.loops != 1 { throw arguments.error("--follow and --loop exclude each other") }
        if replay.backend != nil, replay.verifies {
            throw arguments.error(
                "--verify and --profile exclude each other: the recorded states belong to another model")
        }
        if replay.paths.count > 1, output.diffLog != nil {
            throw arguments.error("--diff-log requires a single FILE")
        }
    }
}

extension ReplayConfiguration {
    /// Plays the recording with another backend than the recorded one. The recording may lack answers to its requests.
    mutating func play(as backend: Configuration.BackendKind) {
        self.backend = backend
        refetch = .stub
    }
}

/// The command `weir replay`: plays a recording through the pipeline.
enum ReplayCommand {
    static func run(_ options: ReplayOptions) async -> ExitCode {
        if let listen = options.serve { return await ServedRecording.run(options, at: listen) }
        var playing: ReplayConfiguration
        let outlets: Outlets
        var all: [any Outlet] = []
        do {
            playing = try configuration(options)
            let mark = try options.durable?(&playing)
            var output = options.output
            if output.report != nil { output.report?.facts = try ReportFacts(recordings: playing.paths) }
            outlets = try Outlets(output)
            all = outlets.all + (mark.map { [$0] } ?? [])
        } catch {
            return Console.fail(error)
        }
        let terminal = RawTerminal.forPlaying(options.replay.paths)
        var console = ReplayConsole()
        if terminal != nil || options.replay.isStepping { console.keys = 0 }
        if options.output.hasStatus, TerminalDevice.redraws(2) {
            // A view that is drawn in place has its own status line.
            if options.output.view.isDrawn { console.board = outlets.board } else { console.status = 2 }
        }
        playing.filter = outlets.filter
        let replay = Replay(playing, console: console, outlets: all)
        Signals.onFirst(ending: outlets.patience) { replay.stop(signal: $0) }
        terminal?.begin(wakeup: replay.wakeup)
        defer { terminal?.end() }
        do { return outlets.conclude(try await replay.run()) } catch { return Console.fail(error) }
    }

    /// Returns the settings of the replay, including its control socket.
    static func configuration(_ options: ReplayOptions) throws(CommandError) -> ReplayConfiguration {
        var playing = options.replay
        playing.tool = Help.version
        if options.hasControl { playing.controlPath = ControlSocket.pathForThisProcess(name: options.name) }
        if let path = playing.controlPath, !LocalSocketClient.removeIfStale(path) { throw ControlSocket.taken(path) }
        return playing
    }
}
