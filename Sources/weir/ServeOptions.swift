import DemoServer

/// The options of `serve`.
struct ServeOptions {
    /// Eras of Twake's REST services.
    enum Era: String, CaseIterable {
        case a, b
    }

    /// What is served.
    enum Service {
        /// The Twake backend with the world of a scenario: a name, or a file.
        case twake(scenario: String)
        /// The GroupMe backend with its own people.
        case groupMe
        case echo(EchoServer.Service)

        init(scenario: String?) {
            switch scenario {
            case "echo": self = .echo(.socketIO)
            case "engine-echo": self = .echo(.engineIO)
            case "groupme": self = .groupMe
            case let scenario: self = .twake(scenario: scenario ?? Scenario.names[0])
            }
        }

        /// The endpoint's path when none is given.
        var path: String {
            switch self {
            case .twake: "/socket/"
            case .groupMe: "/faye"
            case .echo(let service): service.path
            }
        }
    }

    /// Where to listen; port 0 for one the system chooses.
    var listen: (address: String, port: UInt16)
    var service: Service
    var endpoint: EndpointOptions
    /// Which of Twake's eras the REST services are of: in the older one there is only the mobile proxy.
    var era: Era
    var seed: UInt64
    var quiet: Bool

    init(_ arguments: Arguments) throws(UsageError) {
        listen = try arguments.endpoint(.listen) ?? ("127.0.0.1", 0)
        service = Service(scenario: arguments[.scenario])
        let path = arguments[.path] ?? service.path
        guard path.hasPrefix("/"), path.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "?") }) else {
            throw arguments.error("--path: invalid path \(UsageError.quoted(path)); write it like /socket.io/")
        }
        if case .groupMe = service, path != service.path {
            throw arguments.error("--path: GroupMe's push service is at \(service.path)")
        }
        endpoint = EndpointOptions(path: path)
        if let interval = try arguments.milliseconds(.pingInterval) { endpoint.pingInterval = interval }
        if let timeout = try arguments.milliseconds(.pingTimeout) { endpoint.pingTimeout = timeout }
        if let timeout = try arguments.milliseconds(.connectTimeout) { endpoint.connectTimeout = timeout }
        if let absence = try arguments.milliseconds(.recovery) {
            guard case .echo(.socketIO) = service else {
                throw arguments.error("--recovery is for --scenario echo: Twake's server recovers no connections")
            }
            endpoint.recovery = absence
        }
        if let bytes = try arguments.count(.maxPayload) {
            guard bytes <= 1 << 30 else {
                throw arguments.error("--max-payload: \(bytes) is more than \(1 << 30) bytes")
            }
            endpoint.maxPayload = bytes
            // An echo of the largest message must find room.
            endpoint.maximumPending = max(endpoint.maximumPending, 4 * bytes)
        }
        era = try arguments.choice(.era) ?? .b
        seed = try arguments.seed(.seed) ?? 1
        quiet = arguments.has(.quiet)
    }
}
