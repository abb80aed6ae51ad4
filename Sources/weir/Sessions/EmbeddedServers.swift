import Glibc
import WeirDemoServer
import WeirLive
import WeirNetwork
import WeirPipeline
import WeirThreads
import WeirWire

/// A server for `serve` and `demo`. `all` is the registry of these servers.
struct EmbeddedService: Sendable {
    /// The name, as in `--backend groupme` and `--scenario groupme`.
    var name: String
    /// The default path of the endpoint.
    var path: String
    /// A description of the endpoint that cannot move to another path; `nil` if it can.
    var fixture: String?
    /// Whether the server recovers lost connections.
    var recovers = false
    /// Whether the server supports `--strict-rooms` and `--room-limit`.
    var refusesRooms = false
    /// Starts the server for `serve`.
    var serve: @Sendable (ServeOptions) throws -> OwnServer
    /// Starts the server for `demo` from a seed, with scripted failures; `nil` without a demo.
    var demo: (@Sendable (_ seed: UInt64) throws -> OwnServer)?

    /// All servers. The first one has scenarios, which `--scenario` names; each of the others is a scenario of its own.
    static let all: [EmbeddedService] = [
        EmbeddedService(
            name: "twake", path: "/socket/", refusesRooms: true,
            serve: { options in
                var server = EmbeddedServer.Options(endpoint: options.endpoint)
                server.hasCore = options.era == .b
                if let life = options.tokenLife { server.tokenLifetime = life }
                if let rate = options.rate { server.pace = rate }
                if let file = options.tokenFile, access(file, F_OK) == 0 {
                    server.token = try TokenReference.file(file).resolve()
                }
                server.rights = options.rights
                return try .twake(options.scenario, options.seed, options.listen, server)
            },
            // The token expires; later a server restart cuts the connection and leaves a gap.
            demo: { seed in
                let faults: [EmbeddedServer.ServerFault] = [
                    .init(at: .milliseconds(6_500), .tokensExpire), .init(at: .seconds(9), .restart),
                ]
                return try .twake(Scenario.names[0], seed, OwnServer.here, .init(faults: faults))
            }),
        EmbeddedService(
            name: "groupme", path: "/faye", fixture: "GroupMe's push service",
            serve: { try .groupMe($0.seed, $0.listen, .init(pace: $0.rate ?? 1)) },
            // The connection is cut and its session resumes. Later the server restarts and has lost all sessions.
            demo: { seed in
                let faults: [GroupMeServer.ServerFault] = [
                    .init(at: .milliseconds(6_500), .cut), .init(at: .seconds(9), .restart),
                ]
                return try .groupMe(seed, OwnServer.here, .init(faults: faults))
            }),
        .echo("echo", .socketIO, recovers: true), .echo("engine-echo", .engineIO), FinishWorld.service,
    ]

    /// The values that `--scenario` accepts, apart from files.
    static let scenarios = Scenario.names + all.dropFirst().map(\.name)

    /// Returns the server for the backend of a profile.
    static func declared(_ world: (profile: Profile, scenario: ProfileScenario?)) -> EmbeddedService {
        let profile = world.profile
        let path = profile.realtime.path ?? profile.realtime.transport.usualPath
        return EmbeddedService(
            name: profile.name, path: path, fixture: "the endpoint of '\(profile.name)'",
            serve: { options in
                try OwnServer(hint: {
                    "serving until interrupted; tail it with: weir tail \($0) --profile FILE --token env:TOKEN"
                }) {
                    let server = try DeclaredServer(
                        on: $0, address: options.listen.address, port: options.listen.port, profile: profile,
                        scenario: world.scenario, seed: options.seed, options: options.endpoint)
                    return (server.url, { server.token }, { server.close() })
                }
            })
    }

    /// A world that `weir demo` can play.
    struct World: Sendable {
        /// The name of the world, for `demo --backend`.
        var name: String
        /// Returns the backend of the world's server at an address.
        var backend: @Sendable (_ url: String) -> Configuration.BackendKind
        /// Starts the world's server from a seed.
        var start: @Sendable (_ seed: UInt64) throws -> OwnServer
        /// The tokens of services with their own addresses.
        var tokens: [String: Secret] = [:]
        /// The actions of the world's user, each with its delay after the previous one.
        var deeds: [(after: Duration, run: Action.Run)] = []
    }

    /// The worlds of all servers that have a demo.
    static let worlds: [World] = all.compactMap { service in
        guard let demo = service.demo else { return nil }
        if let backend = Configuration.BackendKind(rawValue: service.name) {
            return World(name: service.name, backend: { _ in backend }, start: demo)
        }
        return World(
            name: service.name, backend: FinishWorld.backend, start: demo, tokens: FinishWorld.tokens,
            deeds: FinishWorld.deeds)
    }

    private static func echo(_ name: String, _ service: EchoServer.Service, recovers: Bool = false) -> EmbeddedService {
        EmbeddedService(
            name: name, path: service.path, recovers: recovers,
            serve: { options in
                try OwnServer(hint: { _ in "serving an echo until interrupted" }) { loop in
                    let server = try EchoServer(
                        on: loop, address: options.listen.address, port: options.listen.port, service: service,
                        options: options.endpoint)
                    return (server.url, { nil }, { server.close() })
                }
            })
    }
}

