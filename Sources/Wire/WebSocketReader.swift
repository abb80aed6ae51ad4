import CJSONScan

/// Reads a peer's frames (RFC 6455 section 5), which may be fragmented, compressed, and interleaved with control
/// frames.
///
/// The caller appends the received bytes, one array per read, and calls `read`. An uncompressed message that lies in
/// one array is a slice of that array and is never copied; other messages are assembled in the batch. Compressed
/// messages are inflated only until `heldLimit` bytes of messages wait to be taken. After that, appended bytes are kept
/// as received.
public struct WebSocketReader: ~Copyable {
    /// A control frame from the peer.
    public enum Control: Hashable, Sendable {
        /// A ping, to be answered by a pong with this payload.
        case ping([UInt8])
        case pong
        /// The peer closes the connection. Nothing is read after this.
        case close(WebSocketClose)
    }

    enum State {
        /// Collecting a header. Its bytes from earlier arrays are in `header`. Follows: data, control.
        case header
        /// In the payload of a data frame. Follows: header.
        case data(FrameHeader, remaining: UInt64)
        /// In the payload of a control frame, whose bytes are in `control`. Follows: header, or ended after a close
        /// frame.
        case control(FrameHeader, remaining: UInt64)
        /// A close frame or a protocol violation was read. This is the last state.
        case ended
    }
    /// The message whose frames are arriving.
    struct OpenMessage {
        var kind: MessageBatch.Kind
        var isCompressed: Bool
    }

    /// The size of waiting messages in bytes above which no compressed message is started.
    static var heldLimit: Int { 1 << 20 }

    /// The reader's own end. A server requires masked frames, and a client requires unmasked ones (RFC 6455, 5.1).
    let role: WebSocketRole
    var inflater: Inflater?
    var state = State.header
    var header: [UInt8] = []
    var control: [UInt8] = []
    var open: OpenMessage?
    var batch: MessageBatch
    /// The bytes being read, and the position in them.
    private var input: [UInt8] = []
    private var position = 0
    /// The messages found complete in `input` and not yet in the batch.
    private var found: [(range: Range<Int>, kind: MessageBatch.Kind)] = []

    /// Creates a reader for the bytes after the handshake. `role` is the reader's own end, and `compression` is what
    /// the handshake agreed on.
    public init(role: WebSocketRole, maximumMessage: Int, compression: PermessageDeflate? = nil) {
        self.role = role
        batch = MessageBatch(maximumMessage: maximumMessage)
        inflater = compression.map { Inflater(resetsAfterMessage: $0.hasNoContextTakeover(by: role.other)) }
    }

    /// Whether complete messages are ready to be taken.
    public var hasMessages: Bool { batch.hasMessages }

    /// Whether unread bytes wait. `read` continues with them after messages are taken.
    public var hasUnread: Bool { position < input.count && !isEnded }

    /// The number of bytes held: in messages that were not taken, in the unfinished message, and in unread input.
    public var heldBytes: Int { batch.heldBytes + input.count - position }

    /// Removes and returns the complete messages, at most 1024 at a time.
    public mutating func takeMessages() -> [WebSocketMessage] { batch.take() }

    /// Discards the waiting messages and the unfinished one. Control frames are still read.
    public mutating func discardMessages() { batch.discard() }

    /// Appends the bytes of one read of the connection. `read` processes them.
    public mutating func append(_ bytes: [UInt8]) {
        guard !isEnded else { return }
        input = hasUnread ? input[position...] + bytes : bytes
        position = 0
    }

    /// Processes the appended bytes. Complete messages wait to be taken; control frames are appended to `controls`.
    public mutating func read(_ controls: inout [Control]) throws(WebSocketViolation) {
        do throws(WebSocketViolation) {
            try readInput(&controls)
        } catch {
            state = .ended
            input = []
            position = 0
            throw error
        }
        if position == input.count {
            input = []
            position = 0
        }
    }

    private var isEnded: Bool {
        if case .ended = state { return true }
        return false
    }

    private mutating func readInput(_ controls: inout [Control]) throws(WebSocketViolation) {
        while true {
            switch state {
            case .ended:
                input = []
                position = 0
                return
            case .header:
                if header.isEmpty, open == nil { findWholeMessages() }
                guard position < input.count else { return }
                // Only a compressed message can be larger than its received bytes.
                if inflater != nil, batch.heldBytes > Self.heldLimit, batch.hasMessages { return }
                guard try readHeader() else { return }
            case .data(let frame, let remaining):
                guard try readData(frame, remaining) else { return }
            case .control(let frame, let remaining):
                guard try readControl(frame, remaining, &controls) else { return }
            }
        }
    }

    /// Finds messages in the most common form: unfragmented, uncompressed, and complete in `input`. Anything else stays
    /// unread.
    private mutating func findWholeMessages() {
        let bytes = input
        switch role {
        case .client:
            var found = self.found
            self.found = []
            position = WholeMessages(maximumMessage: batch.maximumMessage).find(in: bytes, from: position, &found)
            if !found.isEmpty { batch.add(found, of: bytes) }
            found.removeAll(keepingCapacity: true)
            self.found = found
        case .server:
            position = WholeMessages(maximumMessage: batch.maximumMessage).unmask(bytes, from: position, into: &batch)
        }
    }

    /// Consumes input until the header is complete. Returns false if the input ends first.
    private mutating func readHeader() throws(WebSocketViolation) -> Bool {
        while header.count < FrameHeader.size(of: header) {
            guard position < input.count else { return false }
            header.append(input[position])
            position += 1
            if header.count == 2 { try checkStart() }
        }
        let frame = try FrameHeader(header)
        header.removeAll(keepingCapacity: true)
        if frame.opcode.isControl {
            state = .control(frame, remaining: frame.length)
        } else {
            try begin(frame)
            state = .data(frame, remaining: frame.length)
        }
        return true
    }

    /// Reads the payload of a data frame. Returns false if the input ends first.
    private mutating func readData(_ frame: FrameHeader, _ remaining: UInt64) throws(WebSocketViolation) -> Bool {
        let count = Int(min(remaining, UInt64(input.count - position)))
        guard count > 0 || remaining == 0 else { return false }
        let phase = Int(truncatingIfNeeded: (frame.length - remaining) & 3)
        let bytes = input
        try bytes.span.bytes.extracting(position..<position + count).withUnsafeBytes {
            (piece) throws(WebSocketViolation) in
            try take(piece, frame, phase: phase)
        }
        position += count
        guard UInt64(count) == remaining else {
            state = .data(frame, remaining: remaining - UInt64(count))
            return false
        }
        if frame.isFinal { try finish() }
        state = .header
        return true
    }

    /// Reads the payload of a control frame. Returns false if the input ends first.
    private mutating func readControl(
        _ frame: FrameHeader, _ remaining: UInt64, _ controls: inout [Control]
    ) throws(WebSocketViolation) -> Bool {
        let count = Int(min(remaining, UInt64(input.count - position)))
        control += input[position..<position + count]
        position += count
        guard UInt64(count) == remaining else {
            state = .control(frame, remaining: remaining - UInt64(count))
            return false
        }
        state = .header
        try endControl(frame, &controls)
        return true
    }
}
