import CWeirLibWebSockets
import Glibc
package import WeirWire

/// A request as the server received it.
package struct ServerRequest: Sendable {
    /// The server's unique number for the request; 0 for a request that no server received.
    package internal(set) var id = 0
    /// The method, in upper case.
    package var method: String
    /// The path of the target, still percent-encoded.
    package var path: String
    /// The query without its `?`, still percent-encoded.
    package var query: String
    /// The headers in order, with names in lower case.
    package var headers: [(name: String, value: String)]
    /// The whole body; empty if there is none.
    package var body: [UInt8]
    /// Creates a request that no server received; its `id` is 0.
    package init(
        method: String, path: String, query: String = "", headers: [(name: String, value: String)] = [],
        body: [UInt8] = []
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
    }
    /// Returns the value of the first header called `name` (in lower case).
    package func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
    /// Returns the first query parameter called `name`, percent-decoded.
    package func queryParameter(_ name: String) -> String? {
        for pair in query.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts[0].percentDecoded() == name else { continue }
            return parts.count == 2 ? parts[1].percentDecoded() : ""
        }
        return nil
    }
}

/// A handler of requests and WebSockets. The server makes all calls on the loop's thread.
package protocol HTTPServerHandler: AnyObject, Sendable {
    /// Handles a plain request. Call `respond` once, now or later, on the loop.
    func handle(_ request: ServerRequest, respond: @escaping @Sendable (HTTPResponse) -> Void)
    /// Notes a request whose body is still arriving. `handle` or `aborted` follows with the same `id`.
    func began(_ request: ServerRequest)
    /// Notes that the client disconnected before its request was answered, or before its body was complete. A response
    /// is now discarded.
    func aborted(_ request: ServerRequest)
    /// Decides on a WebSocket upgrade. Returns `nil` to accept it, or the response that refuses it.
    func refuses(_ upgrade: ServerRequest) -> HTTPResponse?
    /// Notes that a WebSocket opened after `upgrade` was accepted.
    func opened(_ socket: ServerWebSocket, _ upgrade: ServerRequest)
    /// Handles the messages that arrived on a WebSocket, in order.
    func received(_ messages: [WebSocketMessage], from socket: ServerWebSocket)
    /// Notes that a WebSocket is closed. No messages follow.
    func closed(_ socket: ServerWebSocket, _ close: WebSocketClose)
}

extension HTTPServerHandler {
    /// Does nothing. Most handlers wait for the whole request.
    package func began(_ request: ServerRequest) {}
    /// Does nothing. Most handlers answer at once.
    package func aborted(_ request: ServerRequest) {}
}

/// The server's end of a WebSocket. On the loop only.
package final class ServerWebSocket: Sendable, Identifiable {
    private let connection: ServerConnection

    init(_ connection: ServerConnection) { self.connection = connection }

    /// Queues a message. Ignored once the socket is closing.
    package func send(_ message: WebSocketMessage) {
        connection.loop.preconditionOnLoop()
        connection.send(message)
    }
    /// The number of bytes queued and not yet passed to the kernel.
    package var pendingBytes: Int {
        connection.loop.preconditionOnLoop()
        return connection.pendingBytes
    }
    /// Starts the closing handshake after the queued messages; `closed` follows within five seconds. `abrupt` cuts the
    /// TCP connection instead.
    package func close(_ close: WebSocketClose, abrupt: Bool = false) {
        connection.loop.preconditionOnLoop()
        connection.close(close, abrupt: abrupt)
    }
}

/// The certificate chain and the private key of a server, as PEM files.
package struct TLSIdentity: Hashable, Sendable {
    /// The path of the certificate chain.
    package var certificate: String
    /// The path of the private key.
    package var key: String
    /// Creates an identity from paths. The server reads the files when it starts.
    package init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }
}

/// A server for HTTP and WebSocket connections on an `EventLoop`.
///
/// It speaks HTTP/1.1 with kept connections, and answers the requests of one connection in order. It closes a
/// connection that is idle for a minute, or that does not deliver a whole request in that time.
package final class HTTPServer: Sendable {
    /// The port on which the server listens.
    package let port: UInt16
    private let loop: EventLoop
    private let core: HTTPServerCore

    /// Starts listening on `address` and `port`. Port 0 lets the system choose one. Not from the loop; returns when the
    /// server listens.
    ///
    /// The server retains its handler until `close`. `compresses` allows permessage-deflate for WebSocket clients that
    /// offer it.
    package init(
        on loop: EventLoop, address: String = "127.0.0.1", port: UInt16 = 0, identity: TLSIdentity? = nil,
        maximumBody: Int = 1 << 20, maximumMessage: Int = 1 << 20, compresses: Bool = false,
        handler: any HTTPServerHandler
    ) throws(NetworkError) {
        if let identity { try check(identity) }
        let socket = try listen(address: address, port: port)
        let core = HTTPServerCore(
            loop: loop, maximumBody: maximumBody, maximumMessage: maximumMessage, compresses: compresses,
            handler: handler)
        let isListening = loop.perform { core.open(socket.descriptor, identity: identity) }
        guard isListening == true else {
            throw .cannotListen(
                address: "\(address):\(socket.port)", message: "the event loop does not take the socket")
        }
        self.port = socket.port
        self.loop = loop
        self.core = core
    }

    /// The number of connections accepted so far. Not from the loop.
    var acceptedConnections: Int {
        let core = self.core
        return loop.perform { core.acceptedConnections } ?? 0
    }

    /// Stops listening and cuts every connection. The handler gets `closed` for each WebSocket. Not from the loop.
    package func close() {
        let core = self.core
        _ = loop.perform { core.close() }
    }
}

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
