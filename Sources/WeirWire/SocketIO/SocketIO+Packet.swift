package import WeirJSON

extension SocketIO {
    /// The packet types. The first character of a packet is its type's number (Socket.IO SIO-2).
    package enum PacketType: UInt8, Hashable, Sendable, CaseIterable {
        case connect, disconnect, event, acknowledgement, connectError, binaryEvent, binaryAcknowledgement
    }

    /// One Socket.IO packet: the data of an Engine.IO message (Socket.IO SIO-1).
    ///
    /// `attachments` is the number of binary messages that follow; the JSON text contains their placeholders. In a
    /// parsed packet, the attachments of the event or the acknowledgement are empty; an `AttachmentAssembler` fills
    /// them in.
    package enum Packet: Hashable, Sendable {
        /// Requests to join a namespace, or confirms it. Over Engine.IO 3, the namespace may have a query.
        case connect(namespace: String, payload: RawJSON?)
        /// Leaves a namespace, or removes the client from it.
        case disconnect(namespace: String)
        /// Carries an event from either end.
        case event(Event, attachments: Int)
        /// Answers an event that requested an acknowledgement.
        case acknowledgement(Acknowledgement, attachments: Int)
        /// Refuses a request to join a namespace.
        case connectError(namespace: String, payload: RawJSON?)

        /// The number of binary messages that follow.
        package var attachments: Int {
            switch self {
            case .event(_, let attachments), .acknowledgement(_, let attachments): attachments
            case .connect, .disconnect, .connectError: 0
            }
        }
    }

    /// The default limit on attachments of one packet, as in the reference implementation.
    package static let maximumAttachments = 10

    /// Returns whether `name` can be a namespace. A comma would end it on the wire.
    package static func isNamespace(_ name: String) -> Bool { !name.utf8.contains(UInt8(ascii: ",")) }

    /// The length in bytes of the longest reserved event name.
    static let longestReservedName = 14

    /// Returns whether `name` is an event name reserved by the protocol's libraries. No peer may send one, and it must
    /// not be passed to `emit`.
    package static func isReserved(_ name: String) -> Bool {
        // Most event names of a backend are longer than these, so the length alone rules them out without a comparison.
        switch name.utf8.count {
        case 7: name == "connect"
        case 10: name == "disconnect"
        case 11: name == "newListener"
        case 13: name == "connect_error" || name == "disconnecting"
        case 14: name == "removeListener"
        default: false
        }
    }
}

extension SocketIO.Malformed {
    /// Creates an error from a JSON reader's error. `place` names the part of the frame.
    init(_ error: JSONError, within place: String) {
        self.init(message: "\(place) is not the JSON it should be: \(error.reason)", offset: error.offset)
    }

    /// Returns the same error with its offset counted from the start of a frame that has `count` more bytes in front.
    func moved(by count: Int) -> SocketIO.Malformed {
        SocketIO.Malformed(message: message, offset: offset.map { $0 + count })
    }
}

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

extension SocketIO.Packet {
    /// Parses the data of an Engine.IO message.
    ///
    /// JSON texts are checked completely and kept as slices of `packet`. Error offsets count from its first byte. The
    /// parser accepts and rejects the same packets as the reference decoder (Socket.IO SIO-4). `revision` determines
    /// which payloads a CONNECT_ERROR may have.
    package init(
        parsing packet: ArraySlice<UInt8>, revision: EngineIO.Revision,
        mostAttachments: Int = SocketIO.maximumAttachments, maximumDepth: Int = JSONReader.standardDepth
    ) throws(SocketIO.Malformed) {
        let header = try SocketIO.PacketHeader(parsing: packet.span, mostAttachments: mostAttachments)
        switch header.type {
        case .event, .binaryEvent:
            let array = try SocketIO.Event.checkedArray(in: packet, from: header.end, maximumDepth)
                .shifted(to: packet)
            let event = SocketIO.Event(
                namespace: header.namespace, array: RawJSON(unchecked: packet[array]), ackID: header.id)
            if header.attachments > 0 { try event.array.checkPlaceholders(of: header.attachments, in: packet) }
            self = .event(event, attachments: header.attachments)
        case .acknowledgement, .binaryAcknowledgement:
            guard let id = header.id else {
                throw SocketIO.Malformed(message: "an ACK without an id", offset: header.end)
            }
            guard let arguments = try header.payload(of: packet, allowing: [.array], maximumDepth) else {
                throw SocketIO.Malformed(message: "an ACK without its array", offset: header.end)
            }
            if header.attachments > 0 { try arguments.checkPlaceholders(of: header.attachments, in: packet) }
            self = .acknowledgement(
                SocketIO.Acknowledgement(namespace: header.namespace, id: id, arguments: arguments),
                attachments: header.attachments)
        case .connect:
            self = .connect(
                namespace: header.namespace, payload: try header.payload(of: packet, allowing: [.object], maximumDepth))
        case .disconnect:
            guard header.end == packet.count else {
                throw SocketIO.Malformed(message: "a DISCONNECT with a payload", offset: header.end)
            }
            self = .disconnect(namespace: header.namespace)
        case .connectError:
            let kinds: [JSONKind] =
                switch revision {
                case .v3: [.object, .array, .string, .number, .bool, .null]
                case .v4: [.object, .string]
                }
            self = .connectError(
                namespace: header.namespace, payload: try header.payload(of: packet, allowing: kinds, maximumDepth))
        }
    }
}

