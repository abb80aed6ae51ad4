public import Wire

/// Frames of Bayeux without a WebSocket: each one that is sent is a POST, and each answer is one that is received (Bayeux 1.0, 6.2). All
/// calls and callbacks are on the loop's thread.
///
/// It is open from the start: no request is for that alone, and whether anybody is there the first answer says. A request that is not
/// answered, or otherwise than with 200, closes it, as a network closes a WebSocket. How long an answer may take is its owner's matter.
public actor LongPollingSocket {
    /// One request is held by the server until it has something to say; the other one is for everything else (Bayeux 1.0, 2.2.1).
    private static let mostRequests = 2
    /// How long a good-bye is waited for.
    private static let patience: Duration = .seconds(2)

    /// The loop's.
    public nonisolated let unownedExecutor: UnownedSerialExecutor
    private let loop: EventLoop
    private let http: HTTPClient
    private let url: URLParts
    private let access: Access
    private let maximumMessage: Int
    private let handler: @Sendable (WebSocketEvent) -> Void
    /// Under way, in the order they were sent, each with its number.
    private var requests: [(number: Int, exchange: HTTPClient.ExchangeID)] = []
    private var sent = 0
    /// Frames that wait for a request to end.
    private var waiting: [[UInt8]] = []
    /// Answers that came while nobody reads.
    private var unread: [WebSocketMessage] = []
    private var isReading = true
    /// With what it is closed, once that was asked for.
    private var closing: WebSocketClose?
    private var isOver = false

    /// `handler` is called on the loop, never before this returns. To be made on the loop's thread. `http` must answer on the same loop.
    /// An answer larger than `maximumMessage` bytes closes it.
    public init(
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

    /// Sends a frame, after those that wait. Ignored once it is closing.
    public nonisolated func send(_ message: WebSocketMessage) { assumeIsolated { $0.queue(Array(message.bytes)) } }

    /// Closes it once the frame that was sent last is answered, or the patience for that is over; `closed` follows.
    public nonisolated func close(_ close: WebSocketClose) { assumeIsolated { $0.begin(close) } }

    /// Stops (`false`) or resumes (`true`) reading. What is answered while it is stopped is kept: no more than two frames, since none is
    /// asked for.
    public nonisolated func setReading(_ reading: Bool) { assumeIsolated { $0.read(reading) } }

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
        // Not from within the call.
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
