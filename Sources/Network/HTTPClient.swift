import Glibc
public import Wire

/// One HTTP request.
public struct HTTPRequest: Sendable {
    /// The method, upper case.
    public var method: String
    /// The absolute `http` or `https` URL.
    public var url: URLParts
    /// How the server is reached.
    public var access: Access
    /// Headers in order.
    public var headers: [(name: String, value: String)]
    /// Sent as `Authorization: Bearer …`; never logged.
    public var bearer: Secret?
    /// The body; empty for none.
    public var body: [UInt8]
    /// A form in place of the body; nil for a body.
    public var form: HTTPForm?
    /// Whether it may be sent a second time when a kept connection dies before a byte of the answer came. Otherwise it gets a
    /// connection of its own, so that what makes something makes it once.
    public var isRepeatable = true
    /// Longest time for the whole exchange; nil for no limit.
    public var timeout: Duration?
    /// Largest response body accepted, in bytes, as it is after decoding.
    public var maximumBody: Int
    /// A request.
    public init(
        method: String = "GET", url: URLParts, access: Access = Access(), headers: [(name: String, value: String)] = [],
        bearer: Secret? = nil, body: [UInt8] = [],
        timeout: Duration? = .seconds(30), maximumBody: Int = Limits.standard
    ) {
        self.method = method
        self.url = url
        self.access = access
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
    /// The memory of a large body, to be kept as long as the body is.
    package internal(set) var hold: HTTPBodyHold?
    /// A response.
    public init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// Why there is no response.
public struct HTTPFailure: Error, Hashable, Sendable {
    /// What kind of failure, for deciding about a retry: `resolve` no address; `connect` no connection;
    /// `lost` the connection went before the answer was whole, so that nobody knows what became of the request; `tls` the server is not believed, or does not believe us; `proxy` no tunnel; `tooLarge` an answer above a bound; `protocolError`
    /// anything else, a request that cannot be sent included.
    public enum Kind: String, Hashable, Sendable {
        case resolve, connect, lost, tls, proxy, timeout, cancelled, tooLarge, protocolError
    }
    /// The kind.
    public var kind: Kind
    /// The status with which a proxy refused.
    public var status: Int?
    /// When a connection is to be tried again, as a proxy that refused asks.
    package var retry = Reconnection.later
    /// One line for people, without secrets.
    public var message: String
}

/// HTTP requests with kept connections, by libcurl on a thread of its own; completions are called on the loop.
///
/// Bodies of up to a mebibyte are read side by side, larger ones one after the other (`HTTPResponse.hold`).
///
/// HTTP/1.1; redirects are not followed but given as they are. A request on a kept connection that dies before
/// a byte of the answer came is sent again on a new one. The client lives until `shutDown`.
public final class HTTPClient: Sendable {
    /// Names one exchange, to cancel it.
    public struct ExchangeID: Hashable, Sendable {
        let number: UInt64
    }

    private let loop: EventLoop
    private let inbox: Monitor<CurlInbox>
    private let thread: Monitor<pthread_t?>
    private let multi: CurlMulti

    /// A client that answers on `loop`. At most `connectionsPerHost` connections to one host at a time.
    public init(
        answeringOn loop: EventLoop, connectionsPerHost: Int = 8
    ) throws(NetworkError) {
        let inbox = Monitor(CurlInbox())
        let multi = try CurlMulti(connectionsPerHost: connectionsPerHost)
        self.loop = loop
        self.inbox = inbox
        self.multi = multi
        thread = Monitor(nil)
        let runner = CurlThread(multi: multi, inbox: inbox, loop: loop)
        guard let handle = startJoinableThread(named: "weir-http", { runner.run() }) else {
            multi.cleanUp()
            throw .cannotStart("the system refuses a new thread")
        }
        thread.change { $0 = handle }
    }

    /// Sends a request; `completion` is called exactly once, on the loop, unless the client is shut down. Any thread.
    @discardableResult
    public func send(
        _ request: HTTPRequest, completion: @escaping @Sendable (Result<HTTPResponse, HTTPFailure>) -> Void
    ) -> ExchangeID {
        let number = inbox.change { commands in
            let number = commands.nextNumber()
            commands.add(.start(number, request, .whole(completion)))
            return number
        }
        multi.wake()
        return ExchangeID(number: number)
    }

    /// Sends a request whose answer is told in pieces, on the loop: the head, the body as it comes, and one end, unless the
    /// client is shut down. About a quarter of a mebibyte of the body waits for the loop at most; then the exchange pauses,
    /// and the server is not read. Any thread.
    public func stream(
        _ request: HTTPRequest, handler: @escaping @Sendable (HTTPStreamEvent) -> Void
    ) -> HTTPStream {
        let (loop, inbox, multi) = (self.loop, self.inbox, self.multi)
        let stream = inbox.change { commands in
            let stream = HTTPStream(
                number: commands.nextNumber(), loop: loop, inbox: inbox, multi: multi, handler: handler)
            commands.add(.start(stream.number, request, .pieces(stream)))
            return stream
        }
        multi.wake()
        return stream
    }

    /// Ends an exchange with `.cancelled`, if it has not ended. Any thread.
    public func cancel(_ id: ExchangeID) {
        inbox.change { $0.add(.cancel(id.number)) }
        multi.wake()
    }

    /// Cancels everything and ends the thread. Not from the loop. No completion is called once it returns.
    public func shutDown() {
        precondition(!loop.isOnLoop, "an HTTP client cannot be shut down from its event loop")
        thread.change { handle in
            guard let running = handle else { return }
            inbox.change { $0.isClosed = true }
            multi.wake()
            pthread_join(running, nil)
            handle = nil
        }
        // A completion that is running now ends before this returns.
        _ = loop.perform {}
    }
}
