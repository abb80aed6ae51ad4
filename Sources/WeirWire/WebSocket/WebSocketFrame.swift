/// One end of a WebSocket. A client masks its frames, and a server does not (RFC 6455, 5.1).
package enum WebSocketRole: Hashable, Sendable {
    case client, server
}

/// Writes the frames of RFC 6455 section 5, and parses close frames.
package enum WebSocketFrame {
    /// The opcodes of RFC 6455 section 5.2.
    package enum Opcode: UInt8, Sendable {
        case continuation = 0
        case text = 1
        case binary = 2
        case close = 8
        case ping = 9
        case pong = 10

        /// Whether this is the opcode of a control frame, which is never fragmented and has at most 125 bytes of
        /// payload.
        package var isControl: Bool { rawValue & 8 != 0 }
    }

    /// The bits of a frame's first byte other than the opcode.
    enum Bit {
        static let final: UInt8 = 0x80
        static let compressed: UInt8 = 0x40
        static let reserved: UInt8 = 0x70
    }

    /// Appends one whole frame. A client must mask with a fresh, unpredictable key (RFC 6455, 5.3); a server passes
    /// `nil`.
    package static func append(
        _ payload: ArraySlice<UInt8>, opcode: Opcode, mask: UInt32?, to output: inout [UInt8]
    ) {
        append(payload, first: Bit.final | opcode.rawValue, mask: mask, to: &output)
    }

    /// Appends a message as a single frame.
    package static func append(_ message: WebSocketMessage, mask: UInt32?, to output: inout [UInt8]) {
        switch message {
        case .text(let bytes): append(bytes, opcode: .text, mask: mask, to: &output)
        case .binary(let bytes): append(bytes, opcode: .binary, mask: mask, to: &output)
        }
    }

    static func append(_ payload: ArraySlice<UInt8>, first: UInt8, mask: UInt32?, to output: inout [UInt8]) {
        let maskBit: UInt8 = mask == nil ? 0 : 0x80
        output.append(first)
        switch payload.count {
        case ..<126: output.append(maskBit | UInt8(payload.count))
        case ..<65536:
            output.append(maskBit | 126)
            output.append(UInt8(payload.count >> 8))
            output.append(UInt8(payload.count & 0xff))
        default:
            output.append(maskBit | 127)
            for shift in stride(from: 56, through: 0, by: -8) { output.append(UInt8((payload.count >> shift) & 0xff)) }
        }
        guard let mask else {
            output.append(contentsOf: payload)
            return
        }
        withUnsafeBytes(of: mask) { output.append(contentsOf: $0) }
        let begin = output.count
        output.append(contentsOf: payload)
        output.withUnsafeMutableBytes { unmask(UnsafeMutableRawBufferPointer(rebasing: $0[begin...]), key: mask) }
    }

    /// Returns the body of a close frame: the code, and at most 123 bytes of the reason, cut at a character. The body
    /// for code 1005 is empty.
    package static func closeBody(_ close: WebSocketClose) -> [UInt8] {
        guard close.code != 1005 else { return [] }
        let code = sendableCode(close.code)
        var reason = close.reason.utf8.prefix(123)
        while String(validating: reason, as: UTF8.self) == nil { reason = reason.dropLast() }
        return [UInt8(code >> 8), UInt8(code & 0xff)] + reason
    }

    /// Parses the body of a close frame (7.1.5).
    package static func parseClose(_ body: [UInt8]) throws(WebSocketViolation) -> WebSocketClose {
        guard body.count >= 2 else {
            guard body.isEmpty else { throw WebSocketViolation(code: 1002, reason: "bad close frame") }
            return WebSocketClose(code: 1005)
        }
        let code = UInt16(body[0]) << 8 | UInt16(body[1])
        guard isAllowedOnTheWire(code) else { throw WebSocketViolation(code: 1002, reason: "bad close code") }
        guard let reason = String(validating: body[2...], as: UTF8.self) else {
            throw WebSocketViolation(code: 1007, reason: "close reason is not UTF-8")
        }
        return WebSocketClose(code: code, reason: reason)
    }

    /// Returns the code itself if it may be sent (RFC 6455, 7.4), or 1000 otherwise.
    package static func sendableCode(_ code: UInt16) -> UInt16 {
        isAllowedOnTheWire(code) && code != 1015 ? code : 1000
    }

    /// Returns whether a peer may send this code: 7.4.1 and 7.4.2, and the codes registered since, which are 1012 to
    /// 1014, and 1015, which must not be sent but is harmless.
    private static func isAllowedOnTheWire(_ code: UInt16) -> Bool {
        switch code {
        case 1000...1003, 1007...1015, 3000...4999: true
        default: false
        }
    }

    /// Applies the masking key by XOR. The bytes of the key are in wire order. `phase` is the number of bytes of the
    /// frame before these.
    package static func unmask(_ bytes: UnsafeMutableRawBufferPointer, key: UInt32, phase: Int = 0) {
        let turned = phase & 3 == 0 ? key : key >> (8 * UInt32(phase & 3)) | key << (32 - 8 * UInt32(phase & 3))
        let wide = UInt64(turned) | UInt64(turned) << 32
        var index = 0
        while index + 8 <= bytes.count {
            bytes.storeBytes(
                of: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) ^ wide, toByteOffset: index,
                as: UInt64.self)
            index += 8
        }
        while index < bytes.count {
            bytes[index] ^= UInt8(truncatingIfNeeded: wide >> (8 * UInt64(index & 7)))
            index += 1
        }
    }
}

/// The peer's violation of RFC 6455 or RFC 7692, with the close code that answers it.
package struct WebSocketViolation: Error, Hashable, Sendable {
    /// The close code with which to answer.
    package var code: UInt16
    /// A description of the violation, without text from the peer.
    package var reason: String
}

/// Writes messages as frames, compressed if that was negotiated.
package struct WebSocketWriter: ~Copyable {
    private var deflater: Deflater?

    /// Creates a writer for the messages after the handshake. `role` is the writer's own end, and `compression` is what
    /// the handshake agreed on.
    package init(role: WebSocketRole, compression: PermessageDeflate? = nil) {
        guard let compression else {
            deflater = nil
            return
        }
        deflater = Deflater(
            windowBits: compression.windowBits(of: role), resetsAfterMessage: compression.hasNoContextTakeover(by: role)
        )
    }

    /// Appends a message as one frame. A client must mask with a fresh, unpredictable key (RFC 6455, 5.3); a server
    /// passes `nil`.
    package mutating func write(_ message: WebSocketMessage, mask: UInt32?, to output: inout [UInt8]) {
        // zlib produces no output for an empty message, not even its end.
        guard !message.bytes.isEmpty, let compressed = deflater?.deflate(message.bytes) else {
            WebSocketFrame.append(message, mask: mask, to: &output)
            return
        }
        let opcode: WebSocketFrame.Opcode
        switch message {
        case .text: opcode = .text
        case .binary: opcode = .binary
        }
        let first = WebSocketFrame.Bit.final | WebSocketFrame.Bit.compressed | opcode.rawValue
        WebSocketFrame.append(compressed[...], first: first, mask: mask, to: &output)
    }
}
