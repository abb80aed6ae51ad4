public import JSONText

extension SocketIO.Packet {
    /// Parses the data of an Engine.IO message.
    ///
    /// JSON texts are checked completely and kept as slices of `packet`. Error offsets count from its first byte. The
    /// parser accepts and rejects the same packets as the reference decoder (Socket.IO SIO-4). `revision` determines
    /// which payloads a CONNECT_ERROR may have.
    public init(
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
