import CLibWebSockets
import Glibc

/// The state of a server that belongs to the loop's thread.
final class HTTPServerCore: @unchecked Sendable {
    // Unchecked: all `var`s are used on the loop's thread only.

    let loop: EventLoop
    let maximumBody: Int
    let maximumMessage: Int
    /// Whether WebSocket messages are compressed for clients that offer it.
    let compresses: Bool
    private(set) var handler: (any HTTPServerHandler)?
    private(set) var acceptedConnections = 0
    private var requests = 0
    /// The listening socket. The loop retains it while it is open.
    private weak var listener: ListeningSocket?
    private var connections: [UInt: ServerConnection] = [:]
    /// The virtual host with the certificate; without one, the loop's plain host.
    private var host: OpaquePointer?

    init(
        loop: EventLoop, maximumBody: Int, maximumMessage: Int, compresses: Bool, handler: any HTTPServerHandler
    ) {
        self.loop = loop
        self.maximumBody = maximumBody
        self.maximumMessage = maximumMessage
        self.compresses = compresses
        self.handler = handler
    }

    /// Starts accepting connections. Returns `false` when libwebsockets refuses; the descriptor is then closed.
    func open(_ descriptor: Int32, identity: TLSIdentity?) -> Bool {
        host = identity.map(makeHost) ?? loop.core.plainHost
        guard host != nil else {
            Glibc.close(descriptor)
            return false
        }
        let listener = ListeningSocket(loop: loop, descriptor: descriptor) { [self] in accept($0) }
        self.listener = listener
        return listener != nil
    }

    /// Makes a virtual host that does not listen itself. Accepted connections are adopted into it.
    private func makeHost(_ identity: TLSIdentity) -> OpaquePointer? {
        identity.certificate.withCString { certificate in
            identity.key.withCString { key in
                loop.makeHost(named: "server-\(loop.core.makeHandle())") { info in
                    info.port = CONTEXT_PORT_NO_LISTEN_SERVER
                    // The second option keeps libwebsockets from making a client's context for this host.
                    info.options =
                        UInt64(LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT)
                        | UInt64(LWS_SERVER_OPTION_ADOPT_APPLY_LISTEN_ACCEPT_CONFIG)
                    info.ssl_cert_filepath = certificate
                    info.ssl_private_key_filepath = key
                }
            }
        }
    }

    private func accept(_ descriptor: Int32) {
        guard let connection = ServerConnection(server: self, host: host, descriptor: descriptor) else { return }
        connections[connection.handle] = connection
        acceptedConnections += 1
    }

    /// Returns a number that no other request of this server has.
    func makeRequestID() -> Int {
        requests += 1
        return requests
    }

    func forget(_ connection: ServerConnection) {
        connections[connection.handle] = nil
    }

    /// Stops listening and cuts the connections.
    func close() {
        listener?.close()
        for connection in connections.values {
            connection.drop()
            // The handler gets `closed` for each WebSocket before it is released.
            connection.deliver()
        }
        handler = nil
    }
}
