import JSONText

extension SocketIO.Packet {
    /// Reads the data of an Engine.IO message. JSON texts are checked wholly and kept as slices of `packet`; offsets of
    /// errors count from its first byte.
    ///
    /// The verdicts are those of the reference's decoder (1.9). `revision` decides what a refusal may hold.
    public init(parsing packet: ArraySlice<UInt8>, revision: EngineIO.Revision) throws(SocketIO.Malformed) {
        let header = try SocketIO.PacketHeader(parsing: packet.span)
        switch header.type {
        case .event, .binaryEvent:
            let event = try SocketIO.Event(header, of: packet)
            if header.attachments > 0 { try event.array.checkPlaceholders(of: header.attachments, in: packet) }
            self = .event(event, attachments: header.attachments)
        case .acknowledgement, .binaryAcknowledgement:
            guard let id = header.id else {
                throw SocketIO.Malformed(message: "an ACK without an id", offset: header.end)
            }
            guard let arguments = try header.payload(of: packet, allowing: [.array]) else {
                throw SocketIO.Malformed(message: "an ACK without its array", offset: header.end)
            }
            if header.attachments > 0 { try arguments.checkPlaceholders(of: header.attachments, in: packet) }
            self = .acknowledgement(
                SocketIO.Acknowledgement(namespace: header.namespace, id: id, arguments: arguments),
                attachments: header.attachments)
        case .connect:
            self = .connect(
                namespace: header.namespace, payload: try header.payload(of: packet, allowing: [.object]))
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
                namespace: header.namespace, payload: try header.payload(of: packet, allowing: kinds))
        }
    }
}

extension SocketIO.PacketHeader {
    /// The one JSON value after the header, nil when nothing is there.
    fileprivate func payload(
        of packet: ArraySlice<UInt8>, allowing kinds: [JSONKind]
    ) throws(SocketIO.Malformed) -> RawJSON? {
        if end == packet.count { return nil }
        do throws(JSONError) {
            var reader = JSONReader(packet.span, at: end)
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

extension SocketIO.Event {
    /// Reads an event's array: the name's value, and where everything else stands.
    fileprivate init(
        _ header: SocketIO.PacketHeader, of packet: ArraySlice<UInt8>
    ) throws(SocketIO.Malformed) {
        let name: String
        var arguments: [Range<Int>] = []
        let array: Range<Int>
        do throws(JSONError) {
            var reader = JSONReader(packet.span, at: header.end)
            try reader.beginArray()
            let start = reader.offset - 1
            guard try reader.nextElement() else { throw JSONError(.unexpectedByte(UInt8(ascii: "]")), at: start + 1) }
            name = try Self.readName(from: &reader, of: packet)
            while try reader.nextElement() { arguments.append(try reader.skip().shifted(to: packet)) }
            array = start..<reader.offset
            try reader.end()
        } catch {
            throw SocketIO.Malformed(error, within: "the event")
        }
        if SocketIO.isReserved(name) {
            throw SocketIO.Malformed(message: "an event with a reserved name", offset: array.lowerBound + 1)
        }
        self.init(
            namespace: header.namespace, name: name, array: RawJSON(unchecked: packet[array.shifted(to: packet)]),
            arguments: arguments, ackID: header.id)
    }

    /// A name is a string or, as the reference allows, a number, which is named by its text.
    private static func readName(
        from reader: inout JSONReader, of packet: ArraySlice<UInt8>
    ) throws(JSONError) -> String {
        let kind = try reader.peek()
        switch kind {
        case .string:
            return try reader.string()
        case .number:
            return String(decoding: packet[try reader.skip().shifted(to: packet)], as: UTF8.self)
        case .object, .array, .bool, .null:
            throw JSONError(.wrongKind(expected: .string, found: kind), at: reader.offset)
        }
    }
}

extension Range<Int> {
    /// A reader's range, which counts from 0, as indices of the slice that was read.
    fileprivate func shifted(to slice: ArraySlice<UInt8>) -> Range<Int> {
        lowerBound + slice.startIndex..<upperBound + slice.startIndex
    }
}
