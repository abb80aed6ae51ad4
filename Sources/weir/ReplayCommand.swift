import Glibc
import Live
import Network
import Recording

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
        let result = await withCheckedContinuation { continuation in
            // Reading, writing and waiting for the next record block the thread.
            runOnThread(named: "weir-replay") {
                continuation.resume(returning: Result { () throws(RecordingError) in try replay.run() })
            }
        }
        terminal?.end()
        switch result {
        case .success(let summary): return outlets.conclude(summary)
        case .failure(let error): return Console.fail(error)
        }
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
