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
            backend = try EmbeddedBackend(scenario: nil, seed: options.seed, troubles: troubles)
            url = try URLParts(parsing: backend.server.url)
        } catch {
            return Console.fail(error)
        }
        let server = backend.server
        let configuration = TailConfiguration(
            server: url, session: Configuration(backend: .twake, following: [.usual, .members]),
            token: .provider { server.makeToken() },
            seed: options.seed,
            tool: Help.version)
        let code = await TailCommand.run(configuration, options.run, options.output)
        await backend.shutDown()
        return code
    }

    /// What goes wrong on the way: the token expires, and later the server is started again, which cuts the connection and leaves a gap.
    private static var troubles: [EmbeddedServer.Trouble] {
        [
            EmbeddedServer.Trouble(at: .milliseconds(6_500), .tokensExpire),
            EmbeddedServer.Trouble(at: .seconds(9), .restart),
        ]
    }
}
