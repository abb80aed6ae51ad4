import DemoServer
import Glibc
import Live
import Network
import Pipeline
import Wire

/// A server that `serve` and `demo` can begin. `all` is their registry: a row for each.
struct EmbeddedService: Sendable {
    /// What it is called, as in `--backend groupme` and `--scenario groupme`.
    var name: String
    /// The endpoint's path when none is given.
    var path: String
    /// What is at that path and at no other; nil where it can be moved.
    var fixture: String?
    /// Whether it takes lost connections up again.
    var recovers = false
    /// Whether it takes --strict-rooms and --room-limit.
    var refusesRooms = false
    /// Begins to serve.
    var serve: @Sendable (ServeOptions) throws -> OwnServer
    /// Begins the world of `demo` from a seed, where things go wrong on the way; nil for what has no world.
    var demo: (@Sendable (_ seed: UInt64) throws -> OwnServer)?

    /// Every server there is. The first has worlds, which `--scenario` names; each of the others is named itself.
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
            // The token expires, and later the server is started again, which cuts the connection and leaves a gap.
            demo: { seed in
                let troubles: [EmbeddedServer.Trouble] = [
                    .init(at: .milliseconds(6_500), .tokensExpire), .init(at: .seconds(9), .restart),
                ]
                return try .twake(Scenario.names[0], seed, OwnServer.here, .init(troubles: troubles))
            }),
        EmbeddedService(
            name: "groupme", path: "/faye", fixture: "GroupMe's push service",
            serve: { try .groupMe($0.seed, $0.listen, .init(pace: $0.rate ?? 1)) },
            // The connection is cut, and its session taken up again; later the server is started again, and no session is known any more.
            demo: { seed in
                let troubles: [GroupMeServer.Trouble] = [
                    .init(at: .milliseconds(6_500), .cut), .init(at: .seconds(9), .restart),
                ]
                return try .groupMe(seed, OwnServer.here, .init(troubles: troubles))
            }),
        .echo("echo", .socketIO, recovers: true), .echo("engine-echo", .engineIO), FinishWorld.service,
    ]

    /// What `--scenario` can name.
    static let scenarios = Scenario.names + all.dropFirst().map(\.name)

    /// The backend that a profile declares.
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

    /// What `demo` can play.
    struct World: Sendable {
        /// What it is called.
        var name: String
        /// What its server at an address speaks.
        var backend: @Sendable (_ url: String) -> Configuration.BackendKind
        /// Begins it from a seed.
        var start: @Sendable (_ seed: UInt64) throws -> OwnServer
        /// The tokens of services at addresses of their own.
        var tokens: [String: Secret] = [:]
        /// What its user has done, each a while after the one before.
        var deeds: [(after: Duration, run: Action.Run)] = []
    }

    /// The worlds of those that have one.
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

/// A server of this process, as its clients see it, and the loop it runs on.
struct OwnServer: Sendable {
    /// Where to listen; port 0 for one the system chooses.
    typealias Place = (address: String, port: UInt16)
    static let here: Place = ("127.0.0.1", 0)

    /// Where it is.
    let url: String
    /// What `serve` tells a person.
    let hint: String
    /// A token it takes; nil where it asks for none.
    let makeToken: @Sendable () -> Secret?
    private let close: @Sendable () -> Void
    private let loop: EventLoop

    /// Listens when it returns.
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

    /// Serves until a signal comes, and says where.
    func run(quiet: Bool, tokenFile: String? = nil) async -> ExitCode {
        let token = makeToken()
        if let tokenFile, let token, let problem = WholeFile.write(Array((token.reveal() + "\n").utf8), to: tokenFile) {
            await shutDown()
            return Console.fail(Trouble("\(tokenFile) cannot be written: \(problem)", .cannotWrite))
        }
        let signal = await withCheckedContinuation { continuation in
            Signals.onFirst { continuation.resume(returning: $0) }
            // Only now, so that a reader of this line may end the server in order.
            let line = token.map { "token \(tokenFile.map { "file:" + $0 } ?? $0.reveal())\n" } ?? ""
            _ = Console.print("url \(url)\n\(line)")
            if !quiet { Console.note(hint) }
        }
        await shutDown()
        return ExitCode(endedBy: signal)
    }

    /// Closes every connection and ends the loop's thread.
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

    /// `scenario` is a name or a file.
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
