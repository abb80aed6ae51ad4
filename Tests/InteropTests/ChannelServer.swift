import WeirDemoServer
import WeirJSON
import WeirNetwork
import WeirWire

/// A Bayeux server that forwards every publication to its subscribers. It serves WebSockets, long-polling and JSONP as
/// Faye does, without REST. Use it to try out clients.
final class ChannelServer: Sendable {
    /// The base URL, `http://address:port`. The endpoint is at `/faye`.
    let url: String
    private let hub: ChannelHub
    private let http: HTTPServer

    /// Listens on `address` and `port` (0: the system chooses one). If there is a `token`, every subscription and
    /// publication must carry it in `ext.access_token`, as with GroupMe. Do not call this on the loop. Returns when
    /// clients can connect.
    init(
        on loop: EventLoop, address: String = "127.0.0.1", port: UInt16 = 0, token: Secret? = nil,
        configuration: BayeuxServer.Configuration = BayeuxServer.Configuration()
    ) throws(NetworkError) {
        hub = ChannelHub(on: loop, token, configuration)
        http = try HTTPServer(on: loop, address: address, port: port, handler: hub)
        url = "http://\(address):\(http.port)"
    }

    /// Stops listening and cuts every connection. Do not call this on the loop.
    func close() {
        http.close()
        let hub = hub
        hub.loop.run { hub.assumeIsolated { $0.stop() } }
    }
}

/// The actor of the channel server. It lives on the loop, and passes client messages and the time to the endpoint.
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

    /// The listener has closed the clients already.
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
