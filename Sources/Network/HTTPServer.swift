public import Wire

/// A request as the server received it.
public struct ServerRequest: Sendable {
    /// A number no other request of the server has; 0 for one that no server received.
    public internal(set) var id = 0
    /// The method, upper case.
    public var method: String
    /// The path, percent-decoding not done.
    public var path: String
    /// The query without `?`.
    public var query: String
    /// Headers, names lower case.
    public var headers: [(name: String, value: String)]
    /// The whole body.
    public var body: [UInt8]
    /// A request.
    public init(
        method: String, path: String, query: String = "", headers: [(name: String, value: String)] = [],
        body: [UInt8] = []
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
    }
    /// The first header called `name` (lower case).
    public func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
    /// The first query parameter called `name`, percent-decoded.
    public func queryParameter(_ name: String) -> String? {
        for pair in query.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts[0].percentDecoded() == name else { continue }
            return parts.count == 2 ? parts[1].percentDecoded() : ""
        }
        return nil
    }
}

/// Answers requests and WebSockets. All calls are on the loop's thread.
public protocol HTTPServerHandler: AnyObject, Sendable {
    /// Answers a plain request; call `respond` once, now or later, on the loop.
    func handle(_ request: ServerRequest, respond: @escaping @Sendable (HTTPResponse) -> Void)
    /// A request came whose body is still arriving; `handle` or `aborted` follows, with the same `id`.
    func began(_ request: ServerRequest)
    /// The client went away before its request was answered, or before its body was whole; what is said to it now is lost.
    func aborted(_ request: ServerRequest)
    /// Says whether a WebSocket is accepted: nil accepts, a response refuses.
    func refuses(_ upgrade: ServerRequest) -> HTTPResponse?
    /// A WebSocket opened.
    func opened(_ socket: ServerWebSocket, _ upgrade: ServerRequest)
    /// Messages arrived.
    func received(_ messages: [WebSocketMessage], from socket: ServerWebSocket)
    /// A WebSocket is gone.
    func closed(_ socket: ServerWebSocket, _ close: WebSocketClose)
}

extension HTTPServerHandler {
    /// Most handlers wait for the whole request.
    public func began(_ request: ServerRequest) {}
    /// Most handlers answer at once.
    public func aborted(_ request: ServerRequest) {}
}

/// The server's end of a WebSocket. On the loop only.
public final class ServerWebSocket: Sendable, Identifiable {
    private let connection: ServerConnection

    init(_ connection: ServerConnection) { self.connection = connection }

    /// Queues a message. Ignored once the socket is closing.
    public func send(_ message: WebSocketMessage) {
        connection.loop.preconditionOnLoop()
        connection.send(message)
    }
    /// Bytes queued and not yet given to the kernel.
    public var pendingBytes: Int {
        connection.loop.preconditionOnLoop()
        return connection.pendingBytes
    }
    /// Starts the closing handshake, after what is queued; `closed` follows, at the latest after five seconds. `abrupt` cuts the
    /// TCP connection instead.
    public func close(_ close: WebSocketClose, abrupt: Bool = false) {
        connection.loop.preconditionOnLoop()
        connection.close(close, abrupt: abrupt)
    }
}

/// A certificate chain and key for a server, PEM files.
public struct TLSIdentity: Hashable, Sendable {
    /// The chain's path.
    public var certificate: String
    /// The key's path.
    public var key: String
    /// An identity.
    public init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }
}

/// Listens for HTTP and WebSocket connections on an `EventLoop`.
///
/// HTTP/1.1 with kept connections; requests of one connection are answered one after the other. A connection that is idle for a
/// minute, or does not bring a whole request in that time, is closed.
public final class HTTPServer: Sendable {
    /// The port listened on.
    public let port: UInt16
    private let loop: EventLoop
    private let core: HTTPServerCore

    /// Listens on `address` and `port` (0: one the system chooses). Not from the loop; returns when listening.
    ///
    /// The server holds its handler until `close`. `compresses` lets WebSocket clients that offer permessage-deflate have it.
    public init(
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

    /// How many connections were accepted so far. Not from the loop.
    var acceptedConnections: Int {
        let core = self.core
        return loop.perform { core.acceptedConnections } ?? 0
    }

    /// Stops listening and cuts every connection; their WebSockets are told closed. Not from the loop.
    public func close() {
        let core = self.core
        _ = loop.perform { core.close() }
    }
}
