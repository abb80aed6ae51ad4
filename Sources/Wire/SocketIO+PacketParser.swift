import JSONText

extension SocketIO.Packet {
    /// Reads the data of an Engine.IO message. JSON texts are checked wholly and kept as slices of `packet`; offsets of
    /// errors count from its first byte.
    ///
    /// The verdicts are those of the reference's decoder (1.9). `revision` decides what a refusal may hold.
    public init(parsing packet: ArraySlice<UInt8>, revision: EngineIO.Revision) throws(SocketIO.Malformed) {
        let header = try SocketIO.PacketHeader(parsing: packet)
        do throws(SocketIO.Malformed) {
            try self.init(header, revision)
        } catch {
            throw error.moved(by: header.body.startIndex - packet.startIndex)
        }
    }

    private init(_ header: SocketIO.PacketHeader, _ revision: EngineIO.Revision) throws(SocketIO.Malformed) {
        switch header.type {
        case .connect:
            let payload = try header.payload(of: "a CONNECT", allowing: [.object])
            self = .connect(namespace: header.namespace, payload: payload)
        case .disconnect:
            guard header.body.isEmpty else {
                throw SocketIO.Malformed(message: "a DISCONNECT with a payload", offset: 0)
            }
            self = .disconnect(namespace: header.namespace)
        case .event, .binaryEvent:
            self = .event(try SocketIO.Event(header), attachments: header.attachments)
        case .acknowledgement, .binaryAcknowledgement:
            guard let id = header.id else { throw SocketIO.Malformed(message: "an ACK without an id", offset: 0) }
            guard let arguments = try header.payload(of: "an ACK", allowing: [.array]) else {
                throw SocketIO.Malformed(message: "an ACK without its array", offset: 0)
            }
            self = .acknowledgement(
                namespace: header.namespace, id: id, arguments: arguments, attachments: header.attachments)
        case .connectError:
            let kinds: [JSONKind] =
                switch revision {
                case .v3: [.object, .array, .string, .number, .bool, .null]
                case .v4: [.object, .string]
                }
            let payload = try header.payload(of: "a CONNECT_ERROR", allowing: kinds)
            self = .connectError(namespace: header.namespace, payload: payload)
        }
    }
}

extension SocketIO.PacketHeader {
    /// The one JSON value of the body, nil when the body is empty.
    fileprivate func payload(of packet: String, allowing kinds: [JSONKind]) throws(SocketIO.Malformed) -> RawJSON? {
        if body.isEmpty { return nil }
        do throws(JSONError) {
            var reader = JSONReader(body.span)
            let kind = try reader.peek()
            guard kinds.contains(kind) else {
                throw JSONError(.wrongKind(expected: kinds[0], found: kind), at: reader.offset)
            }
            let range = try reader.skip()
            try reader.end()
            return RawJSON(unchecked: body[range.shifted(to: body)])
        } catch {
            throw SocketIO.Malformed(error, within: "the payload of \(packet)", startingAt: 0)
        }
    }
}

extension SocketIO.Event {
    /// Reads an event's array: the name's value, and where everything else stands.
    fileprivate init(_ header: SocketIO.PacketHeader) throws(SocketIO.Malformed) {
        let body = header.body
        var name = ""
        var arguments: [Range<Int>] = []
        let array: Range<Int>
        do throws(JSONError) {
            var reader = JSONReader(body.span)
            try reader.beginArray()
            let start = reader.offset - 1
            guard try reader.nextElement() else { throw JSONError(.unexpectedByte(UInt8(ascii: "]")), at: start + 1) }
            name = try Self.readName(from: &reader, of: body)
            while try reader.nextElement() { arguments.append(try reader.skip().shifted(to: body)) }
            array = start..<reader.offset
            try reader.end()
        } catch {
            throw SocketIO.Malformed(error, within: "the payload of an EVENT", startingAt: 0)
        }
        if SocketIO.isReserved(name) {
            throw SocketIO.Malformed(message: "an event with a reserved name", offset: array.lowerBound + 1)
        }
        self.init(
            namespace: header.namespace, name: name, array: RawJSON(unchecked: body[array.shifted(to: body)]),
            arguments: arguments, ackID: header.id)
    }

    /// A name is a string or, as the reference allows, a number, which is named by its text.
    private static func readName(
        from reader: inout JSONReader, of body: ArraySlice<UInt8>
    ) throws(JSONError) -> String {
        switch try reader.peek() {
        case .string:
            let contents = try reader.stringRange()
            if !contents.hasEscapes {
                return String(decoding: body[contents.range.shifted(to: body)], as: UTF8.self)
            }
            let end = reader.offset
            reader.seek(to: contents.range.lowerBound - 1)
            let name = try reader.string()
            reader.seek(to: end)
            return name
        case .number:
            return String(decoding: body[try reader.skip().shifted(to: body)], as: UTF8.self)
        case .object: throw JSONError(.wrongKind(expected: .string, found: .object), at: reader.offset)
        case .array: throw JSONError(.wrongKind(expected: .string, found: .array), at: reader.offset)
        case .bool: throw JSONError(.wrongKind(expected: .string, found: .bool), at: reader.offset)
        case .null: throw JSONError(.wrongKind(expected: .string, found: .null), at: reader.offset)
        }
    }
}

extension Range<Int> {
    /// A reader's range, which counts from 0, as indices of the slice that was read.
    fileprivate func shifted(to slice: ArraySlice<UInt8>) -> Range<Int> {
        lowerBound + slice.startIndex..<upperBound + slice.startIndex
    }
}
