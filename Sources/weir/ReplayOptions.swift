import Live
import Pipeline
import Recording

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
