import DemoServer
import Live
import Network
import Pipeline
import Wire

/// `weir demo`: an embedded backend on a loopback port, and a tail of it through the same network as any other.
enum DemoCommand {
    static func run(_ options: DemoOptions) async -> ExitCode {
        let backend: OwnServer
        let url: URLParts
        do {
            backend = try options.world.start(options.seed)
            url = try URLParts(parsing: backend.url)
        } catch {
            return Console.fail(error)
        }
        let session = Configuration(backend: options.world.backend, following: [.usual, .members])
        let configuration = TailConfiguration(
            server: url, session: session, token: .provider { backend.makeToken() ?? Secret("") }, seed: options.seed,
            tool: Help.version)
        let code = await TailCommand.run(configuration, options.run, options.output)
        await backend.shutDown()
        return code
    }
}
