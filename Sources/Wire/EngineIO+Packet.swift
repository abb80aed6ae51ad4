extension EngineIO {
    /// One Engine.IO packet of a text frame: the type digit and the data after it (Engine.IO EIO-4).
    public struct Packet: Hashable, Sendable {
        /// The packet's type, from its first character.
        public var type: PacketType
        /// The data after the type digit, as a slice of the frame.
        public var data: ArraySlice<UInt8>

        /// Creates a packet from its type and its data.
        public init(_ type: PacketType, data: ArraySlice<UInt8> = []) {
            self.type = type
            self.data = data
        }

        /// Parses a text frame. The packet keeps a slice of it.
        public init(parsing text: ArraySlice<UInt8>) throws(SocketIO.Malformed) {
            guard let first = text.first else { throw SocketIO.Malformed(message: "an empty frame", offset: 0) }
            guard let type = PacketType(rawValue: first &- UInt8(ascii: "0")) else {
                throw SocketIO.Malformed(message: "a frame that begins with no Engine.IO packet type", offset: 0)
            }
            self.type = type
            data = text.dropFirst()
        }

        /// The packet as a text frame of a WebSocket.
        public var message: WebSocketMessage {
            var bytes: [UInt8] = []
            bytes.reserveCapacity(1 + data.count)
            bytes.append(type.digit)
            bytes += data
            return .text(bytes[...])
        }

        /// The answer to this ping. Only the data of the upgrade probe is echoed, as the JavaScript peers do
        /// (Engine.IO EIO-7).
        var pong: WebSocketMessage {
            let isProbe = data.elementsEqual("probe".utf8)
            return Packet(.pong, data: isProbe ? data : []).message
        }
    }
}

extension EngineIO.PacketType {
    /// The first byte of a packet of this type.
    var digit: UInt8 { rawValue + UInt8(ascii: "0") }
}
