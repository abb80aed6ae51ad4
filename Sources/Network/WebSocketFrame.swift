import Wire

/// The frames of RFC 6455 section 5, as they are written.
enum WebSocketFrame {
    /// The opcodes of section 5.2.
    enum Opcode: UInt8 {
        case continuation = 0
        case text = 1
        case binary = 2
        case close = 8
        case ping = 9
        case pong = 10

        /// Whether the frame is a control frame: never fragmented, at most 125 bytes.
        var isControl: Bool { rawValue & 8 != 0 }
    }

    /// Adds one whole frame. A client masks with a fresh unpredictable key (5.3), a server does not.
    static func append(
        _ payload: ArraySlice<UInt8>, opcode: Opcode, mask: UInt32?, to output: inout OutgoingBytes
    ) {
        let maskBit: UInt8 = mask == nil ? 0 : 0x80
        var header: [UInt8] = [0x80 | opcode.rawValue]
        switch payload.count {
        case ..<126: header.append(maskBit | UInt8(payload.count))
        case ..<65536: header += [maskBit | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xff)]
        default:
            header.append(maskBit | 127)
            for shift in stride(from: 56, through: 0, by: -8) { header.append(UInt8((payload.count >> shift) & 0xff)) }
        }
        if let mask { withUnsafeBytes(of: mask) { header += $0 } }
        output.append(header[...])
        output.append(payload) { bytes in
            if let mask { unmask(bytes, key: mask, phase: 0) }
        }
    }

    /// Adds a message as one frame.
    static func append(_ message: WebSocketMessage, mask: UInt32?, to output: inout OutgoingBytes) {
        switch message {
        case .text(let bytes): append(bytes, opcode: .text, mask: mask, to: &output)
        case .binary(let bytes): append(bytes, opcode: .binary, mask: mask, to: &output)
        }
    }

    /// The body of a close frame: the code and at most 123 bytes of reason, cut at a character.
    static func closeBody(_ close: WebSocketClose) -> [UInt8] {
        let code = sendableCode(close.code)
        var reason = close.reason.utf8.prefix(123)
        while String(validating: reason, as: UTF8.self) == nil { reason = reason.dropLast() }
        return [UInt8(code >> 8), UInt8(code & 0xff)] + reason
    }

    /// The close a close frame's body states (7.1.5); nil when the body is not one.
    static func parseClose(_ body: [UInt8]) -> WebSocketClose? {
        guard body.count >= 2 else { return body.isEmpty ? WebSocketClose(code: 1005) : nil }
        let code = UInt16(body[0]) << 8 | UInt16(body[1])
        guard isAllowedOnTheWire(code), let reason = String(validating: body[2...], as: UTF8.self) else { return nil }
        return WebSocketClose(code: code, reason: reason)
    }

    /// The code itself when it may be sent (7.4), else 1000.
    static func sendableCode(_ code: UInt16) -> UInt16 {
        isAllowedOnTheWire(code) ? code : 1000
    }

    /// 7.4.1 and 7.4.2, with the codes registered since (1012 to 1014).
    private static func isAllowedOnTheWire(_ code: UInt16) -> Bool {
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }

    /// XORs with the key, whose bytes are in the order of the wire; `phase` says how many bytes of the frame came before.
    static func unmask(_ bytes: UnsafeMutableBufferPointer<UInt8>, key: UInt32, phase: Int) {
        let turned = phase & 3 == 0 ? key : key >> (8 * UInt32(phase & 3)) | key << (32 - 8 * UInt32(phase & 3))
        let wide = UInt64(turned) | UInt64(turned) << 32
        let raw = UnsafeMutableRawBufferPointer(bytes)
        var index = 0
        while index + 8 <= raw.count {
            raw.storeBytes(
                of: raw.loadUnaligned(fromByteOffset: index, as: UInt64.self) ^ wide, toByteOffset: index,
                as: UInt64.self)
            index += 8
        }
        while index < raw.count {
            raw[index] ^= UInt8(truncatingIfNeeded: wide >> (8 * UInt64(index & 7)))
            index += 1
        }
    }
}

/// Bytes on their way to the kernel.
struct OutgoingBytes {
    private var bytes: [UInt8] = []
    private var head = 0

    /// Bytes not yet taken.
    var count: Int { bytes.count - head }
    var isEmpty: Bool { count == 0 }

    mutating func append(_ piece: ArraySlice<UInt8>, change: (UnsafeMutableBufferPointer<UInt8>) -> Void = { _ in }) {
        let begin = bytes.count
        bytes.append(contentsOf: piece)
        bytes.withUnsafeMutableBufferPointer { change(UnsafeMutableBufferPointer(rebasing: $0[begin...])) }
    }

    /// Gives the first bytes, at most `limit`, to `write`, and forgets them.
    mutating func take<Result>(_ limit: Int, _ write: (UnsafeMutableBufferPointer<UInt8>) -> Result) -> Result {
        let end = min(bytes.count, head + limit)
        let result = bytes.withUnsafeMutableBufferPointer {
            write(UnsafeMutableBufferPointer(rebasing: $0[head..<end]))
        }
        head = end
        if head == bytes.count {
            bytes.removeAll(keepingCapacity: bytes.count <= 1 << 20)
            head = 0
        } else if head > bytes.count / 2 {
            bytes.removeSubrange(..<head)
            head = 0
        }
        return result
    }

    mutating func removeAll() {
        bytes = []
        head = 0
    }
}
