import WeirNetwork
import WeirWire

/// The options of an Engine.IO endpoint. The defaults are the JavaScript server's, except for limits that it lacks.
package struct EndpointOptions: Hashable, Sendable {
    /// The endpoint's path, which begins and ends with a slash.
    package let path: String
    /// The time between two heartbeats.
    package var pingInterval: Duration
    /// The time that a client may take to answer a heartbeat.
    package var pingTimeout: Duration
    /// The time that a client may stay without a namespace.
    package var connectTimeout: Duration
    /// The maximum size of a message and of a polling body, in bytes.
    package var maxPayload: Int
    /// The number of bytes that may wait for a slow client before its session ends.
    package var maximumPending: Int
    /// The maximum number of sessions at a time. Further ones are refused with 503.
    package var maximumSessions: Int
    /// The time within which a disconnected client may return and recover missed events (Socket.IO SIO-15); `nil` for
    /// no recovery. Only the echo server supports it.
    package var recovery: Duration?

    /// Creates options. Missing slashes are added to the path.
    package init(
        path: String = "/socket.io/", pingInterval: Duration = .seconds(25), pingTimeout: Duration = .seconds(20),
        connectTimeout: Duration = .seconds(45), maxPayload: Int = 1_000_000, maximumPending: Int = 8 << 20,
        maximumSessions: Int = 3_000, recovery: Duration? = nil
    ) {
        self.path = "/" + path.split(separator: "/").map { $0 + "/" }.joined()
        self.pingInterval = pingInterval
        self.pingTimeout = pingTimeout
        self.connectTimeout = connectTimeout
        self.maxPayload = maxPayload
        self.maximumPending = maximumPending
        self.maximumSessions = maximumSessions
        self.recovery = recovery
    }

    /// Returns the configuration of a session's Socket.IO machine.
    func socketIO(
        _ opening: SessionOpening, namespaces: [String] = ["/"], recoverySecret: Secret? = nil
    ) -> SocketIOServer.Configuration {
        SocketIOServer.Configuration(
            revision: opening.revision, sid: opening.sid, pingInterval: pingInterval, pingTimeout: pingTimeout,
            connectTimeout: connectTimeout, maxPayload: maxPayload, namespaces: namespaces, upgrades: opening.upgrades,
            recoverySecret: recoverySecret)
    }
}

extension HTTPServer {
    /// Creates a server for an endpoint. It accepts messages up to the endpoint's limit, and bodies up to that limit or
    /// `largestBody`, whichever is larger, for REST.
    convenience init(
        on loop: EventLoop, address: String, port: UInt16, endpoint: EndpointOptions, largestBody: Int = 1 << 20,
        handler: any HTTPServerHandler
    ) throws(NetworkError) {
        try self.init(
            on: loop, address: address, port: port, maximumBody: max(largestBody, endpoint.maxPayload),
            maximumMessage: endpoint.maxPayload, handler: handler)
    }

    /// Returns the URL at which clients on this machine reach the server.
    func url(_ address: String) -> String { "http://\(address.contains(":") ? "[\(address)]" : address):\(port)" }
}

/// An Engine.IO endpoint's decision about a request, before it acts on it (Engine.IO EIO-1, EIO-32).
enum EndpointVerdict: Hashable, Sendable {
    /// The request is not for the endpoint's path.
    case elsewhere
    case refused(EngineIO.Refusal)
    /// A handshake. `isBase64` means that the client requested base64 instead of binary data.
    case opens(EngineIO.Revision, isBase64: Bool)
    /// A request of the session with this id.
    case belongs(sid: String)

    /// Decides about a request. `transport` returns the current transport of a session by its id. The path only needs
    /// the endpoint's path as a prefix.
    init(
        method: String, path: String, query: String, isUpgrade: Bool, endpoint: String,
        transport: (String) -> EngineIOServerTransport.Transport?
    ) {
        guard path.hasPrefix(endpoint) else {
            self = .elsewhere
            return
        }
        let pairs = PercentText.pairs(query)
        func value(_ name: String) -> String? { pairs.first { $0.name == name }?.value }
        // The checks have the same order as in the JavaScript server.
        guard let asked = value("transport").flatMap(Self.transport) else {
            self = .refused(.transportUnknown)
            return
        }
        if let sid = value("sid"), !sid.isEmpty {
            self = Self.verdict(on: sid, asked, isUpgrade: isUpgrade, transport(sid))
        } else if method != "GET" {
            self = .refused(.badHandshakeMethod)
        } else if isUpgrade != (asked == .webSocket) {
            self = .refused(.badRequest)
        } else if let revision = value("EIO").flatMap({ Int($0) }).flatMap(EngineIO.Revision.init) {
            self = .opens(revision, isBase64: value("b64").map { !$0.isEmpty } ?? false)
        } else {
            self = .refused(.unsupportedVersion)
        }
    }

    private static func transport(_ name: String) -> EngineIOServerTransport.Transport? {
        switch name {
        case "polling": .polling
        case "websocket": .webSocket
        default: nil
        }
    }

    private static func verdict(
        on sid: String, _ asked: EngineIOServerTransport.Transport, isUpgrade: Bool,
        _ ridesOn: EngineIOServerTransport.Transport?
    ) -> EndpointVerdict {
        guard let ridesOn else { return .refused(.sessionUnknown) }
        let fits = isUpgrade ? asked == .webSocket : asked == ridesOn && asked == .polling
        return fits ? .belongs(sid: sid) : .refused(.badRequest)
    }
}
