import Glibc
import Live
import Network
import Recording
import Wire

/// `weir watch`: the full-screen view of a server or of a recording.
enum WatchCommand {
    static func run(_ options: WatchOptions) async -> ExitCode {
        guard let terminal = RawTerminal.forFullScreen() else {
            return Console.refuse(
                UsageError(
                    "watch needs a terminal that can move its cursor, for standard input and output"
                        + " (TERM is not dumb); weir tail and weir replay print lines anywhere", command: .watch))
        }
        switch options {
        case .server(let options):
            if let missing = TailCommand.missingSecret(options) { return Console.fail(missing) }
            return await run(options, on: terminal)
        case .recording(let options): return await run(options, on: terminal)
        }
    }

    private static func run(_ options: TailOptions, on terminal: RawTerminal) async -> ExitCode {
        let base: TailConfiguration
        do { base = try TailCommand.configuration(options) } catch { return Console.fail(error) }
        let configuration = TailCommand.configuration(base, options.run, options.output)
        let server = configuration.server
        var settings = Watch.Settings(
            title: "\(URLParts(scheme: server.scheme, host: server.host, port: server.port))")
        settings.file = configuration.recordPath
        settings.steersRooms = true
        (settings.lines.time, settings.lines.zone) = (options.output.lines.time, options.output.lines.zone)
        let desk = WatchDesk(settings)
        let outlets: Outlets
        let tail: Tail
        do {
            outlets = try Outlets(options.output, screen: desk)
            tail = try Tail(configuration, outlets: outlets.all)
        } catch {
            return Console.fail(error)
        }
        Signals.onFirst { tail.stop(signal: $0) }
        if options.run.plan.rotation != nil { Signals.onEach(SIGHUP) { tail.rotateRecording() } }
        let summary = await show(desk, on: terminal, perform: { tail.perform($0) }) { await tail.run() }
        return outlets.conclude(summary)
    }

    private static func run(_ options: ReplayOptions, on terminal: RawTerminal) async -> ExitCode {
        let path = options.replay.paths[0]
        var settings = Watch.Settings(title: path)
        settings.isReplay = true
        (settings.lines.time, settings.lines.zone) = (options.output.lines.time, options.output.lines.zone)
        settings.file = path
        let desk = WatchDesk(settings)
        let outlets: Outlets
        do {
            // A file that is none is known before the screen is taken.
            _ = try RecordingReader(opening: path).head
            outlets = try Outlets(options.output, screen: desk)
        } catch {
            return Console.fail(error)
        }
        var console = ReplayConsole()
        console.watcher = desk
        let replay = Replay(options.replay, console: console, outlets: outlets.all)
        Signals.onFirst { replay.stop(signal: $0) }
        runOnThread(named: "weir-length") {
            if let end = try? RecordingIndex(ofFile: path).times?.upperBound { desk.tell(.length(end)) }
        }
        let result = await show(desk, on: terminal, perform: { replay.perform($0) }) {
            await withCheckedContinuation { continuation in
                // Reading and waiting for the next record block.
                runOnThread(named: "weir-replay") {
                    continuation.resume(returning: Result { () throws(RecordingError) in try replay.run() })
                }
            }
        }
        switch result {
        case .success(let summary): return outlets.conclude(summary)
        case .failure(let error): return Console.fail(error)
        }
    }

    /// Shows a desk on the terminal while something runs, and gives the terminal back.
    private static func show<Outcome: Sendable>(
        _ desk: WatchDesk, on terminal: RawTerminal, perform: @escaping @Sendable (Watch.Effect) -> Void,
        while body: () async -> Outcome
    ) async -> Outcome {
        let colour = TerminalDevice.showsColour(1)
        let isShown = Monitor(true)
        terminal.begin(wakeup: desk.wakeup, takesScreen: true)
        runOnThread(named: "weir-screen") {
            var resumes = RawTerminal.resumes
            desk.show(input: 0, output: 1, colour: colour) {
                defer { resumes = RawTerminal.resumes }
                return resumes != RawTerminal.resumes
            } perform: { effect in
                if case .copy(let text) = effect {
                    try? DescriptorWriter(descriptor: 1, name: "the terminal").write(WatchDesk.clipboard(text))
                }
                perform(effect)
            }
            // Nobody looks on any more, or what is watched is over.
            perform(.quit)
            isShown.change { $0 = false }
        }
        let outcome = await body()
        desk.close()
        isShown.wait { $0 ? nil : () }
        terminal.end()
        return outcome
    }
}
