import DemoServer
import Glibc
import Wire

/// `weir serve`: the embedded backend or an echo server alone, until a signal comes.
enum ServeCommand {
    static func run(_ options: ServeOptions) async -> ExitCode {
        allowManyClients()
        let backend: any OwnBackend
        do {
            backend = try options.service.start(options)
        } catch {
            return Console.fail(error)
        }
        let signal = await withCheckedContinuation { continuation in
            Signals.onFirst { continuation.resume(returning: $0) }
            // Only now, so that whoever reads it may end the server in order.
            let token = backend.makeToken().map { "token \($0.reveal())\n" } ?? ""
            _ = Console.print("url \(backend.url)\n\(token)")
            if !options.quiet { Console.note(backend.hint) }
        }
        await backend.shutDown()
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
