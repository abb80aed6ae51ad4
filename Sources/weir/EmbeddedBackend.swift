import DemoServer
import Network
import Wire

/// A server of this process, as its clients see it.
protocol OwnBackend: Sendable {
    /// Where it is.
    var url: String { get }
    /// What `serve` tells a person.
    var hint: String { get }
    /// A token it takes; nil where it asks for none.
    func makeToken() -> Secret?
    /// Closes every connection and ends the loop's thread.
    func shutDown() async
}

/// The embedded backend and the loop it runs on.
struct EmbeddedBackend: OwnBackend {
    let server: EmbeddedServer
    private let loop: EventLoop

    /// Listens when it returns. `scenario` is a name or a file; nil for the one there is.
    init(
        scenario: String?, seed: UInt64, listen: (address: String, port: UInt16) = ("127.0.0.1", 0),
        endpoint: EndpointOptions = EndpointOptions(path: "/socket/"), hasCore: Bool = true,
        troubles: [EmbeddedServer.Trouble] = []
    ) throws {
        var options = EmbeddedServer.Options(endpoint: endpoint, troubles: troubles)
        options.hasCore = hasCore
        let scenario = try Scenario.load(scenario ?? Scenario.names[0], seed: seed)
        loop = try EventLoop(name: "weir-backend")
        server = try EmbeddedServer(
            on: loop, address: listen.address, port: listen.port, scenario: scenario, seed: seed,
            options: options)
    }

    var url: String { server.url }

    var hint: String { "serving until interrupted; tail it with: weir tail \(url) --token env:TOKEN" }

    func makeToken() -> Secret? { server.makeToken() }

    /// Closes every connection and ends the loop's thread.
    func shutDown() async {
        let server = server
        await end(loop) { server.close() }
    }
}

/// The embedded GroupMe backend and the loop it runs on.
struct GroupMeBackend: OwnBackend {
    let server: GroupMeServer
    private let loop: EventLoop

    /// Listens when it returns.
    init(
        seed: UInt64, listen: (address: String, port: UInt16) = ("127.0.0.1", 0),
        options: GroupMeServer.Options = GroupMeServer.Options()
    ) throws {
        loop = try EventLoop(name: "weir-backend")
        server = try GroupMeServer(on: loop, address: listen.address, port: listen.port, seed: seed, options: options)
    }

    var url: String { server.url }

    var hint: String { "serving GroupMe until interrupted: pushes at /faye, REST at /v3" }

    func makeToken() -> Secret? { server.token }

    /// Closes every connection and ends the loop's thread.
    func shutDown() async {
        let server = server
        await end(loop) { server.close() }
    }
}

/// An echo server and the loop it runs on.
struct EchoBackend: OwnBackend {
    let server: EchoServer
    private let loop: EventLoop

    /// Listens when it returns.
    init(
        _ service: EchoServer.Service, listen: (address: String, port: UInt16), _ endpoint: EndpointOptions
    ) throws {
        loop = try EventLoop(name: "weir-backend")
        server = try EchoServer(
            on: loop, address: listen.address, port: listen.port, service: service, options: endpoint)
    }

    var url: String { server.url }

    var hint: String { "serving an echo until interrupted" }

    func makeToken() -> Secret? { nil }

    /// Closes every connection and ends the loop's thread.
    func shutDown() async {
        let server = server
        await end(loop) { server.close() }
    }
}

/// Closes what runs on a loop, then the loop.
private func end(_ loop: EventLoop, close: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
        // The loop's thread cannot wait for its own end.
        runOnThread(named: "weir-shutdown") {
            close()
            loop.shutDown()
            continuation.resume()
        }
    }
}
