extension EngineIO {
    /// Combines packets of the stream into polling bodies (Engine.IO EIO-20, EIO-22).
    public struct PayloadWriter: Sendable {
        /// The ways to separate the packets of a body.
        public enum Framing: Hashable, Sendable {
            /// Revision 4: 0x1E between packets; `b` and Base64 for a binary packet.
            case separated
            /// Revision 3 with `b64=1`: `<n>:` in UTF-16 units; `b4` and Base64 for a binary packet. `escaped` writes
            /// non-ASCII characters in JSON strings as `\uXXXX`, so that all peers arrive at the same count, however
            /// they count.
            case counted(escaped: Bool)
            /// Revision 3: 00 or 01, the digits of the length in bytes, FF.
            case binary
        }

        /// The framing of the bodies.
        public let framing: Framing
        /// The maximum size of a body in bytes. A larger packet travels in a body of its own.
        public let maximumBytes: Int
        /// The maximum number of packets in a body, at least 1.
        public let maximumPackets: Int
        /// The number of packets in the body so far.
        public private(set) var count = 0
        private var body: [UInt8] = []

        /// Creates a writer. Python's Engine.IO refuses more than 16 packets in one body (Engine.IO EIO-20).
        public init(_ framing: Framing, maximumBytes: Int = .max, maximumPackets: Int = 16) {
            self.framing = framing
            self.maximumBytes = maximumBytes
            self.maximumPackets = maximumPackets
        }

        /// The value of the `Content-Type` header for the bodies.
        public var contentType: String {
            switch framing {
            case .separated, .counted: "text/plain;charset=UTF-8"
            case .binary: "application/octet-stream"
            }
        }

        /// Adds a packet to the body. Returns false if it does not fit. A packet always fits an empty body.
        public mutating func append(_ message: WebSocketMessage) -> Bool {
            guard count == 0 || count < maximumPackets else { return false }
            let before = body.count
            write(message)
            if count > 0, body.count > maximumBytes {
                body.removeSubrange(before...)
                return false
            }
            count += 1
            return true
        }

        /// Returns the body and begins an empty one.
        public mutating func take() -> [UInt8] {
            defer { (body, count) = ([], 0) }
            return body
        }

        private mutating func write(_ message: WebSocketMessage) {
            switch framing {
            case .separated: writeSeparated(message)
            case .counted(let escaped): writeCounted(message, escaped: escaped)
            case .binary: writeBinary(message)
            }
        }

        private mutating func writeSeparated(_ message: WebSocketMessage) {
            if count > 0 { body.append(0x1E) }
            switch message {
            case .text(let bytes): body += bytes
            case .binary(let bytes):
                body.append(UInt8(ascii: "b"))
                body += Base64.encode(bytes)
            }
        }

        private mutating func writeCounted(_ message: WebSocketMessage, escaped: Bool) {
            switch message {
            case .text(let bytes):
                let packet = escaped ? Self.escapingNonASCII(bytes) : bytes
                let units = packet.reduce(0) { $0 + ($1 & 0xC0 == 0x80 ? 0 : $1 < 0xF0 ? 1 : 2) }
                body += Array("\(units):".utf8)
                body += packet
            case .binary(let bytes):
                let type = bytes.first ?? PacketType.message.rawValue
                let data = Base64.encode(bytes.dropFirst())
                body += Array("\(data.count + 2):b\(type)".utf8)
                body += data
            }
        }

        private mutating func writeBinary(_ message: WebSocketMessage) {
            let kind: UInt8 =
                switch message {
                case .text: 0
                case .binary: 1
                }
            body.append(kind)
            for digit in String(message.bytes.count).utf8 { body.append(digit - UInt8(ascii: "0")) }
            body.append(0xFF)
            body += message.bytes
        }

        /// Returns the packet with each non-ASCII character of its JSON as `\uXXXX`, and as two of them above U+FFFF.
        /// The text before the first quote contains no JSON string, only perhaps a namespace, and stays as it is.
        private static func escapingNonASCII(_ packet: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
            let quote = packet.firstIndex(of: UInt8(ascii: "\"")) ?? packet.endIndex
            guard packet[quote...].contains(where: { $0 >= 0x80 }) else { return packet }
            var bytes = Array(packet[..<quote])
            for scalar in String(decoding: packet[quote...], as: UTF8.self).unicodeScalars {
                guard !scalar.isASCII else {
                    bytes.append(UInt8(truncatingIfNeeded: scalar.value))
                    continue
                }
                // The leading 1 keeps the leading zeros.
                for unit in scalar.utf16 {
                    bytes += "\\u\(String(0x1_0000 | UInt32(unit), radix: 16).dropFirst())".utf8
                }
            }
            return bytes[...]
        }
    }
}
