import DemoServer
import Glibc
import Wire

/// `weir serve`: the embedded backend alone, until a signal comes.
enum ServeCommand {
    static func run(_ options: ServeOptions) async -> ExitCode {
        let backend: EmbeddedBackend
        do {
            backend = try EmbeddedBackend(
                scenario: options.scenario, seed: options.seed, address: options.address, port: options.port)
        } catch {
            return Console.fail(error)
        }
        let signal = await withCheckedContinuation { continuation in
            Signals.onFirst { continuation.resume(returning: $0) }
            // Only now, so that whoever reads it may end the server in order.
            announce(backend, quiet: options.quiet)
        }
        await backend.shutDown()
        return signal == SIGTERM ? .terminated : .interrupted
    }

    private static func announce(_ backend: EmbeddedBackend, quiet: Bool) {
        let url = backend.server.url
        _ = Console.print("url \(url)\ntoken \(backend.server.makeToken().reveal())\n")
        if !quiet { Console.note("serving until interrupted; tail it with: weir tail \(url) --token env:TOKEN") }
    }
}
