import DemoServer
import Live
import Recording

/// The command `weir replay --serve`: serves a recording until a signal arrives.
enum ServedRecording {
    static func run(_ options: ReplayOptions, at listen: OwnServer.Place) async -> ExitCode {
        do {
            let speed: Double? = if case .factor(let factor) = options.replay.pace { factor } else { nil }
            let path = options.replay.paths[0]
            guard try RecordedScript.isSocketIO(path) else {
                Console.note("weir: --serve: a recording of a Bayeux server cannot be served")
                return .usage
            }
            let script = try RecordedScript(recording: path, speed: speed)
            let endpoint = try RecordedScript.endpoint(of: path)
            let server = try OwnServer(hint: { _ in "serving the recording until interrupted" }) { loop in
                let server = try RecordedServer(
                    on: loop, address: listen.address, port: listen.port, script: script, options: endpoint)
                return (server.url, { nil }, { server.close() })
            }
            return await server.run(quiet: options.output.quiet)
        } catch {
            return Console.fail(error)
        }
    }
}
