import DemoServer
import Live
import Network
import Pipeline
import Wire

/// `weir demo`: an embedded backend on a loopback port, and a tail of it through the same network as any other.
enum DemoCommand {
    static func run(_ options: DemoOptions) async -> ExitCode {
        let backend: any OwnBackend
        let url: URLParts
        do {
            backend = try self.backend(options)
            url = try URLParts(parsing: backend.url)
        } catch {
            return Console.fail(error)
        }
        let session = Configuration(backend: options.backend.kind, following: [.usual, .members])
        let configuration = TailConfiguration(
            server: url, session: session, token: .provider { backend.makeToken() ?? Secret("") }, seed: options.seed,
            tool: Help.version)
        let code = await TailCommand.run(configuration, options.run, options.output)
        await backend.shutDown()
        return code
    }

    private static func backend(_ options: DemoOptions) throws -> any OwnBackend {
        switch options.backend.kind {
        case .groupme: try GroupMeBackend(seed: options.seed, options: .init(troubles: groupMeTroubles))
        default: try EmbeddedBackend(scenario: nil, seed: options.seed, troubles: troubles)
        }
    }

    /// What goes wrong on the way: the token expires, and later the server is started again, which cuts the connection and leaves a gap.
    private static var troubles: [EmbeddedServer.Trouble] {
        [
            EmbeddedServer.Trouble(at: .milliseconds(6_500), .tokensExpire),
            EmbeddedServer.Trouble(at: .seconds(9), .restart),
        ]
    }

    /// The connection is cut, and its session taken up again; later the server is started again, and no session is known any more.
    private static var groupMeTroubles: [GroupMeServer.Trouble] {
        [
            GroupMeServer.Trouble(at: .milliseconds(6_500), .cut),
            GroupMeServer.Trouble(at: .seconds(9), .restart),
        ]
    }
}