/// A server in this process, and its event loop.
struct OwnServer: Sendable {
    /// The address to listen on. The system chooses the port if it is 0.
    typealias Place = (address: String, port: UInt16)
    static let here: Place = ("127.0.0.1", 0)

    /// The URL of the server.
    let url: String
    /// The note that `serve` prints for the user.
    let hint: String
    /// Returns a token that the server accepts; `nil` if it requires none.
    let makeToken: @Sendable () -> Secret?
    private let close: @Sendable () -> Void
    private let loop: EventLoop

    /// Starts the server. It listens when the initialiser returns.
    init(
        hint: (_ url: String) -> String,
        _ start: (EventLoop) throws -> (
            url: String, makeToken: @Sendable () -> Secret?, close: @Sendable () -> Void
        )
    ) throws {
        loop = try EventLoop(name: "weir-backend")
        (url, makeToken, close) = try start(loop)
        self.hint = hint(url)
    }

    /// Prints the address and serves until a signal arrives.
    func run(quiet: Bool, tokenFile: String? = nil) async -> ExitCode {
        let token = makeToken()
        if let tokenFile, let token, let problem = WholeFile.write(Array((token.reveal() + "\n").utf8), to: tokenFile) {
            await shutDown()
            return Console.fail(CommandError("\(tokenFile) cannot be written: \(problem)", .cannotWrite))
        }
        let signal = await withCheckedContinuation { continuation in
            Signals.onFirst { continuation.resume(returning: $0) }
            // Print only after the handler is installed: a reader of this line may end the server at once.
            let line = token.map { "token \(tokenFile.map { "file:" + $0 } ?? $0.reveal())\n" } ?? ""
            _ = Console.print("url \(url)\n\(line)")
            if !quiet { Console.note(hint) }
        }
        await shutDown()
        return ExitCode(endedBy: signal)
    }

    /// Closes all connections and ends the loop's thread.
    func shutDown() async {
        await withCheckedContinuation { continuation in
            // The loop's thread cannot wait for its own end.
            runOnThread(named: "weir-shutdown") {
                close()
                loop.shutDown()
                continuation.resume()
            }
        }
    }

    /// Creates a server of a scenario, which is a name or a file.
    fileprivate static func twake(
        _ scenario: String, _ seed: UInt64, _ listen: Place, _ options: EmbeddedServer.Options
    ) throws -> OwnServer {
        let scenario = try Scenario.load(scenario, seed: seed)
        return try OwnServer(hint: { "serving until interrupted; tail it with: weir tail \($0) --token env:TOKEN" }) {
            let server = try EmbeddedServer(
                on: $0, address: listen.address, port: listen.port, scenario: scenario, seed: seed, options: options)
            return (server.url, { server.makeToken() }, { server.close() })
        }
    }

    fileprivate static func groupMe(
        _ seed: UInt64, _ listen: Place, _ options: GroupMeServer.Options
    ) throws -> OwnServer {
        try OwnServer(hint: { _ in "serving GroupMe until interrupted: pushes at /faye, REST at /v3" }) {
            let server = try GroupMeServer(
                on: $0, address: listen.address, port: listen.port, seed: seed, options: options)
            return (server.url, { server.token }, { server.close() })
        }
    }
}

/// The demo of Finish (`samples/profiles/finish.yaml`): one embedded server with a store and a tweet service, each with
/// its own token, and the user's three processes as actions.
enum FinishWorld {
    /// Both resources are links to samples, which tests parse.
    private static let profile = try! Profile(parsing: PackageResources.finish_yaml)
    private static let scenario = try! ProfileScenario(parsing: PackageResources.finish_scenario_yaml, for: profile)

    static let service: EmbeddedService = {
        var service = EmbeddedService.declared((profile, scenario))
        service.demo = { seed in
            try OwnServer(hint: { _ in "" }) {
                let server = try DeclaredServer(on: $0, profile: profile, scenario: scenario, seed: seed)
                return (server.url, { server.token }, { server.close() })
            }
        }
        return service
    }()

    static func backend(at url: String) -> Configuration.BackendKind {
        var profile = profile
        for index in profile.services.indices where profile.services[index].hasOwnAddress {
            profile.services[index].url = url + profile.services[index].basePath
        }
        return .declared(profile)
    }

    /// The token of the tweet service.
    static let tokens = ["twitter": Secret("twitter-token")]

    /// The account is created, and requested again. The list is refreshed twice, the second time without a download. A
    /// tweet is finished.
    static let deeds: [(after: Duration, run: Action.Run)] = [
        (.seconds(1), .init("create-account")), (.seconds(2), .init("create-account")),
        (.seconds(2), .init("refresh")), (.seconds(2), .init("refresh")),
        (.seconds(2), .init("finish", ["tweet": "1", "word": "worm", "right": "true"])),
    ]
}
