import Live

/// The options of `replay`.
struct ReplayOptions {
    var replay: ReplayConfiguration
    var output: OutputOptions

    init(_ arguments: Arguments) throws(UsageError) {
        output = try OutputOptions(arguments)
        replay = ReplayConfiguration(arguments.positionals)
        replay.pace = try arguments.pace()
        replay.idleLimit = try arguments.duration(.idleLimit)
        replay.start = try arguments.filePosition(.start)
        replay.end = try arguments.filePosition(.end)
        replay.span = try arguments.duration(.span)
        replay.loops = try arguments.rounds(.loop)
        replay.follows = arguments.has(.follow)
        replay.isStepping = arguments.has(.step)
        replay.pattern = try arguments.pattern(.untilMatch)
        replay.refetch = try arguments.choice(.refetch) ?? .recorded
        replay.verifies = arguments.has(.verify)
        replay.count = output.count
        try check(arguments)
    }

    private func check(_ arguments: Arguments) throws(UsageError) {
        let readsInput = replay.paths.contains("-")
        if readsInput, replay.loops != 1 { throw arguments.error("--loop: standard input can be played only once") }
        if readsInput, replay.isStepping {
            throw arguments.error("--step: standard input cannot be keys and recording")
        }
        if replay.follows, replay.loops != 1 { throw arguments.error("--follow and --loop exclude each other") }
        if replay.paths.count > 1, output.diffLog != nil {
            throw arguments.error("--diff-log is of one model: it needs a single FILE")
        }
    }
}
