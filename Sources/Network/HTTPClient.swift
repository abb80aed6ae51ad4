public import Wire

/// One HTTP request.
public struct HTTPRequest: Sendable {
    /// The method, upper case.
    public var method: String
    /// The absolute `http` or `https` URL.
    public var url: URLParts
    /// Headers in order.
    public var headers: [(name: String, value: String)]
    /// Sent as `Authorization: Bearer …`; never logged.
    public var bearer: Secret?
    /// The body; empty for none.
    public var body: [UInt8]
    /// Longest time for the whole exchange.
    public var timeout: Duration
    /// Largest response body accepted, in bytes.
    public var maximumBody: Int
    /// A request.
    public init(
        method: String = "GET", url: URLParts, headers: [(name: String, value: String)] = [], bearer: Secret? = nil,
        body: [UInt8] = [],
        timeout: Duration = .seconds(30), maximumBody: Int = 64 << 20
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.bearer = bearer
        self.body = body
        self.timeout = timeout
        self.maximumBody = maximumBody
    }
}

/// One HTTP response, whatever its status.
public struct HTTPResponse: Sendable {
    /// The status code.
    public var status: Int
    /// Headers, names lower case.
    public var headers: [(name: String, value: String)]
    /// The whole body.
    public var body: [UInt8]
    /// A response.
    public init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// Why there is no response.
public struct HTTPFailure: Error, Hashable, Sendable {
    /// What kind of failure, for deciding about a retry.
    public enum Kind: String, Hashable, Sendable {
        case resolve, connect, tls, timeout, cancelled, tooLarge, protocolError
    }
    /// The kind.
    public var kind: Kind
    /// One line for people, without secrets.
    public var message: String
    /// A failure.
    public init(kind: Kind, message: String) {
        self.kind = kind
        self.message = message
    }
}

/// HTTP requests with kept connections, by libcurl on a thread of its own; completions are called on the loop.
public final class HTTPClient: Sendable {
    /// Names one exchange, to cancel it.
    public struct ExchangeID: Hashable, Sendable {
        let number: UInt64
    }
    /// A client that answers on `loop`. At most `connectionsPerHost` connections to one host at a time.
    public init(answeringOn loop: EventLoop, trust: TLSTrust = .system, connectionsPerHost: Int = 8)
        throws(NetworkError)
    { fatalError("stub") }
    /// Sends a request; `completion` is called exactly once, on the loop, unless the client is shut down. Any thread.
    @discardableResult
    public func send(
        _ request: HTTPRequest, completion: @escaping @Sendable (Result<HTTPResponse, HTTPFailure>) -> Void
    ) -> ExchangeID { fatalError("stub") }
    /// Ends an exchange with `.cancelled`, if it has not ended. Any thread.
    public func cancel(_ id: ExchangeID) { fatalError("stub") }
    /// Cancels everything and ends the thread. Not from the loop.
    public func shutDown() { fatalError("stub") }
}
