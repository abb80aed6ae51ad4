package import Network
import Wire

/// A server that echoes what it receives, for trying out clients. It speaks Socket.IO or bare Engine.IO, in Engine.IO 3
/// and 4, over polling, WebSocket and the upgrade between them. It has no tokens and no REST.
///
/// With `EndpointOptions.recovery`, disconnected clients of Engine.IO 4 recover missed events. Every event then has one
/// more argument, its offset, as with the JavaScript server.
///
/// A client that does not read is disconnected when `EndpointOptions.maximumPending` bytes wait for it.
package final class EchoServer: Sendable {
    /// The protocol that the server speaks.
    package enum Service: Hashable, Sendable {
        /// Socket.IO with the namespaces `/` and `/custom`. A client that joins one receives `auth` with the payload it
        /// joined with. The server answers `message` with `message-back` and the same arguments, and acknowledges
        /// `message-with-ack` with its arguments.
        case socketIO
        /// Engine.IO: every message is returned unchanged.
        case engineIO

        /// The protocol's default path: `/socket.io/` or `/engine.io/`.
        package var path: String {
            switch self {
            case .socketIO: "/socket.io/"
            case .engineIO: "/engine.io/"
            }
        }
    }

    /// The URL at which clients reach the server: `http://address:port`.
    package let url: String
    private let hub: EchoHub
    private let http: HTTPServer

    /// Starts listening on `address` and `port` (0 lets the system choose one), and returns when clients can connect.
    /// Not from the loop.
    package init(
        on loop: EventLoop, address: String = "127.0.0.1", port: UInt16 = 0, service: Service = .socketIO,
        options: EndpointOptions? = nil
    ) throws(NetworkError) {
        let options = options ?? EndpointOptions(path: service.path)
        hub = EchoHub(on: loop, service, options)
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
