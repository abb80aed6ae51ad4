/// Which end of a WebSocket: a client masks its frames, a server does not (RFC 6455, 5.1).
public enum WebSocketRole: Hashable, Sendable {
    case client, server
}

/// The frames of RFC 6455 section 5, as they are written.
public enum WebSocketFrame {
    /// The opcodes of section 5.2.
    public enum Opcode: UInt8, Sendable {
        case continuation = 0
        case text = 1
        case binary = 2
        case close = 8
        case ping = 9
        case pong = 10

        /// Whether the frame is a control frame: never fragmented, at most 125 bytes.
        public var isControl: Bool { rawValue & 8 != 0 }
    }

    /// The bits of a frame's first byte beside the opcode.
    enum Bit {
        static let final: UInt8 = 0x80
        static let compressed: UInt8 = 0x40
        static let reserved: UInt8 = 0x70
    }

    /// Adds one whole frame. A client masks with a fresh unpredictable key (5.3), a server does not.
    public static func append(
        _ payload: ArraySlice<UInt8>, opcode: Opcode, mask: UInt32?, to output: inout [UInt8]
    ) {
        append(payload, first: Bit.final | opcode.rawValue, mask: mask, to: &output)
    }

    /// Adds a message as one frame.
    public static func append(_ message: WebSocketMessage, mask: UInt32?, to output: inout [UInt8]) {
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

    /// The body of a close frame: the code and at most 123 bytes of reason, cut at a character. 1005 is an empty body.
    public static func closeBody(_ close: WebSocketClose) -> [UInt8] {
        guard close.code != 1005 else { return [] }
        let code = sendableCode(close.code)
        var reason = close.reason.utf8.prefix(123)
        while String(validating: reason, as: UTF8.self) == nil { reason = reason.dropLast() }
        return [UInt8(code >> 8), UInt8(code & 0xff)] + reason
    }

    /// The close a close frame's body states (7.1.5).
    public static func parseClose(_ body: [UInt8]) throws(WebSocketViolation) -> WebSocketClose {
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

    /// The code itself when it may be sent (7.4), else 1000.
    public static func sendableCode(_ code: UInt16) -> UInt16 {
        isAllowedOnTheWire(code) && code != 1015 ? code : 1000
    }

    /// 7.4.1 and 7.4.2, with the codes registered since: 1012 to 1014, and 1015, which is not to be sent but does no harm.
    private static func isAllowedOnTheWire(_ code: UInt16) -> Bool {
        switch code {
        case 1000...1003, 1007...1015, 3000...4999: true
        default: false
        }
    }

    /// XORs with the key, whose bytes are in the order of the wire; `phase` says how many bytes of the frame came before.
    public static func unmask(_ bytes: UnsafeMutableRawBufferPointer, key: UInt32, phase: Int = 0) {
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

/// A breach of RFC 6455 or RFC 7692 by the peer: the close code that answers it, and why.
public struct WebSocketViolation: Error, Hashable, Sendable {
    /// The close code to send.
    public var code: UInt16
    /// What is wrong, in our own words.
    public var reason: String
}
