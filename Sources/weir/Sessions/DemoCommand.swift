import WeirDemoServer
import WeirEvents
import WeirLive
import WeirNetwork
import WeirPipeline
import WeirWire

/// The command `weir demo`: runs an embedded backend on a loopback port, and a tail that connects to it over the
/// network.
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
        let world = options.world
        let session = Configuration(backend: world.backend(backend.url), following: [.usual, .members])
        var configuration = TailConfiguration(
            server: url, session: session, token: .provider { backend.makeToken() ?? Secret("") }, seed: options.seed,
            tool: Help.version)
        configuration.serviceTokens = world.tokens.mapValues { token in .provider { token } }
        let code = await TailCommand.run(configuration, options.run, options.output) { tail in
            if !world.deeds.isEmpty { Task { await perform(world.deeds, by: tail) } }
        }
        await backend.shutDown()
        return code
    }

    private static func perform(_ deeds: [(after: Duration, run: Action.Run)], by tail: Tail) async {
        for deed in deeds {
            try? await Task.sleep(for: deed.after)
            // The next one keeps its time, even if this one waits for the server.
            Task { _ = try? await tail.perform(.run(deed.run)) }
        }
    }
}
