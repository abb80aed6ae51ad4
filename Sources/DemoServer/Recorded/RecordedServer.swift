package import Network
import Wire

/// A server that says again what another one once said: Socket.IO with handshakes of its own, the recorded events at their times after a
/// client joined the namespace, and REST with the recorded answers, in their order for each method and path.
///
/// Every client is told the recording from its beginning. One that is cut off where the recorded connection was lost goes on with the
/// next one when it comes again.
package final class RecordedServer: Sendable {
    /// Where clients reach it: `http://address:port`.
    package let url: String
    private let hub: RecordedHub
    private let http: HTTPServer

    /// Listens on `address` and `port` (0: one the system chooses). Not from the loop; returns when clients can connect.
    package init(
        on loop: EventLoop, address: String = "127.0.0.1", port: UInt16 = 0, script: RecordedScript,
        options: EndpointOptions
    ) throws(NetworkError) {
        hub = RecordedHub(on: loop, script, options)
        http = try HTTPServer(on: loop, address: address, port: port, endpoint: options, handler: hub)
        url = http.url(address)
    }

    /// Stops listening and cuts every connection. Not from the loop.
    package func close() {
        http.close()
        let hub = hub
        hub.loop.run { hub.assumeIsolated { $0.stop() } }
    }
}
