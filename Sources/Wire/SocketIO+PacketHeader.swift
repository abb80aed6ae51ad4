extension SocketIO {
    /// The part of a packet before its JSON: `<type>[<attachments>-][<namespace>,][<ack id>]` (Socket.IO SIO-1).
    struct PacketHeader: Sendable {
        var type: PacketType
        var attachments = 0
        var namespace = "/"
        var id: Int?
        /// The offset at which the JSON text begins, if any, counted from the packet's first byte.
        private(set) var end = 1

        init(parsing packet: Span<UInt8>, mostAttachments: Int) throws(Malformed) {
            guard !packet.isEmpty else { throw Malformed(message: "an empty message", offset: 0) }
            guard let type = PacketType(rawValue: packet[0] &- UInt8(ascii: "0")) else {
                throw Malformed(message: "an unknown Socket.IO packet type", offset: 0)
            }
            self.type = type
            switch type {
            case .connect, .disconnect, .event, .acknowledgement, .connectError: break
            case .binaryEvent, .binaryAcknowledgement: try readAttachments(packet, most: mostAttachments)
            }
            readNamespace(packet)
            if end < packet.count, packet[end].isDigit {
                id = takeDigits(packet)
                if id == nil { throw Malformed(message: "an ack id that is too large", offset: end) }
            }
        }

        /// Returns the number of attachments that a possibly invalid packet announces, or 0 if the number is not
        /// legible.
        static func announcedAttachments(_ packet: Span<UInt8>) -> Int {
            guard let first = packet.isEmpty ? nil : packet[0], first == UInt8(ascii: "5") || first == UInt8(ascii: "6")
            else { return 0 }
            var count = 0
            for place in 1..<min(packet.count, 10) {
                guard packet[place].isDigit else { return packet[place] == UInt8(ascii: "-") ? count : 0 }
                count = count * 10 + Int(packet[place] - UInt8(ascii: "0"))
            }
            return 0
        }

        private mutating func readAttachments(_ packet: Span<UInt8>, most: Int) throws(Malformed) {
            guard let count = takeDigits(packet) else { throw Malformed(message: "no attachment count", offset: end) }
            guard end < packet.count, packet[end] == UInt8(ascii: "-") else {
                throw Malformed(message: "an attachment count without its '-'", offset: end)
            }
            guard count <= most else {
                throw Malformed(message: "\(count) attachments; the limit is \(most)", offset: 1)
            }
            attachments = count
            end += 1
        }

        /// Reads the namespace. It ends at a comma or, as some servers send it (Socket.IO SIO-6), at the end of the
        /// packet.
        private mutating func readNamespace(_ packet: Span<UInt8>) {
            guard end < packet.count, packet[end] == UInt8(ascii: "/") else { return }
            let start = end
            while end < packet.count, packet[end] != UInt8(ascii: ",") { end += 1 }
            if end - start > 1 {
                namespace = packet.extracting(start..<end).withUnsafeBufferPointer {
                    String(decoding: $0, as: UTF8.self)
                }
            }
            if end < packet.count { end += 1 }
        }

        /// Consumes the digits at `end` and returns their value. Returns `nil`, and consumes nothing, if no digit is
        /// there or the value does not fit.
        private mutating func takeDigits(_ packet: Span<UInt8>) -> Int? {
            var place = end
            var value = 0
            while place < packet.count, packet[place].isDigit {
                let (tens, overflow) = value.multipliedReportingOverflow(by: 10)
                let (sum, carry) = tens.addingReportingOverflow(Int(packet[place] - UInt8(ascii: "0")))
                guard !overflow, !carry else { return nil }
                value = sum
                place += 1
            }
            guard place > end else { return nil }
            end = place
            return value
        }
    }
}

extension UInt8 {
    /// Whether the byte is an ASCII digit.
    fileprivate var isDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }
}
