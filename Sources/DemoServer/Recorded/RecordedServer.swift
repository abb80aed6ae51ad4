package import Network
import Wire

/// A server that replays the output of another server. It speaks Socket.IO with its own handshakes, sends the recorded
/// events at their times after a client joins the namespace, and answers REST requests with the recorded answers, in
/// order for each method and path.
///
/// Every client gets the recording from its beginning. A client that is cut off at the loss of a recorded connection
/// gets the next connection after it reconnects.
package final class RecordedServer: Sendable {
    /// The URL at which clients reach the server: `http://address:port`.
    package let url: String
    private let hub: RecordedHub
    private let http: HTTPServer

    /// Starts listening on `address` and `port` (0 lets the system choose one), and returns when clients can connect.
    /// Not from the loop.
    package init(
        on loop: EventLoop, address: String = "127.0.0.1", port: UInt16 = 0, script: RecordedScript,
        options: EndpointOptions
    ) throws(NetworkError) {
        hub = RecordedHub(on: loop, script, options)
        http = try HTTPServer(on: loop, address: address, port: port, endpoint: options, handler: hub)
        url = http.url(address)
    }

    /// Stops listening and cuts every connection. The loop must not call it.
    package func close() {
        http.close()
        let hub = hub
        hub.loop.run { hub.assumeIsolated { $0.stop() } }
    }
}
