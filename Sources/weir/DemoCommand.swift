import DemoServer
import Live
import Network
import Pipeline

/// `weir demo`: the embedded backend on a loopback port, and a tail of it through the same network as any other.
enum DemoCommand {
    static func run(_ options: DemoOptions) async -> ExitCode {
        let backend: EmbeddedBackend
        let url: URLParts
        do {
            backend = try EmbeddedBackend(scenario: nil, seed: options.seed)
            url = try URLParts(parsing: backend.server.url)
        } catch {
            return Console.fail(error)
        }
        let server = backend.server
        let configuration = TailConfiguration(
            server: url, session: Configuration(backend: .twake), token: .provider { server.makeToken() },
            seed: options.seed,
            tool: Help.version)
        let code = await TailCommand.run(configuration, options.run, options.output)
        await backend.shutDown()
        return code
    }
}

/// The embedded backend and the loop it runs on.
struct EmbeddedBackend {
    let server: EmbeddedServer
    private let loop: EventLoop

    /// Listens when it returns. `scenario` is a name or a file; nil for the one there is.
    init(scenario: String?, seed: UInt64, address: String = "127.0.0.1", port: UInt16 = 0) throws {
        let scenario = try Scenario.load(scenario ?? Scenario.names[0], seed: seed)
        loop = try EventLoop(name: "weir-backend")
        server = try EmbeddedServer(on: loop, address: address, port: port, scenario: scenario, seed: seed)
    }

    /// Closes every connection and ends the loop's thread.
    func shutDown() async {
        let (server, loop) = (server, loop)
        await withCheckedContinuation { continuation in
            // The loop's thread cannot wait for its own end.
            runOnThread(named: "weir-shutdown") {
                server.close()
                loop.shutDown()
                continuation.resume()
            }
        }
    }
}
