package import Network
import Wire

/// A server that says back what it hears, for trying out clients: Socket.IO or bare Engine.IO, Engine.IO 3 and 4, over polling,
/// WebSocket and the upgrade between them. No token, no REST.
///
/// With `EndpointOptions.recovery` clients of Engine.IO 4 that were cut off are given what they missed; then every event has one
/// argument more, its offset, as the JavaScript server's have.
///
/// A client that does not read is dropped when `EndpointOptions.maximumPending` bytes wait for it.
package final class EchoServer: Sendable {
    /// What it speaks.
    package enum Service: Hashable, Sendable {
        /// Socket.IO with the namespaces `/` and `/custom`. A client that joins one is sent `auth` with the payload it joined with. `message`
        /// is answered by `message-back` with the same arguments, `message-with-ack` is acknowledged with them.
        case socketIO
        /// Engine.IO: every message goes back as it came.
        case engineIO

        /// Where it is when nothing is said: `/socket.io/` or `/engine.io/`.
        package var path: String {
            switch self {
            case .socketIO: "/socket.io/"
            case .engineIO: "/engine.io/"
            }
        }
    }

    /// Where clients reach it: `http://address:port`.
    package let url: String
    private let hub: EchoHub
    private let http: HTTPServer

    /// Listens on `address` and `port` (0: one the system chooses). Not from the loop; returns when clients can connect.
    package init(
        on loop: EventLoop, address: String = "127.0.0.1", port: UInt16 = 0, service: Service = .socketIO,
        options: EndpointOptions? = nil
    ) throws(NetworkError) {
        let options = options ?? EndpointOptions(path: service.path)
        hub = EchoHub(on: loop, service, options)
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
