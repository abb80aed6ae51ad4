import Glibc
import WeirDemoServer
import WeirPipeline

/// The options of `weir serve`.
struct ServeOptions {
    /// The eras of the REST services.
    enum Era: String, CaseIterable {
        case a, b
    }

    var listen: OwnServer.Place
    var service: EmbeddedService
    /// The value of `--scenario`: a service, or a scenario of the first one.
    var scenario: String
    var endpoint: EndpointOptions
    /// The era of the REST services, for servers that have several. Era a has only the mobile proxy.
    var era: Era
    /// The lifetime of tokens; `nil` for one hour.
    var tokenLife: Duration?
    /// The rules for refusing rooms.
    var rights = RealtimeConnection.Rights()
    var seed: UInt64
    var quiet: Bool
    /// The approximate number of things that happen per second; `nil` for one.
    var rate: Int?
    /// The file with the token: read if it exists, otherwise written.
    var tokenFile: String?
    /// Whether the server runs in the background and prints its address for the shell.
    var isDetached: Bool

    init(_ arguments: Arguments) throws(UsageError) {
        listen = try arguments.endpoint(.listen) ?? OwnServer.here
        let scenario = arguments[.scenario] ?? Scenario.names[0]
        self.scenario = scenario
        if let file = arguments[.profile] {
            service = .declared(try Self.world(of: file, arguments))
        } else {
            guard ![".yaml", ".yml"].contains(where: scenario.hasSuffix) else {
                throw arguments.error("--scenario: \(UsageError.quoted(scenario)) requires --profile FILE")
            }
            let names = EmbeddedService.scenarios
            guard names.contains(scenario) || access(scenario, F_OK) == 0 else {
                throw arguments.error("--scenario: \(UsageError.unlisted(scenario, among: names)), and not a file")
            }
            service = EmbeddedService.all.first { $0.name == scenario } ?? EmbeddedService.all[0]
        }
        let path = arguments[.path] ?? service.path
        guard path.hasPrefix("/"), path.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "?") }) else {
            throw arguments.error("--path: invalid path \(UsageError.quoted(path)); write it like /socket.io/")
        }
        if let fixture = service.fixture, path != service.path {
            throw arguments.error("--path: \(fixture) is always at \(service.path)")
        }
        endpoint = EndpointOptions(path: path)
        if let interval = try arguments.milliseconds(.pingInterval) { endpoint.pingInterval = interval }
        if let timeout = try arguments.milliseconds(.pingTimeout) { endpoint.pingTimeout = timeout }
        if let timeout = try arguments.milliseconds(.connectTimeout) { endpoint.connectTimeout = timeout }
        if let absence = try arguments.milliseconds(.recovery) {
            guard service.recovers else {
                let names = EmbeddedService.all.filter(\.recovers).map(\.name).joined(separator: ", ")
                throw arguments.error("--recovery requires --scenario \(names): other servers recover no connections")
            }
            endpoint.recovery = absence
        }
        if let bytes = try arguments.count(.maxPayload) {
            guard bytes <= 1 << 30 else {
                throw arguments.error("--max-payload: \(bytes) is more than \(1 << 30) bytes")
            }
            endpoint.maxPayload = bytes
            // The buffer must have room for the echo of the largest message.
            endpoint.maximumPending = max(endpoint.maximumPending, 4 * bytes)
        }
        era = try arguments.choice(.era) ?? .b
        tokenLife = try arguments.duration(.tokenLife)
        if arguments.has(.strictRooms) || arguments.has(.roomLimit), !service.refusesRooms {
            let names = EmbeddedService.all.filter(\.refusesRooms).map(\.name).joined(separator: ", ")
            throw arguments.error("--strict-rooms and --room-limit require the server of \(names)")
        }
        rights.areChecked = arguments.has(.strictRooms)
        if let most = try arguments.count(.roomLimit) { rights.mostRooms = most }
        seed = try arguments.seed(.seed) ?? 1
        quiet = arguments.has(.quiet)
        if let rate = try arguments.rate() {
            guard rate >= 1, rate <= 1000, rate == rate.rounded() else {
                throw arguments.error("--rate must be a whole number from 1 to 1000")
            }
            guard arguments[.profile] == nil, ["workspace", "groupme"].contains(scenario) else {
                throw arguments.error("--rate requires --scenario workspace or groupme")
            }
            self.rate = Int(rate)
        }
        tokenFile = arguments[.tokenFile]
        isDetached = arguments.has(.env)
    }

    /// Parses a profile and its scenario; the scenario is `nil` if the seed generates the world.
    private static func world(
        of file: String, _ arguments: Arguments
    ) throws(UsageError) -> (profile: Profile, scenario: ProfileScenario?) {
        let profile = try arguments.profile(at: file)
        guard let path = arguments[.scenario] else { return (profile, nil) }
        guard path.contains("/") || [".yaml", ".yml", ".json"].contains(where: path.hasSuffix) else {
            throw arguments.error(
                "--scenario: --profile requires a .yaml or .json file, not \(UsageError.quoted(path))")
        }
        return (profile, try arguments.scenario(at: path, for: profile))
    }
}

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
