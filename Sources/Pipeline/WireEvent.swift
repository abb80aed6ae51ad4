public import JSONText
public import Wire

/// An event as it was received, whatever the protocol.
public enum WireEvent: Sendable {
    /// By Socket.IO.
    case socketIO(SocketIO.Event)
    /// On a channel of Bayeux.
    case bayeux(BayeuxClient.Delivery)
    /// A JSON message of a plain WebSocket.
    case json(JSONMessage)

    /// The name on the wire; of what was published on a channel its `type`, and where that has none, the channel's.
    public var name: String {
        switch self {
        case .socketIO(let event): event.name
        case .bayeux(let delivery): delivery.data.type ?? delivery.channel
        case .json(let message): message.name
        }
    }

    /// Bytes it holds: its text and its attachments.
    public var heldBytes: Int {
        switch self {
        case .socketIO(let event): event.attachments.reduce(event.array.bytes.count) { $0 + $1.count }
        case .bayeux(let delivery): delivery.data.bytes.count
        case .json(let message): message.payload.bytes.count
        }
    }

    /// The namespace, or the channel, it came on.
    public var namespace: String {
        switch self {
        case .socketIO(let event): event.namespace
        case .bayeux(let delivery): delivery.channel
        case .json: "/"
        }
    }

    /// The JSON text as it was received: Socket.IO's whole array, name included, or what was published on a channel. A binary attachment
    /// stands where it belongs, as `{"base64":"AQID","bytes":3}`.
    public var payload: RawJSON {
        switch self {
        case .socketIO(let event): event.payload
        case .bayeux(let delivery): delivery.data
        case .json(let message): message.payload
        }
    }

    /// The number of the acknowledgement that is asked for.
    var ackID: Int? {
        switch self {
        case .socketIO(let event): event.ackID
        case .bayeux, .json: nil
        }
    }
}

extension SocketIO.Event {
    fileprivate var payload: RawJSON {
        replacingAttachments { bytes in
            var text = Array(#"{"base64":""#.utf8)
            text += Base64.encode(bytes)
            text += #"","bytes":\#(bytes.count)}"#.utf8
            return RawJSON(unchecked: text[...])
        }.array
    }

    /// The event as a line shows it: binary attachments are there by their sizes.
    var sized: SocketIO.Event {
        replacingAttachments { RawJSON(unchecked: Array(#"{"bytes":\#($0.count)}"#.utf8)[...]) }
    }
}

extension SocketIO.Acknowledgement {
    /// The answer whose binary attachments stand in the arguments, as in `WireEvent.payload`.
    package var whole: SocketIO.Acknowledgement { Self(namespace: namespace, id: id, arguments: asEvent.payload) }

    /// The answer as a line shows it: binary attachments are there by their sizes.
    package var sized: SocketIO.Acknowledgement { Self(namespace: namespace, id: id, arguments: asEvent.sized.array) }

    private var asEvent: SocketIO.Event { SocketIO.Event(array: arguments, attachments: attachments) }
}

extension RawJSON {
    /// The member `type` of an object, where that is a text.
    package var type: String? {
        var reader = JSONReader(bytes.span)
        do throws(JSONError) {
            try reader.beginObject()
            while let key = try reader.nextKey() {
                if reader.matches(key, "type") { return try reader.peek() == .string ? try reader.string() : nil }
                try reader.skip()
            }
        } catch {
            // What is no object has no type.
        }
        return nil
    }
}