extension SocketIO.PacketHeader {
    /// Returns the single JSON value after the header, or `nil` if the packet ends there.
    fileprivate func payload(
        of packet: ArraySlice<UInt8>, allowing kinds: [JSONKind], _ maximumDepth: Int
    ) throws(SocketIO.Malformed) -> RawJSON? {
        if end == packet.count { return nil }
        do throws(JSONError) {
            var reader = JSONReader(packet.span, at: end, maximumDepth: maximumDepth)
            let kind = try reader.peek()
            guard kinds.contains(kind) else {
                throw JSONError(.wrongKind(expected: kinds[0], found: kind), at: reader.offset)
            }
            let range = try reader.skip()
            try reader.end()
            return RawJSON(unchecked: packet[range.shifted(to: packet)])
        } catch {
            throw SocketIO.Malformed(error, within: "the payload")
        }
    }
}

extension Range<Int> {
    /// Converts a reader's range, which counts from 0, to indices of the slice that was read.
    fileprivate func shifted(to slice: ArraySlice<UInt8>) -> Range<Int> {
        lowerBound + slice.startIndex..<upperBound + slice.startIndex
    }
}

extension SocketIO.Packet {
    /// Returns the packet as WebSocket messages, including the attachments of its event or acknowledgement.
    package func messages(_ revision: EngineIO.Revision) -> [WebSocketMessage] {
        let attachments: [ArraySlice<UInt8>] =
            switch self {
            case .event(let event, _): event.attachments
            case .acknowledgement(let acknowledgement, _): acknowledgement.attachments
            case .connect, .disconnect, .connectError: []
            }
        return [message] + attachments.map { EngineIO.packet(of: .binary($0), revision) }
    }

    /// The packet's text as a WebSocket message, including the Engine.IO type digit.
    package var message: WebSocketMessage {
        switch self {
        case .connect(let namespace, let payload):
            Self.message(.connect, namespace: namespace, payload: payload?.bytes ?? [])
        case .disconnect(let namespace):
            Self.message(.disconnect, namespace: namespace, payload: [])
        case .event(let event, let attachments):
            Self.message(
                attachments == 0 ? .event : .binaryEvent, attachments: attachments, namespace: event.namespace,
                id: event.ackID, payload: event.array.bytes)
        case .acknowledgement(let answer, let attachments):
            Self.message(
                attachments == 0 ? .acknowledgement : .binaryAcknowledgement, attachments: attachments,
                namespace: answer.namespace, id: answer.id, payload: answer.arguments.bytes)
        case .connectError(let namespace, let payload):
            Self.message(.connectError, namespace: namespace, payload: payload?.bytes ?? [])
        }
    }

    /// Returns the text message of an event. `attachments` binary messages must follow it. `arguments` is a
    /// comma-separated list of JSON values.
    static func eventMessage(
        _ name: String, arguments: RawJSON?, attachments: Int = 0, namespace: String, id: Int?
    ) -> WebSocketMessage {
        let arguments = arguments?.bytes ?? []
        var bytes = header(
            attachments == 0 ? .event : .binaryEvent, attachments: attachments, namespace: namespace, id: id,
            payloadCount: name.utf8.count + arguments.count + 5)
        bytes.append(UInt8(ascii: "["))
        appendQuoted(name, to: &bytes)
        if !arguments.isEmpty {
            bytes.append(UInt8(ascii: ","))
            bytes += arguments
        }
        bytes.append(UInt8(ascii: "]"))
        return .text(bytes[...])
    }

    private static func message(
        _ type: SocketIO.PacketType, attachments: Int = 0, namespace: String, id: Int? = nil, payload: ArraySlice<UInt8>
    ) -> WebSocketMessage {
        var bytes = header(
            type, attachments: attachments, namespace: namespace, id: id, payloadCount: payload.count)
        bytes += payload
        return .text(bytes[...])
    }

    /// Returns everything before the payload, in an array with room for the payload.
    private static func header(
        _ type: SocketIO.PacketType, attachments: Int = 0, namespace: String, id: Int?, payloadCount: Int
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(payloadCount + namespace.utf8.count + 32)
        bytes.append(EngineIO.PacketType.message.digit)
        bytes.append(type.rawValue + UInt8(ascii: "0"))
        if attachments > 0 {
            bytes += String(attachments).utf8
            bytes.append(UInt8(ascii: "-"))
        }
        if namespace != "/" {
            bytes += namespace.utf8
            bytes.append(UInt8(ascii: ","))
        }
        if let id { bytes += String(id).utf8 }
        return bytes
    }

    private static func appendQuoted(_ name: String, to bytes: inout [UInt8]) {
        let isPlain = name.utf8.allSatisfy {
            $0 >= 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
        }
        if isPlain {
            bytes.append(UInt8(ascii: "\""))
            bytes += name.utf8
            bytes.append(UInt8(ascii: "\""))
        } else {
            var writer = JSONWriter()
            writer.string(name)
            bytes += writer.bytes
        }
    }
}
