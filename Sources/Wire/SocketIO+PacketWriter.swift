import JSONText

extension SocketIO.Packet {
    /// Returns the packet as WebSocket messages, including the attachments of its event or acknowledgement.
    public func messages(_ revision: EngineIO.Revision) -> [WebSocketMessage] {
        let attachments: [ArraySlice<UInt8>] =
            switch self {
            case .event(let event, _): event.attachments
            case .acknowledgement(let acknowledgement, _): acknowledgement.attachments
            case .connect, .disconnect, .connectError: []
            }
        return [message] + attachments.map { EngineIO.packet(of: .binary($0), revision) }
    }

    /// The packet's text as a WebSocket message, including the Engine.IO type digit.
    public var message: WebSocketMessage {
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
