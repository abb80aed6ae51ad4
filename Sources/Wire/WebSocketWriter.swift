/// Writes messages as frames, compressed when that was agreed on.
public struct WebSocketWriter: ~Copyable {
    private var deflater: Deflater?

    /// A writer of the first message after the handshake. `role` is the writer's own end; `compression` what the handshake agreed on.
    public init(role: WebSocketRole, compression: PermessageDeflate? = nil) {
        guard let compression else {
            deflater = nil
            return
        }
        deflater = Deflater(
            windowBits: compression.windowBits(of: role), resetsAfterMessage: compression.hasNoContextTakeover(by: role)
        )
    }

    /// Adds a message as one frame. A client masks with a fresh unpredictable key (RFC 6455, 5.3), a server does not.
    public mutating func write(_ message: WebSocketMessage, mask: UInt32?, to output: inout [UInt8]) {
        // Of nothing, zlib makes nothing, not even the end of a message.
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
