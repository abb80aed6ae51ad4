import DemoServer
import Live
import Network
import Recording

/// `weir replay --serve`: a recording as a server, until a signal comes.
enum ServedRecording {
    static func run(_ options: ReplayOptions, at listen: (address: String, port: UInt16)) async -> ExitCode {
        let loop: EventLoop
        let server: RecordedServer
        do {
            let speed: Double? = if case .factor(let factor) = options.replay.pace { factor } else { nil }
            let path = options.replay.paths[0]
            guard try RecordedScript.isSocketIO(path) else {
                Console.note("weir: --serve: a recording of GroupMe cannot be served, whose server spoke Bayeux")
                return .usage
            }
            let script = try RecordedScript(recording: path, speed: speed)
            loop = try EventLoop(name: "weir-backend")
            server = try RecordedServer(
                on: loop, address: listen.address, port: listen.port, script: script,
                options: try RecordedScript.endpoint(of: path))
        } catch {
            return Console.fail(error)
        }
        let signal = await withCheckedContinuation { continuation in
            Signals.onFirst { continuation.resume(returning: $0) }
            // Only now, so that whoever reads it may end the server in order.
            _ = Console.print("url \(server.url)\n")
            if !options.output.quiet { Console.note("serving the recording until interrupted") }
        }
        await withCheckedContinuation { continuation in
            // The loop's thread cannot wait for its own end.
            runOnThread(named: "weir-shutdown") {
                server.close()
                loop.shutDown()
                continuation.resume()
            }
        }
        return ExitCode(endedBy: signal)
    }
}
