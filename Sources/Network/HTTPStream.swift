/// What comes of a request whose answer is told in pieces.
public enum HTTPStreamEvent: Sendable {
    /// The head of the answer, names of the headers lower case. The first event, unless the exchange fails before it.
    case head(status: Int, headers: [(name: String, value: String)])
    /// A piece of the body, decoded.
    case chunk([UInt8])
    /// The body is complete; nothing follows.
    case end
    /// The exchange failed, perhaps within the body; nothing follows.
    case failed(HTTPFailure)
}

/// Where the answer of an exchange goes.
enum HTTPReceiver {
    /// The loop, when it is whole.
    case whole(@Sendable (Result<HTTPResponse, HTTPFailure>) -> Void)
    /// The loop, as it comes.
    case pieces(HTTPStream)
}

/// The answer to one request on its way from libcurl's thread to the loop, in pieces.
public final class HTTPStream: Sendable {
    private struct Waiting {
        var events: [HTTPStreamEvent] = []
        /// Bytes of the chunks that were not yet given to the handler.
        var bytes = 0
        var isReading = true
        /// The loop was asked to deliver.
        var isAwaited = false
        /// libcurl was told to keep what it has.
        var isPaused = false
        /// nil once the end was told.
        var handler: (@Sendable (HTTPStreamEvent) -> Void)?
    }

    /// Bytes that may wait for the loop; and how few there must be before a paused exchange goes on.
    private static let highWater = 256 << 10
    private static let lowWater = 64 << 10
    /// A chunk is not made larger than this: it may hold thousands of packets, after some of which its owner pauses.
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

    /// Stops (`false`) or resumes (`true`) telling; what comes meanwhile waits, and the server is not read when that is much.
    public func setReading(_ reading: Bool) {
        waiting.change { $0.isReading = reading }
        if reading { askForDelivery() }
    }

    /// Ends the exchange; `failed` follows with `.cancelled`, if it has not ended. Any thread.
    public func cancel() { command(.cancel(number)) }

    /// Bytes that wait for the loop, and whether libcurl keeps more back.
    var backlog: (bytes: Int, isPaused: Bool) { waiting.change { ($0.bytes, $0.isPaused) } }

    // MARK: On libcurl's thread

    /// Takes a piece of the body; false when too much waits: libcurl keeps it until `resume`.
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

    /// The client is shut down: nothing is told any more.
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

    /// The next event, unless its owner has paused.
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
