import Network
import Wire

/// What an Engine.IO endpoint is told once. The standard values are the JavaScript server's, but for the bounds it does not have.
package struct EndpointOptions: Hashable, Sendable {
    /// Where it is; begins and ends with a slash.
    package let path: String
    /// Time between heartbeats.
    package var pingInterval: Duration
    /// How long a heartbeat may be missing.
    package var pingTimeout: Duration
    /// How long a client may stay without a namespace.
    package var connectTimeout: Duration
    /// Bytes of one message, and of one polling body.
    package var maxPayload: Int
    /// Bytes that may wait for a client that does not read or ask for them; then its session ends.
    package var maximumPending: Int
    /// Sessions at one time; more are refused with 503.
    package var maximumSessions: Int
    /// How long a client that was cut off may come back and be given what it missed (reference 1.12); nil for not at all. The echo
    /// server's only.
    package var recovery: Duration?

    /// Options. A path without its slashes gets them.
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

    /// What a session's Socket.IO machine is told.
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
    /// A server for an endpoint: it takes messages up to the endpoint's limit, and bodies up to that or, for REST, `largestBody`.
    convenience init(
        on loop: EventLoop, address: String, port: UInt16, endpoint: EndpointOptions, largestBody: Int = 1 << 20,
        handler: any HTTPServerHandler
    ) throws(NetworkError) {
        try self.init(
            on: loop, address: address, port: port, maximumBody: max(largestBody, endpoint.maxPayload),
            maximumMessage: endpoint.maxPayload, handler: handler)
    }

    /// Where clients on this machine reach it.
    func url(_ address: String) -> String { "http://\(address.contains(":") ? "[\(address)]" : address):\(port)" }
}
