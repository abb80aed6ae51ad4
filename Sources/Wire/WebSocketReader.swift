import CJSONScan

/// Reads frames (RFC 6455 section 5) of a peer: perhaps in fragments, perhaps compressed, control frames between them.
///
/// What arrives is appended, one array a read; `read` goes through it. A message that stands whole and uncompressed in one array
/// is a slice of that array and is never copied; the others are put together in the batch. Compressed messages are read only
/// until `heldLimit` bytes of messages wait to be taken: what is appended then stays as it came.
public struct WebSocketReader: ~Copyable {
    /// Something that is not a piece of a message.
    public enum Control: Hashable, Sendable {
        /// To be answered by a pong with this payload.
        case ping([UInt8])
        case pong
        /// The peer closes. Nothing is read after it.
        case close(WebSocketClose)
    }

    enum State {
        /// Collecting a header; its bytes that came in another array are in `header`. Then `data` or `control`.
        case header
        /// In the payload of a data frame; then `header`.
        case data(FrameHeader, remaining: UInt64)
        /// In the payload of a control frame; the bytes are in `control`. Then `header`, or `ended` behind a close frame.
        case control(FrameHeader, remaining: UInt64)
        /// A close frame was read, or a breach of the protocol. The last state.
        case ended
    }
    /// The message whose frames are coming.
    struct OpenMessage {
        var kind: MessageBatch.Kind
        var isCompressed: Bool
    }

    /// Messages waiting to be taken, in bytes, from which on no compressed message is begun.
    static var heldLimit: Int { 1 << 20 }

    /// Which end reads. A server demands masks, a client demands that there are none (5.1).
    let role: WebSocketRole
    var inflater: Inflater?
    var state = State.header
    var header: [UInt8] = []
    var control: [UInt8] = []
    var open: OpenMessage?
    var batch: MessageBatch
    /// What is being read, and how far.
    private var input: [UInt8] = []
    private var position = 0
    /// Messages found whole in `input` and not yet in the batch.
    private var found: [(range: Range<Int>, kind: MessageBatch.Kind)] = []

    /// A reader at the first byte after the handshake. `role` is the reader's own end; `compression` what the handshake agreed on.
    public init(role: WebSocketRole, maximumMessage: Int, compression: PermessageDeflate? = nil) {
        self.role = role
        batch = MessageBatch(maximumMessage: maximumMessage)
        inflater = compression.map { Inflater(resetsAfterMessage: $0.hasNoContextTakeover(by: role.other)) }
    }

    /// Whether there are whole messages to take.
    public var hasMessages: Bool { batch.hasMessages }

    /// Whether bytes wait to be read, which `read` goes on with when messages were taken.
    public var hasUnread: Bool { position < input.count && !isEnded }

    /// Bytes held: of messages that were not taken, of the unfinished one, and of what was not read yet.
    public var heldBytes: Int { batch.heldBytes + input.count - position }

    /// Takes the whole messages.
    public mutating func takeMessages() -> [WebSocketMessage] { batch.take() }

    /// Forgets the messages, and those to come; control frames are still read.
    public mutating func discardMessages() { batch.discard() }

    /// Adds what one read of the connection brought; it is read by `read`.
    public mutating func append(_ bytes: [UInt8]) {
        guard !isEnded else { return }
        input = hasUnread ? input[position...] + bytes : bytes
        position = 0
    }

    /// Reads what was appended. Whole messages wait to be taken; control frames are added to `controls`.
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
                // Only compressed messages are larger than what came.
                if inflater != nil, batch.heldBytes > Self.heldLimit, batch.hasMessages { return }
                guard try readHeader() else { return }
            case .data(let frame, let remaining):
                guard try readData(frame, remaining) else { return }
            case .control(let frame, let remaining):
                guard try readControl(frame, remaining, &controls) else { return }
            }
        }
    }

    /// The most common case: unfragmented, uncompressed messages that are whole in `input`. Anything else is left where it is.
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

    /// Takes bytes of the input until the header is whole; false when the input ends first.
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

    /// False when the input ended first.
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

    /// False when the input ended first.
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
