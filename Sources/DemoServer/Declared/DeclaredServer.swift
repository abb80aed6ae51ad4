package import Network
package import Pipeline
package import Wire

/// A server that simulates the backend a profile declares, for demonstrations and tests. It offers Socket.IO, Bayeux or
/// a plain WebSocket, rooms, and REST with rows in memory. A scenario defines the rows and the events; without one,
/// both are generated from the seed.
///
/// It knows only the profile, not how the pipeline reads it, so that each implementation can reveal the other's
/// mistakes.
package final class DeclaredServer: Sendable {
    /// The URL at which clients reach the server: `http://address:port`.
    package let url: String
    /// A token that the server accepts.
    package let token: Secret
    private let http: HTTPServer
    private let host: any DeclaredHost

    /// Starts listening on `address` and `port` (0 lets the system choose one), and returns when clients can connect.
    /// The profile defines the endpoint's path. The script starts with the server, or when the first client has joined
    /// its rooms. Not from the loop.
    package init(
        on loop: EventLoop, address: String = "127.0.0.1", port: UInt16 = 0, profile: Profile,
        scenario: ProfileScenario?, seed: UInt64 = 1, startsAtOnce: Bool = false, options: EndpointOptions? = nil
    ) throws(NetworkError) {
        let service = DeclaredService(profile, scenario, seed: seed, startsAtOnce: startsAtOnce, at: loop.now)
        let realtime = profile.realtime
        let usual = EndpointOptions(path: realtime.path ?? realtime.transport.usualPath)
        // Without a realtime connection, every path except this one belongs to the services.
        let options = realtime.transport == .none ? EndpointOptions(path: "/socket.io/") : options ?? usual
        token = Secret(service.token)
        let handler: any DeclaredHost & HTTPServerHandler =
            switch profile.realtime.transport {
            // Without a realtime connection there is only REST, and no client requests the endpoint.
            case .socketio, .none: DeclaredSocketIO(on: loop, service, options, seed: seed)
            case .bayeux: DeclaredChannels(on: loop, service, options, seed: seed)
            case .websocket: DeclaredMessages(on: loop, service, options, seed: seed)
            }
        host = handler
        http = try HTTPServer(on: loop, address: address, port: port, endpoint: options, handler: handler)
        url = http.url(address)
        handler.loop.run { [handler] in handler.assumeIsolated { $0.open() } }
    }

    /// Stops listening, cuts every connection and stops the script. The loop must not call it.
    package func close() {
        http.close()
        host.loop.run { [host] in host.assumeIsolated { $0.stop() } }
    }
}
