import Glibc
import Live
import Network
import Recording

/// The command `weir attach`: a second viewer of a running tail, with its own format and filters. It sends the server
/// nothing: the tail sends the recording, which is played like a file.
enum AttachCommand {
    static func run(_ arguments: Arguments) async throws(UsageError) -> ExitCode {
        let options = try OutputOptions(arguments)
        let name = arguments.positionals.first
        guard name.map(ControlSocket.isName) != false else {
            throw arguments.error("no tail is named \(UsageError.quoted(name ?? "")); 'weir ps' lists them")
        }
        do {
            let process = try RunningProcess.find(name)
            return try await run(process, options)
        } catch {
            return Console.fail(error)
        }
    }

    private static func run(_ process: RunningProcess, _ options: OutputOptions) async throws -> ExitCode {
        let descriptor = try process.attach()
        defer { close(descriptor) }
        let outlets = try Outlets(options)
        var configuration = ReplayConfiguration(stream: descriptor, name: process.name)
        (configuration.count, configuration.untilMatch) = (options.count, options.untilMatch)
        configuration.filter = outlets.filter
        let replay = Replay(configuration, outlets: outlets.all)
        Signals.onFirst(ending: outlets.patience) { signal in
            replay.stop(signal: signal)
            // Wake up the replay, which waits for the next line.
            shutdown(descriptor, Int32(SHUT_RDWR))
        }
        if !options.quiet { Console.note("attached to \(process.name)") }
        let result = await withCheckedContinuation { continuation in
            runOnThread(named: "weir-attach") {
                continuation.resume(returning: Result { () throws(RecordingError) in try replay.run() })
            }
        }
        return outlets.conclude(try result.get())
    }
}
