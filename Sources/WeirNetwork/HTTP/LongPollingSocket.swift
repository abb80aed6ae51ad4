package import WeirWire

/// A transport for Bayeux frames without a WebSocket. Each sent frame is a POST, and each response is a received frame
/// (Bayeux 1.0, 6.2). All calls and callbacks are on the loop's thread.
///
/// The socket is open from the start. No request serves only to open it; the first response shows whether the server is
/// reachable. A request that fails, or that is answered with a status other than 200, closes the socket, as a network
/// failure closes a WebSocket. The owner limits how long a response may take.
package actor LongPollingSocket {
    /// The number of requests at a time. The server holds one until it has a message; the other serves everything else
    /// (Bayeux 1.0, 2.2.1).
    private static let mostRequests = 2
    /// The time that closing waits for the answer to the last frame.
    private static let patience: Duration = .seconds(2)

    /// The loop's executor, to which the actor is pinned.
    package nonisolated let unownedExecutor: UnownedSerialExecutor
    private let loop: EventLoop
    private let http: HTTPClient
    private let url: URLParts
    private let access: Access
    private let maximumMessage: Int
    private let handler: @Sendable (WebSocketEvent) -> Void
    /// The running requests in the order of sending, each with its number.
    private var requests: [(number: Int, exchange: HTTPClient.ExchangeID)] = []
    private var sent = 0
    /// Frames that wait until a request ends.
    private var waiting: [[UInt8]] = []
    /// Responses received while reading is paused.
    private var unread: [WebSocketMessage] = []
    private var isReading = true
    /// The close code and reason, once the owner has called `close`.
    private var closing: WebSocketClose?
    private var isOver = false

    /// Creates an open socket. Call this on the loop's thread.
    ///
    /// - Parameters:
    ///   - http: The client that sends the requests. It must answer on the same loop.
    ///   - maximumMessage: The largest response in bytes. A larger one closes the socket.
    ///   - handler: Called on the loop, and never before the initialiser returns.
    package init(
        on loop: EventLoop, http: HTTPClient, _ url: URLParts, access: Access,
        maximumMessage: Int = Limits.standard, handler: @escaping @Sendable (WebSocketEvent) -> Void
    ) {
        unownedExecutor = loop.asUnownedSerialExecutor()
        self.loop = loop
        self.http = http
        self.url = url
        self.access = access
        self.maximumMessage = maximumMessage
        self.handler = handler
        loop.run { handler(.opened) }
    }

    /// Queues a frame. Ignored once the socket is closing.
    package nonisolated func send(_ message: WebSocketMessage) { assumeIsolated { $0.queue(Array(message.bytes)) } }

    /// Closes the socket once the last frame is answered, or after two seconds. `closed` follows.
    package nonisolated func close(_ close: WebSocketClose) { assumeIsolated { $0.begin(close) } }

    /// Pauses (`false`) or resumes (`true`) reading. Responses that arrive while paused are kept. They are two at most,
    /// since a paused owner sends no frame.
    package nonisolated func setReading(_ reading: Bool) { assumeIsolated { $0.read(reading) } }

    private func queue(_ frame: [UInt8]) {
        guard closing == nil, !isOver else { return }
        waiting.append(frame)
        sendWaiting()
    }

    private func sendWaiting() {
        while requests.count < Self.mostRequests, !waiting.isEmpty {
            let request = HTTPRequest(
                method: "POST", url: url, access: access, headers: [("content-type", "application/json")],
                body: waiting.removeFirst(), timeout: nil,
                maximumBody: maximumMessage)
            sent += 1
            let number = sent
            let exchange = http.send(request) { [self] result in
                assumeIsolated { $0.ended(number, result) }
            }
            requests.append((number, exchange))
        }
    }

    private func ended(_ number: Int, _ result: Result<HTTPResponse, HTTPFailure>) {
        guard !isOver else { return }
        requests.removeAll { $0.number == number }
        switch result {
        case .success(let response) where response.status == 200: receive(.text(response.body[...]))
        case .success(let response):
            let retry = Reconnection(afterSeconds: retryAfter(in: response.headers))
            end(WebSocketClose(code: 1006, reason: "HTTP status \(response.status)\(retry.words)", retry: retry))
        case .failure(let failure):
            end(WebSocketClose(code: 1006, reason: failure.message, retry: failure.retry))
        }
        if let closing, number == sent, waiting.isEmpty { end(closing) }
        if !isOver { sendWaiting() }
    }

    private func receive(_ message: WebSocketMessage) {
        if isReading { handler(.received([message])) } else { unread.append(message) }
    }

    private func read(_ reading: Bool) {
        isReading = reading
        guard reading, !unread.isEmpty, !isOver else { return }
        let messages = unread
        unread = []
        // The handler is not called from within the owner's call.
        loop.run { [self] in assumeIsolated { if !$0.isOver { $0.handler(.received(messages)) } } }
    }

    private func begin(_ close: WebSocketClose) {
        guard closing == nil, !isOver else { return }
        closing = close
        guard requests.contains(where: { $0.number == sent }) || !waiting.isEmpty else {
            return loop.run { [self] in assumeIsolated { $0.end(close) } }
        }
        _ = loop.schedule(at: loop.now + Self.patience) { [self] in assumeIsolated { $0.end(close) } }
    }

    private func end(_ close: WebSocketClose) {
        guard !isOver else { return }
        isOver = true
        for request in requests { http.cancel(request.exchange) }
        (requests, waiting, unread) = ([], [], [])
        handler(.closed(closing ?? close))
    }
}
