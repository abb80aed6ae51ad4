/// An event of a request whose response is delivered in pieces.
public enum HTTPStreamEvent: Sendable {
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
public final class HTTPStream: Sendable {
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
    public func setReading(_ reading: Bool) {
        waiting.change { $0.isReading = reading }
        if reading { askForDelivery() }
    }

    /// Cancels the exchange. `failed` follows with `.cancelled`, if the exchange has not ended. Any thread.
    public func cancel() { command(.cancel(number)) }

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
