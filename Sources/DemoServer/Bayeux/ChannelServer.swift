package import Network
package import Wire

/// A Bayeux server that hands on whatever is published to whoever subscribed, for trying out clients: over WebSockets, long-polling and
/// JSONP, as Faye does. No REST.
package final class ChannelServer: Sendable {
    /// Where clients reach it: `http://address:port`; the endpoint is at `/faye`.
    package let url: String
    private let hub: ChannelHub
    private let http: HTTPServer

    /// Listens on `address` and `port` (0: one the system chooses). `token`, when there is one, has to be in `ext.access_token` of
    /// every subscription and publication, as GroupMe wants it. Not from the loop; returns when clients can connect.
    package init(
        on loop: EventLoop, address: String = "127.0.0.1", port: UInt16 = 0, token: Secret? = nil,
        configuration: BayeuxServer.Configuration = BayeuxServer.Configuration()
    ) throws(NetworkError) {
        hub = ChannelHub(on: loop, token, configuration)
        http = try HTTPServer(on: loop, address: address, port: port, handler: hub)
        url = http.url(address)
    }

    /// Stops listening and cuts every connection. Not from the loop.
    package func close() {
        http.close()
        let hub = hub
        hub.loop.run { hub.assumeIsolated { $0.stop() } }
    }
}
