extension SocketIO {
    /// What stands in front of a packet's JSON: `<type>[<attachments>-][<namespace>,][<ack id>]` (1.9).
    struct PacketHeader: Sendable {
        var type: PacketType
        var attachments = 0
        var namespace = "/"
        var id: Int?
        /// The rest, where the JSON text stands if there is any.
        var body: ArraySlice<UInt8>

        init(parsing packet: ArraySlice<UInt8>) throws(Malformed) {
            guard let first = packet.first else { throw Malformed(message: "an empty message", offset: 0) }
            guard let type = PacketType(rawValue: first &- UInt8(ascii: "0")) else {
                throw Malformed(message: "an unknown Socket.IO packet type", offset: 0)
            }
            self.type = type
            body = packet.dropFirst()
            do throws(Malformed) {
                try readAttachments()
                readNamespace()
                try readID()
            } catch {
                throw error.moved(by: body.startIndex - packet.startIndex)
            }
        }

        private mutating func readAttachments() throws(Malformed) {
            switch type {
            case .connect, .disconnect, .event, .acknowledgement, .connectError: return
            case .binaryEvent, .binaryAcknowledgement: break
            }
            guard let count = takeDigits() else { throw Malformed(message: "no attachment count", offset: 0) }
            guard body.first == UInt8(ascii: "-") else {
                throw Malformed(message: "an attachment count without its '-'", offset: 0)
            }
            guard count <= maximumAttachments else {
                throw Malformed(message: "more than \(maximumAttachments) attachments", offset: 0)
            }
            attachments = count
            body = body.dropFirst()
        }

        /// A namespace ends at its comma or, as some servers send it (1.9), at the end of the packet.
        private mutating func readNamespace() {
            guard body.first == UInt8(ascii: "/") else { return }
            let end = body.firstIndex(of: UInt8(ascii: ",")) ?? body.endIndex
            if end - body.startIndex > 1 { namespace = String(decoding: body[..<end], as: UTF8.self) }
            body = body[end...].dropFirst()
        }

        private mutating func readID() throws(Malformed) {
            guard let byte = body.first, byte.isDigit else { return }
            guard let id = takeDigits() else { throw Malformed(message: "an ack id that is too large", offset: 0) }
            self.id = id
        }

        /// Takes the digits at the front; nil when there are none or their value does not fit.
        private mutating func takeDigits() -> Int? {
            var rest = body
            var value = 0
            while let byte = rest.first, byte.isDigit {
                let (tens, overflow) = value.multipliedReportingOverflow(by: 10)
                let (sum, carry) = tens.addingReportingOverflow(Int(byte - UInt8(ascii: "0")))
                guard !overflow, !carry else { return nil }
                value = sum
                rest = rest.dropFirst()
            }
            guard rest.startIndex > body.startIndex else { return nil }
            body = rest
            return value
        }
    }
}

extension UInt8 {
    /// Whether this is an ASCII digit.
    fileprivate var isDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }
}
