import Glibc

/// `weir serve`: the embedded backend or an echo server alone, until a signal comes.
enum ServeCommand {
    static func run(_ options: ServeOptions) async -> ExitCode {
        allowManyClients()
        do {
            return try await options.service.serve(options).run(quiet: options.quiet)
        } catch {
            return Console.fail(error)
        }
    }

    /// A client is a descriptor, and the usual limit is 1024 of them.
    private static func allowManyClients() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = max(limit.rlim_cur, min(limit.rlim_max, 8192))
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
