import DemoServer
import Glibc
import Wire

/// `weir serve`: the embedded backend or an echo server alone, until a signal comes.
enum ServeCommand {
    static func run(_ options: ServeOptions) async -> ExitCode {
        allowManyClients()
        let served: Served
        do {
            served = try Served(options)
        } catch {
            return Console.fail(error)
        }
        let signal = await withCheckedContinuation { continuation in
            Signals.onFirst { continuation.resume(returning: $0) }
            // Only now, so that whoever reads it may end the server in order.
            served.announce(quiet: options.quiet)
        }
        await served.shutDown()
        return ExitCode(endedBy: signal)
    }

    /// A client is a descriptor, and the usual limit is 1024 of them.
    private static func allowManyClients() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = max(limit.rlim_cur, min(limit.rlim_max, 8192))
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}

/// What `serve` runs.
private enum Served {
    case twake(EmbeddedBackend)
    case groupMe(GroupMeBackend)
    case echo(EchoBackend)

    init(_ options: ServeOptions) throws {
        switch options.service {
        case .twake(let scenario):
            self = .twake(
                try EmbeddedBackend(
                    scenario: scenario, seed: options.seed, listen: options.listen, endpoint: options.endpoint,
                    hasCore: options.era == .b))
        case .groupMe: self = .groupMe(try GroupMeBackend(seed: options.seed, listen: options.listen))
        case .echo(let service): self = .echo(try EchoBackend(service, listen: options.listen, options.endpoint))
        }
    }

    func announce(quiet: Bool) {
        switch self {
        case .twake(let backend):
            let url = backend.server.url
            _ = Console.print("url \(url)\ntoken \(backend.server.makeToken().reveal())\n")
            if !quiet { Console.note("serving until interrupted; tail it with: weir tail \(url) --token env:TOKEN") }
        case .groupMe(let backend):
            let server = backend.server
            _ = Console.print("url \(server.url)\ntoken \(server.token.reveal())\n")
            if !quiet { Console.note("serving GroupMe until interrupted: pushes at /faye, REST at /v3") }
        case .echo(let backend):
            _ = Console.print("url \(backend.server.url)\n")
            if !quiet { Console.note("serving an echo until interrupted") }
        }
    }

    func shutDown() async {
        switch self {
        case .twake(let backend): await backend.shutDown()
        case .groupMe(let backend): await backend.shutDown()
        case .echo(let backend): await backend.shutDown()
        }
    }
}
