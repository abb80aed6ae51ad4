import Live
import Network
import Recording

/// `weir replay`.
enum ReplayCommand {
    static func run(_ options: ReplayOptions) async -> ExitCode {
        let outlets: Outlets
        do {
            outlets = try Outlets(options.output)
        } catch {
            return Console.fail(error)
        }
        let replay = Replay(
            path: options.file, speed: options.speed.map { .factor($0) } ?? .maximum, count: options.output.count,
            outlets: outlets.all)
        Signals.onFirst { replay.stop(signal: $0) }
        let result = await withCheckedContinuation { continuation in
            // Reading, writing and waiting for the next record block.
            runOnThread(named: "weir-replay") {
                continuation.resume(returning: Result { () throws(RecordingError) in try replay.run() })
            }
        }
        switch result {
        case .success(let summary): return outlets.conclude(summary)
        case .failure(let error): return Console.fail(error)
        }
    }
}
