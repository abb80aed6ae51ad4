import Glibc
import WeirThreads
package import WeirWire

/// An HTTP request and the limits for its exchange.
package struct HTTPRequest: Sendable {
    /// The method, in upper case.
    package var method: String
    /// The absolute `http` or `https` URL.
    package var url: URLParts
    /// The settings for reaching the server.
    package var access: Access
    /// The headers, in the order in which they are sent.
    package var headers: [(name: String, value: String)]
    /// The token for `Authorization: Bearer …`. It is never logged.
    package var bearer: Secret?
    /// The body; empty for a request without one.
    package var body: [UInt8]
    /// A form to send instead of `body`; `nil` to send `body`.
    package var form: HTTPForm?
    /// Whether the request may be sent a second time when a kept connection dies before a byte of the response arrives.
    /// If `false`, the request gets a new connection, so that a request that creates something creates it once.
    package var isRepeatable = true
    /// The longest time for the whole exchange; `nil` for no limit.
    package var timeout: Duration?
    /// The largest response body accepted, in bytes after decoding.
    package var maximumBody: Int
    /// Creates a repeatable request without a form.
    package init(
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

/// An HTTP response with any status.
package struct HTTPResponse: Sendable {
    /// The HTTP status code; 0 before there is one.
    package var status: Int
    /// The headers, with names in lower case.
    package var headers: [(name: String, value: String)]
    /// The whole response body, decoded.
    package var body: [UInt8]
    /// The hold on the memory of a large body. Keep it as long as the body.
    package internal(set) var hold: HTTPBodyHold?
    /// Creates a response that holds no large body.
    package init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// The reason why an exchange produced no response.
package struct HTTPFailure: Error, Hashable, Sendable {
    /// The kind of failure, for decisions about a retry:
    /// - `resolve`: the host has no address.
    /// - `connect`: no connection.
    /// - `lost`: the connection was lost before the response was complete, so the fate of the request is unknown.
    /// - `tls`: the server is not trusted, or does not trust us.
    /// - `proxy`: no tunnel.
    /// - `tooLarge`: a response above a bound.
    /// - `protocolError`: anything else, including a request that cannot be sent.
    package enum Kind: String, Hashable, Sendable {
        case resolve, connect, lost, tls, proxy, timeout, cancelled, tooLarge, protocolError
    }
    /// The kind of failure, for decisions about a retry.
    package var kind: Kind
    /// The status with which a proxy refused; `nil` for other failures.
    package var status: Int?
    /// When to reconnect, as a refusing proxy requests.
    package var retry = Reconnection.later
    /// The failure as one line for people, without secrets.
    package var message: String
}

/// An HTTP/1.1 client with kept connections. It runs libcurl on its own thread and calls completions on the loop.
///
/// Bodies of up to a mebibyte are read in parallel, larger ones one after the other (`HTTPResponse.hold`).
///
/// Redirects are not followed; the caller receives them as responses. A repeatable request on a kept connection that
/// dies before a byte of the response arrives is sent again on a new one. The client lives until `shutDown`.
package final class HTTPClient: Sendable {
    /// The identifier of an exchange, for cancelling it.
    package struct ExchangeID: Hashable, Sendable {
        let number: UInt64
    }

    private let loop: EventLoop
    private let inbox: Monitor<CurlInbox>
    private let thread: Monitor<pthread_t?>
    private let multi: CurlMulti

    /// Creates a client that answers on `loop`. It opens at most `connectionsPerHost` connections to one host at a
    /// time.
    package init(
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

    /// Sends a request. `completion` is called exactly once, on the loop, unless the client is shut down. Any thread.
    @discardableResult
    package func send(
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

    /// Sends a request whose response is delivered in pieces, on the loop: the head, the body as it arrives, and one
    /// end, unless the client is shut down. At most about a quarter of a mebibyte of the body waits for the loop.
    /// Beyond that the exchange pauses, and the server is not read. Any thread.
    package func stream(
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
    package func cancel(_ id: ExchangeID) {
        inbox.change { $0.add(.cancel(id.number)) }
        multi.wake()
    }

    /// Cancels all exchanges and ends the thread. No completion is called after this returns. Not from the loop.
    package func shutDown() {
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

/// An event of a request whose response is delivered in pieces.
package enum HTTPStreamEvent: Sendable {
    /// The response's head, with header names in lower case. The first event, unless the exchange fails before it.
    case head(status: Int, headers: [(name: String, value: String)])
    /// A piece of the body, decoded.
    case chunk([UInt8])
    /// The body is complete; no event follows.
    case end
    /// The exchange failed, perhaps within the body; no event follows.
    case failed(HTTPFailure)
}

/// The receiver of an exchange's response.
enum HTTPReceiver {
    /// A completion, called on the loop with the whole response.
    case whole(@Sendable (Result<HTTPResponse, HTTPFailure>) -> Void)
    /// A stream that delivers the response on the loop as it arrives.
    case pieces(HTTPStream)
}

/// The response to one request, passed in pieces from libcurl's thread to the loop.
package final class HTTPStream: Sendable {
    private struct Waiting {
        var events: [HTTPStreamEvent] = []
        /// Bytes of the chunks not yet delivered to the handler.
        var bytes = 0
        var isReading = true
        /// Whether a delivery is already scheduled on the loop.
        var isAwaited = false
        /// Whether libcurl keeps its bytes because the stream refused them.
        var isPaused = false
        /// The owner's callback; `nil` after the final event.
        var handler: (@Sendable (HTTPStreamEvent) -> Void)?
    }

    /// The bytes that may wait for the loop, and the count at or below which a paused exchange resumes.
    private static let highWater = 256 << 10
    private static let lowWater = 64 << 10
    /// The limit up to which pieces are merged into one chunk. A chunk may hold thousands of packets, and the owner may
    /// pause after any.
    private static let chunkSize = 16 << 10

    private let loop: EventLoop
    private let inbox: Monitor<CurlInbox>
    private let multi: CurlMulti
    private let waiting: Monitor<Waiting>
    let number: UInt64

    init(
        number: UInt64, loop: EventLoop, inbox: Monitor<CurlInbox>, multi: CurlMulti,
        handler: @escaping @Sendable (HTTPStreamEvent) -> Void
    ) {
        self.number = number
        self.loop = loop
        self.inbox = inbox
        self.multi = multi
        waiting = Monitor(Waiting(handler: handler))
    }

    /// Pauses (`false`) or resumes (`true`) delivery. Events wait in the meantime, and when many bytes wait the server
    /// is not read.
    package func setReading(_ reading: Bool) {
        waiting.change { $0.isReading = reading }
        if reading { askForDelivery() }
    }

    /// Cancels the exchange. `failed` follows with `.cancelled`, if the exchange has not ended. Any thread.
    package func cancel() { command(.cancel(number)) }

    /// The number of bytes that wait for the loop, and whether libcurl holds back more.
    var backlog: (bytes: Int, isPaused: Bool) { waiting.change { ($0.bytes, $0.isPaused) } }

    // MARK: On libcurl's thread

    /// Takes a piece of the body. Returns `false` when too much waits; libcurl then keeps the piece until `resume`.
    func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let isTaken = waiting.change { waiting in
            guard waiting.bytes < Self.highWater else {
                waiting.isPaused = true
                return false
            }
            waiting.bytes += bytes.count
            if case .chunk(var chunk)? = waiting.events.last, chunk.count + bytes.count <= Self.chunkSize {
                waiting.events.removeLast()
                chunk.append(contentsOf: bytes)
                waiting.events.append(.chunk(chunk))
            } else {
                waiting.events.append(.chunk(Array(bytes)))
            }
            return true
        }
        if isTaken { askForDelivery() }
        return isTaken
    }

    func put(_ event: HTTPStreamEvent) {
        waiting.change { $0.events.append(event) }
        askForDelivery()
    }

    /// Stops delivery for good, because the client is shut down.
    func silence() {
        waiting.change { $0.handler = nil }
    }

    // MARK: To the loop

    private func askForDelivery() {
        let isNeeded = waiting.change { waiting in
            guard waiting.isReading, !waiting.isAwaited, !waiting.events.isEmpty else { return false }
            waiting.isAwaited = true
            return true
        }
        if isNeeded { loop.run { [self] in deliver() } }
    }

    private func deliver() {
        waiting.change { $0.isAwaited = false }
        while !inbox.change({ $0.isClosed }), let (event, handler) = next() {
            handler(event)
            if case .chunk(let bytes) = event { consumed(bytes.count) }
        }
    }

    /// Removes and returns the next event with its handler, unless the owner has paused.
    private func next() -> (HTTPStreamEvent, @Sendable (HTTPStreamEvent) -> Void)? {
        waiting.change { waiting in
            guard waiting.isReading, let handler = waiting.handler, !waiting.events.isEmpty else { return nil }
            let event = waiting.events.removeFirst()
            switch event {
            case .head, .chunk: break
            case .end, .failed: waiting.handler = nil
            }
            return (event, handler)
        }
    }

    private func consumed(_ count: Int) {
        let resumes = waiting.change { waiting in
            waiting.bytes -= count
            guard waiting.isPaused, waiting.bytes <= Self.lowWater else { return false }
            waiting.isPaused = false
            return true
        }
        if resumes { command(.resume(number)) }
    }

    private func command(_ command: CurlInbox.Command) {
        inbox.change { $0.add(command) }
        multi.wake()
    }
}
