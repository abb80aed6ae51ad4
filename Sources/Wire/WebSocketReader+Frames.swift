import CJSONScan

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
