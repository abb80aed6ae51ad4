import DemoServer
import JSONText
import Network
import Wire

/// A Bayeux server that hands on whatever is published to whoever subscribed, for trying out clients: over WebSockets, long-polling and
/// JSONP, as Faye does. No REST.
final class ChannelServer: Sendable {
    /// Where clients reach it: `http://address:port`; the endpoint is at `/faye`.
    let url: String
    private let hub: ChannelHub
    private let http: HTTPServer

    /// Listens on `address` and `port` (0: one the system chooses). `token`, when there is one, has to be in `ext.access_token` of
    /// every subscription and publication, as GroupMe wants it. Not from the loop; returns when clients can connect.
    init(
        on loop: EventLoop, address: String = "127.0.0.1", port: UInt16 = 0, token: Secret? = nil,
        configuration: BayeuxServer.Configuration = BayeuxServer.Configuration()
    ) throws(NetworkError) {
        hub = ChannelHub(on: loop, token, configuration)
        http = try HTTPServer(on: loop, address: address, port: port, handler: hub)
        url = "http://\(address):\(http.port)"
    }

    /// Stops listening and cuts every connection. Not from the loop.
    func close() {
        http.close()
        let hub = hub
        hub.loop.run { hub.assumeIsolated { $0.stop() } }
    }
}

/// The channel server's hand: lives on the loop, gives the endpoint what clients say and the time.
private actor ChannelHub: ChannelHost {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    var endpoint: BayeuxEndpoint
    private let token: Secret?
    private var timer: (due: Moment, timer: LoopTimer)?

    init(on loop: EventLoop, _ token: Secret?, _ configuration: BayeuxServer.Configuration) {
        self.loop = loop
        self.token = token
        var random = SystemRandomNumberGenerator()
        endpoint = BayeuxEndpoint(on: loop, configuration, seed: random.next())
    }

    /// Clients are gone with the listener.
    func stop() {
        timer?.timer.cancel()
        timer = nil
    }

    var policy: BayeuxServer.Policy {
        let token = self.token
        return { request in
            guard let token else { return nil }
            let ext: RawJSON? =
                switch request {
                case .subscribe(_, let ext), .publish(_, _, let ext): ext
                }
            let shown = ext.flatMap { try? JSONValue(parsing: $0.bytes)["access_token"] }
            return shown == .string(token.reveal()) ? nil : "403::access token authentication failed"
        }
    }

    func settle() {
        let due = endpoint.deadline
        if timer?.due == due { return }
        timer?.timer.cancel()
        timer = due.map { due in
            (due, loop.schedule(at: due) { [weak self] in self?.assumeIsolated { $0.timerFired() } })
        }
    }

    private func timerFired() {
        timer = nil
        _ = endpoint.advance()
        settle()
    }

    func note(_ occasions: [BayeuxServer.Occasion]) {}

    func answer(_ request: ServerRequest) -> HTTPResponse { HTTPResponse(status: 404) }
}
