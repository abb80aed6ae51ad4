import WeirEvents
package import WeirJSON
public import WeirWire

/// An event as it was received, over any protocol.
package enum WireEvent: Sendable {
    /// An event received over Socket.IO.
    case socketIO(SocketIO.Event)
    /// A message published on a Bayeux channel.
    case bayeux(BayeuxClient.Delivery)
    /// A JSON message of a plain WebSocket.
    case json(JSONMessage)

    /// The event's name on the wire. For a published message this is its `type`, or the name of the channel if it has
    /// none.
    package var name: String {
        switch self {
        case .socketIO(let event): event.name
        case .bayeux(let delivery): delivery.data.type ?? delivery.channel
        case .json(let message): message.name
        }
    }

    /// The number of bytes that the event keeps in memory: its text and its attachments.
    package var heldBytes: Int {
        switch self {
        case .socketIO(let event): event.attachments.reduce(event.array.bytes.count) { $0 + $1.count }
        case .bayeux(let delivery): delivery.data.bytes.count
        case .json(let message): message.payload.bytes.count
        }
    }

    /// The namespace or channel on which the event arrived.
    package var namespace: String {
        switch self {
        case .socketIO(let event): event.namespace
        case .bayeux(let delivery): delivery.channel
        case .json: "/"
        }
    }

    /// The JSON text as it was received: the whole Socket.IO array including the event's name, or the published
    /// message. A binary attachment appears in its place as `{"base64":"AQID","bytes":3}`.
    package var payload: RawJSON {
        switch self {
        case .socketIO(let event): event.payload
        case .bayeux(let delivery): delivery.data
        case .json(let message): message.payload
        }
    }

    /// The id of the acknowledgement that the event requests; `nil` if it requests none.
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

    /// The event as output shows it, with each binary attachment replaced by its size.
    var sized: SocketIO.Event {
        replacingAttachments { RawJSON(unchecked: Array(#"{"bytes":\#($0.count)}"#.utf8)[...]) }
    }
}

extension SocketIO.Acknowledgement {
    /// The acknowledgement with its binary attachments in place, as in `WireEvent.payload`.
    package var whole: SocketIO.Acknowledgement { Self(namespace: namespace, id: id, arguments: asEvent.payload) }

    /// The acknowledgement as output shows it, with each binary attachment replaced by its size.
    package var sized: SocketIO.Acknowledgement { Self(namespace: namespace, id: id, arguments: asEvent.sized.array) }

    private var asEvent: SocketIO.Event { SocketIO.Event(array: arguments, attachments: attachments) }
}

extension RawJSON {
    /// The member `type` of an object, if its value is a string.
    package var type: String? {
        var reader = JSONReader(bytes.span)
        do throws(JSONError) {
            try reader.beginObject()
            while let key = try reader.nextKey() {
                if reader.matches(key, "type") { return try reader.peek() == .string ? try reader.string() : nil }
                try reader.skip()
            }
        } catch {
            // A value that is not an object has no type.
        }
        return nil
    }
}

/// The protocol that a realtime connection speaks.
public enum RealtimeProtocol: Hashable, Sendable, CustomStringConvertible {
    /// Socket.IO over this revision of Engine.IO.
    case socketIO(EngineIO.Revision)
    /// Version 1.0 of the Bayeux protocol.
    case bayeux
    /// Plain JSON messages, as a profile describes them.
    case json
    /// No realtime protocol: all information comes from REST services.
    case rest

    /// The revision of Engine.IO; `nil` for any other protocol.
    public var revision: EngineIO.Revision? {
        switch self {
        case .socketIO(let revision): revision
        case .bayeux, .json, .rest: nil
        }
    }

    /// The name of the protocol for people.
    public var description: String {
        switch self {
        case .socketIO(let revision): "Engine.IO \(revision.rawValue)"
        case .bayeux: "Bayeux \(Bayeux.version)"
        case .json: "plain WebSocket"
        case .rest: "REST alone"
        }
    }

    /// The name of the protocol in recordings.
    public var name: String {
        switch self {
        case .socketIO(let revision): "eio\(revision.rawValue)"
        case .bayeux: "bayeux"
        case .json: "json"
        case .rest: "rest"
        }
    }
}

/// A decoder that turns frames into events before the session receives them, on any thread. A replay uses it, because
/// it knows the frames in advance.
///
/// A replay on two threads takes 7.8 µs an event; one thread would take the 13.6 µs of processor time that both need
/// (`weir-bench replay --whole 1`, decode and apply).
package struct FrameDecoder: Sendable {
    private let read: (@Sendable (ArraySlice<UInt8>) -> Event?)?

    /// Creates a decoder for sessions with this configuration.
    package init(_ configuration: Configuration) { read = configuration.backend.module.decodeAhead }

    /// Decodes the event of a text message that contains one event and nothing else.
    ///
    /// - Returns: `nil` for any other message, and for an event that cannot be decoded. The session then handles the
    ///   message itself.
    package func decode(_ frame: ArraySlice<UInt8>) -> EventReport? {
        guard let read, let array = SocketIO.Event.plainArray(of: frame), let event = read(array) else { return nil }
        // The decoder read the array to its end, so it is valid JSON.
        return EventReport(event: event, source: SocketIO.Event(array: RawJSON(unchecked: array)))
    }
}
