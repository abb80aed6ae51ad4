/// Writes messages as frames, compressed if that was negotiated.
public struct WebSocketWriter: ~Copyable {
    private var deflater: Deflater?

    /// Creates a writer for the messages after the handshake. `role` is the writer's own end, and `compression` is what
    /// the handshake agreed on.
    public init(role: WebSocketRole, compression: PermessageDeflate? = nil) {
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
    public mutating func write(_ message: WebSocketMessage, mask: UInt32?, to output: inout [UInt8]) {
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
