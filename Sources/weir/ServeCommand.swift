import Glibc

/// The command `weir serve`: runs the embedded backend or an echo server until a signal arrives.
enum ServeCommand {
    static func run(_ options: ServeOptions) async -> ExitCode {
        if options.isDetached { return detach() }
        allowManyClients()
        do {
            return try await options.service.serve(options).run(quiet: options.quiet, tokenFile: options.tokenFile)
        } catch {
            return Console.fail(error)
        }
    }

    /// Starts the same server in the background, and prints its address as shell assignments.
    private static func detach() -> ExitCode {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return Console.fail(CommandError("cannot create a pipe")) }
        defer { for end in ends { close(end) } }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        posix_spawn_file_actions_addclose(&actions, ends[0])
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
        let words = CommandLine.arguments.filter { $0 != "--env" } + ["--quiet"]
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var server = pid_t()
        guard posix_spawn(&server, "/proc/self/exe", &actions, &attributes, &arguments, environ) == 0 else {
            return Console.fail(CommandError("cannot start the server"))
        }
        close(ends[1])
        ends[1] = -1
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = max(0, read(ends[0], &buffer, buffer.count))
        let lines = String(decoding: buffer[..<count], as: UTF8.self).split(separator: "\n")
        // The server has printed the reason.
        guard let url = lines.first?.dropFirst("url ".count) else { return .runtimeError }
        var text = "export URL='\(url)' SERVER=\(server)"
        if let token = lines.dropFirst().first?.dropFirst("token ".count) {
            text += token.hasPrefix("file:") ? " WEIR_TOKEN='\(token)'" : " TOKEN='\(token)' WEIR_TOKEN=env:TOKEN"
        }
        return Console.print(text + "\n")
    }

    /// Raises the limit of open files: each client needs a descriptor, and the usual limit is 1024.
    private static func allowManyClients() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = max(limit.rlim_cur, min(limit.rlim_max, 8192))
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
