import Live
import Pipeline
import Recording

/// The options of `replay`.
struct ReplayOptions {
    var replay: ReplayConfiguration
    var output: OutputOptions
    /// The control socket's name; nil for the process id.
    var name: String?
    /// Whether there is a control socket.
    var hasControl: Bool
    /// Where the recording is served instead of being shown.
    var serve: (address: String, port: UInt16)?

    /// Has a replay begin where one of its name ended; gives the outlet that notes how far it comes.
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
                throw arguments.error("--durable is for one recording in a stream: nats://HOST/STREAM/NAME")
            }
            durable = { try StreamCommand.durable(arguments, name, &$0) }
        }
        serve = try arguments.endpoint(.serve)
        try check(arguments)
        if serve != nil { try checkServing(arguments) }
    }

    /// A server says what was recorded, at its times; what is for showing is not for it.
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
            throw arguments.error("--step: standard input cannot be keys and recording")
        }
        if replay.follows, replay.loops != 1 { throw arguments.error("--follow and --loop exclude each other") }
        if replay.backend != nil, replay.verifies {
            throw arguments.error("--verify and --profile exclude each other: the recorded states are of another model")
        }
        if replay.paths.count > 1, output.diffLog != nil {
            throw arguments.error("--diff-log is of one model: it needs a single FILE")
        }
    }
}

extension ReplayConfiguration {
    /// Has the sessions speak another backend than the recorded ones: what they ask for may not be recorded.
    mutating func play(as backend: Configuration.BackendKind) {
        self.backend = backend
        refetch = .stub
    }
}
