import DemoServer

/// The options of `serve`.
struct ServeOptions {
    /// Eras of Twake's REST services.
    enum Era: String, CaseIterable {
        case a, b
    }

    /// What is served: a row of `named`, or a world of the first backend.
    struct Service {
        /// The endpoint's path when none is given.
        var path: String
        /// Whether it can be at another one.
        var isMovable = true
        /// Whether it takes lost connections up again.
        var recovers = false
        /// Begins to serve.
        var start: @Sendable (ServeOptions) throws -> any OwnBackend

        /// What has a name of its own.
        static let named: [String: Service] = [
            "echo": .echo(.socketIO), "engine-echo": .echo(.engineIO),
            "groupme": Service(path: "/faye", isMovable: false) { options in
                try GroupMeBackend(seed: options.seed, listen: options.listen)
            },
        ]

        /// A workspace and its team, by the name of its script, or its file.
        static func world(_ scenario: String) -> Service {
            Service(path: "/socket/") { options in
                try EmbeddedBackend(
                    scenario: scenario, seed: options.seed, listen: options.listen, endpoint: options.endpoint,
                    hasCore: options.era == .b)
            }
        }

        private static func echo(_ service: EchoServer.Service) -> Service {
            Service(path: service.path, recovers: service == .socketIO) { options in
                try EchoBackend(service, listen: options.listen, options.endpoint)
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
        let scenario = arguments[.scenario] ?? Scenario.names[0]
        service = Service.named[scenario] ?? .world(scenario)
        let path = arguments[.path] ?? service.path
        guard path.hasPrefix("/"), path.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "?") }) else {
            throw arguments.error("--path: invalid path \(UsageError.quoted(path)); write it like /socket.io/")
        }
        guard service.isMovable || path == service.path else {
            throw arguments.error("--path: GroupMe's push service is at \(service.path)")
        }
        endpoint = EndpointOptions(path: path)
        if let interval = try arguments.milliseconds(.pingInterval) { endpoint.pingInterval = interval }
        if let timeout = try arguments.milliseconds(.pingTimeout) { endpoint.pingTimeout = timeout }
        if let timeout = try arguments.milliseconds(.connectTimeout) { endpoint.connectTimeout = timeout }
        if let absence = try arguments.milliseconds(.recovery) {
            guard service.recovers else {
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
