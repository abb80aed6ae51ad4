import CWeirJSONScan

/// Reads a peer's frames (RFC 6455 section 5), which may be fragmented, compressed, and interleaved with control
/// frames.
///
/// The caller appends the received bytes, one array per read, and calls `read`. An uncompressed message that lies in
/// one array is a slice of that array and is never copied; other messages are assembled in the batch. Compressed
/// messages are inflated only until `heldLimit` bytes of messages wait to be taken. After that, appended bytes are kept
/// as received.
package struct WebSocketReader: ~Copyable {
    /// A control frame from the peer.
    package enum Control: Hashable, Sendable {
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
    package init(role: WebSocketRole, maximumMessage: Int, compression: PermessageDeflate? = nil) {
        self.role = role
        batch = MessageBatch(maximumMessage: maximumMessage)
        inflater = compression.map { Inflater(resetsAfterMessage: $0.hasNoContextTakeover(by: role.other)) }
    }

    /// Whether complete messages are ready to be taken.
    package var hasMessages: Bool { batch.hasMessages }

    /// Whether unread bytes wait. `read` continues with them after messages are taken.
    package var hasUnread: Bool { position < input.count && !isEnded }

    /// The number of bytes held: in messages that were not taken, in the unfinished message, and in unread input.
    package var heldBytes: Int { batch.heldBytes + input.count - position }

    /// Removes and returns the complete messages, at most 1024 at a time.
    package mutating func takeMessages() -> [WebSocketMessage] { batch.take() }

    /// Discards the waiting messages and the unfinished one. Control frames are still read.
    package mutating func discardMessages() { batch.discard() }

    /// Appends the bytes of one read of the connection. `read` processes them.
    package mutating func append(_ bytes: [UInt8]) {
        guard !isEnded else { return }
        input = hasUnread ? input[position...] + bytes : bytes
        position = 0
    }

    /// Processes the appended bytes. Complete messages wait to be taken; control frames are appended to `controls`.
    package mutating func read(_ controls: inout [Control]) throws(WebSocketViolation) {
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

/// The header of a frame (RFC 6455, 5.2).
struct FrameHeader {
    var opcode: WebSocketFrame.Opcode
    var isFinal: Bool
    var isCompressed: Bool
    var length: UInt64
    /// The masking key, if the frame is masked.
    var key: UInt32?

    /// Returns the size of a header, as far as its first bytes determine it.
    static func size(of header: [UInt8]) -> Int {
        guard header.count >= 2 else { return 2 }
        let key = header[1] & 0x80 == 0 ? 0 : 4
        switch header[1] & 0x7f {
        case 126: return 4 + key
        case 127: return 10 + key
        default: return 2 + key
        }
    }

    /// Parses a header, which must be complete.
    init(_ header: [UInt8]) throws(WebSocketViolation) {
        guard let opcode = WebSocketFrame.Opcode(rawValue: header[0] & 0x0f) else {
            throw WebSocketViolation(code: 1002, reason: "bad opcode")
        }
        self.opcode = opcode
        isFinal = header[0] & WebSocketFrame.Bit.final != 0
        isCompressed = header[0] & WebSocketFrame.Bit.compressed != 0
        let isMasked = header[1] & 0x80 != 0
        key = isMasked ? header.suffix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) } : nil
        length = UInt64(header[1] & 0x7f)
        if length >= 126 {
            // The shortest form that holds the length must be used.
            let least: UInt64 = length == 126 ? 126 : 65_536
            length = header[2..<(header.count - (isMasked ? 4 : 0))].reduce(0) { $0 << 8 | UInt64($1) }
            guard length >= least, length >> 63 == 0 else { throw WebSocketViolation(code: 1002, reason: "bad length") }
        }
    }
}

extension WebSocketReader {
    /// Checks the first two bytes of a header.
    func checkStart() throws(WebSocketViolation) {
        let (first, second) = (header[0], header[1])
        let isControl = first & 0x08 != 0
        // RFC 7692, 6: the first frame of a message may be marked as compressed if compression was negotiated.
        let allowed: UInt8 =
            inflater != nil && !isControl && first & 0x0f != 0 ? WebSocketFrame.Bit.compressed : 0
        guard first & WebSocketFrame.Bit.reserved & ~allowed == 0 else {
            throw WebSocketViolation(code: 1002, reason: "reserved bits")
        }
        switch role {
        case .server: guard second & 0x80 != 0 else { throw WebSocketViolation(code: 1002, reason: "not masked") }
        case .client: guard second & 0x80 == 0 else { throw WebSocketViolation(code: 1002, reason: "masked") }
        }
        if isControl, first & WebSocketFrame.Bit.final == 0 || second & 0x7f > 125 {
            throw WebSocketViolation(code: 1002, reason: "bad control frame")
        }
    }

    /// Handles the start of a data frame.
    mutating func begin(_ frame: FrameHeader) throws(WebSocketViolation) {
        switch (frame.opcode, open) {
        case (.continuation, nil): throw WebSocketViolation(code: 1002, reason: "nothing to continue")
        case (.text, nil): open = OpenMessage(kind: .text, isCompressed: frame.isCompressed)
        case (.binary, nil): open = OpenMessage(kind: .binary, isCompressed: frame.isCompressed)
        case (.continuation, .some): break
        default: throw WebSocketViolation(code: 1002, reason: "message not finished")
        }
        // The size of a compressed message is known only after it is inflated.
        if open?.isCompressed != true, frame.length > UInt64(batch.room) {
            let bytes = UInt64(batch.maximumMessage - batch.room) + frame.length
            throw WebSocketViolation(.tooLarge, of: bytes, isWhole: frame.isFinal, most: batch.maximumMessage)
        }
    }

    /// Appends a piece of a data frame's payload to the message.
    mutating func take(_ piece: UnsafeRawBufferPointer, _ frame: FrameHeader, phase: Int) throws(WebSocketViolation) {
        guard open?.isCompressed == true else {
            do throws(MessageBatch.Refusal) {
                if let key = frame.key {
                    try batch.append(piece, mask: key, phase: phase)
                } else {
                    try batch.append(piece)
                }
            } catch {
                throw WebSocketViolation(error, most: batch.maximumMessage)
            }
            return
        }
        guard let key = frame.key else { return try inflate(piece) }
        var clear = Array(piece)
        clear.withUnsafeMutableBytes { WebSocketFrame.unmask($0, key: key, phase: phase) }
        try clear.span.bytes.withUnsafeBytes { (piece) throws(WebSocketViolation) in try inflate(piece) }
    }

    /// Completes the message after its last frame.
    mutating func finish() throws(WebSocketViolation) {
        guard let message = open else { return }
        open = nil
        if message.isCompressed {
            // The four bytes that the sender removed (RFC 7692, 7.2.2).
            let tail: [UInt8] = [0, 0, 0xff, 0xff]
            try tail.span.bytes.withUnsafeBytes { (piece) throws(WebSocketViolation) in try inflate(piece) }
            inflater?.endMessage()
        }
        do throws(MessageBatch.Refusal) { try batch.finish(message.kind) } catch {
            throw WebSocketViolation(error, most: batch.maximumMessage)
        }
    }

    private mutating func inflate(_ piece: UnsafeRawBufferPointer) throws(WebSocketViolation) {
        let most = batch.maximumMessage
        var batch = MessageBatch(maximumMessage: 0)
        swap(&batch, &self.batch)
        defer { swap(&batch, &self.batch) }
        try inflater?.inflate(piece) { (bytes) throws(WebSocketViolation) in
            do throws(MessageBatch.Refusal) {
                try batch.append(bytes)
            } catch {
                throw WebSocketViolation(error, most: most)
            }
        }
    }

    /// Handles a complete control frame.
    mutating func endControl(_ frame: FrameHeader, _ controls: inout [Control]) throws(WebSocketViolation) {
        if let key = frame.key { control.withUnsafeMutableBytes { WebSocketFrame.unmask($0, key: key) } }
        let payload = control
        control = []
        switch frame.opcode {
        case .ping: controls.append(.ping(payload))
        case .pong: controls.append(.pong)
        case .close:
            state = .ended
            controls.append(.close(try WebSocketFrame.parseClose(payload)))
        case .text, .binary, .continuation: break
        }
    }
}

extension WebSocketViolation {
    /// Creates the violation for a rejected message. `bytes` is its size, or a lower bound if `isWhole` is false.
    ///
    /// `bytes` is `nil` for a compressed message: the size at which it exceeds the limit depends on how its bytes were
    /// split.
    package init(_ refusal: MessageBatch.Refusal, of bytes: UInt64? = nil, isWhole: Bool = false, most: Int) {
        switch refusal {
        case .tooLarge:
            let size = "\(bytes ?? UInt64(most) + 1) bytes" + (isWhole ? "" : " or more")
            self.init(code: 1009, reason: "message of \(size); the limit is \(most)")
        case .notUTF8: self.init(code: 1007, reason: "text is not UTF-8")
        }
    }
}

/// Finds complete, uncompressed, valid messages of one frame each. It stops at the first frame of any other kind.
struct WholeMessages {
    let maximumMessage: Int

    /// Finds such messages in a server's bytes and appends their locations to `found`. Returns the offset after them.
    func find(
        in bytes: [UInt8], from begin: Int, _ found: inout [(range: Range<Int>, kind: MessageBatch.Kind)]
    ) -> Int {
        bytes.withUnsafeBufferPointer { bytes in
            var offset = begin
            while let frame = frame(in: bytes, at: offset, maskBit: 0) {
                found.append((frame.payload, frame.kind))
                offset = frame.payload.upperBound
            }
            return offset
        }
    }

    /// Copies such messages from a client's bytes to the batch, unmasked. Returns the offset after them.
    func unmask(_ bytes: [UInt8], from begin: Int, into batch: inout MessageBatch) -> Int {
        bytes.withUnsafeBufferPointer { bytes in
            var offset = begin
            while let frame = frame(in: bytes, at: offset, maskBit: 0x80) {
                let raw = UnsafeRawBufferPointer(bytes)
                let key = raw.loadUnaligned(fromByteOffset: frame.payload.lowerBound - 4, as: UInt32.self)
                let isTaken = batch.appendWhole(
                    UnsafeRawBufferPointer(rebasing: raw[frame.payload]), mask: UInt32(littleEndian: key), frame.kind)
                guard isTaken else { break }
                offset = frame.payload.upperBound
            }
            return offset
        }
    }

    @inline(__always)
    private func frame(
        in bytes: UnsafeBufferPointer<UInt8>, at offset: Int, maskBit: UInt8
    ) -> (payload: Range<Int>, kind: MessageBatch.Kind)? {
        guard bytes.count - offset >= 4 else { return nil }
        let first = bytes[offset]
        guard first == 0x81 || first == 0x82, bytes[offset + 1] & 0x80 == maskBit else { return nil }
        var length = Int(bytes[offset + 1] & 0x7f)
        var start = offset + (maskBit == 0 ? 2 : 6)
        if length >= 126 {
            guard length == 126 else { return nil }
            length = Int(bytes[offset + 2]) << 8 | Int(bytes[offset + 3])
            guard length >= 126 else { return nil }
            start += 2
        }
        guard length <= bytes.count - start, length <= maximumMessage else { return nil }
        let payload = Range(uncheckedBounds: (start, start + length))
        guard first == 0x81 else { return (payload, .binary) }
        // A mask hides the text, so it is checked after unmasking.
        if maskBit == 0, let base = bytes.baseAddress, !json_is_utf8(base + start, length) { return nil }
        return (payload, .text)
    }
}
