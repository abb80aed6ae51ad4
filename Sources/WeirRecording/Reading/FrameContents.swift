import WeirEvents
import WeirJSON
import WeirPipeline
import WeirWire

/// The events in a message: one of Socket.IO, or those published on Bayeux channels. Empty for connection management,
/// for attachments and for other protocols.
struct FrameContents {
    /// An event in a message.
    struct Event {
        /// The event's name on the wire. For a published event it is the `type` of its data, or the channel.
        var name: String
        /// The event's room, found as its backend defines it; for an event unknown to all backends, its `room` member.
        var room: String?
        /// The channel and the data of a published event.
        var delivery: (channel: String, data: RawJSON)?
    }

    private(set) var events: [Event] = []

    /// The name of the first event.
    var event: String? { events.first?.name }
    /// The room of the first event.
    var room: String? { events.first?.room }

    init(_ message: WebSocketMessage) {
        guard case .text(let bytes) = message else { return }
        switch bytes.first {
        case UInt8(ascii: "4"): read(bytes.dropFirst())
        case UInt8(ascii: "["): readDeliveries(bytes)
        default: break
        }
    }

    private mutating func readDeliveries(_ frame: ArraySlice<UInt8>) {
        guard let messages = try? Bayeux.Frame(parsing: frame).messages else { return }
        for message in messages where message.isSuccessful == nil {
            guard let data = message.data, message.channel.hasPrefix("/"), !message.channel.hasPrefix("/meta/") else {
                continue
            }
            let room = BackendModule.room(of: message.channel, data) ?? message.channel
            events.append(
                Event(
                    name: data.type ?? message.channel, room: room,
                    delivery: (message.channel, data)))
        }
    }

    /// Reads a Socket.IO packet: type, number of attachments and `-`, namespace and comma, acknowledgement id, JSON.
    private mutating func read(_ packet: ArraySlice<UInt8>) {
        guard packet.first == UInt8(ascii: "2") || packet.first == UInt8(ascii: "5"),
            let start = Self.jsonStart(in: packet)
        else { return }
        let json = packet[start...]
        do throws(JSONError) {
            var reader = JSONReader(json.span)
            try reader.beginArray()
            guard try reader.nextElement(), try reader.peek() == .string else { return }
            let name = try reader.string()
            events = [Event(name: name)]
            guard try reader.nextElement(), try reader.peek() == .object else { return }
            let known = BackendModule.allLandmarks.first { name.hasPrefix($0.room.events) }
            events[0].room = try Self.room(known?.room.member ?? "room", &reader)
        } catch {
            return
        }
    }

    /// Returns where the JSON text of a packet begins, or `nil` when it has none.
    static func jsonStart(in packet: ArraySlice<UInt8>) -> Int? {
        var rest = packet.dropFirst()
        let digits = rest.prefix { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
        if digits.endIndex < rest.endIndex, rest[digits.endIndex] == UInt8(ascii: "-") {
            rest = rest[(digits.endIndex + 1)...]
        }
        if rest.first == UInt8(ascii: "/") {
            guard let comma = rest.firstIndex(of: UInt8(ascii: ",")) else { return nil }
            rest = rest[(comma + 1)...]
        }
        rest = rest.drop { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
        return rest.isEmpty ? nil : rest.startIndex
    }

    /// Returns where the JSON text of a payload begins: at its start, or after the header of a Socket.IO packet.
    /// Returns `nil` when it has none.
    static func jsonStart(inPayload payload: ArraySlice<UInt8>) -> Int? {
        let payload = payload.drop { $0 <= UInt8(ascii: " ") }
        guard let first = payload.first else { return nil }
        if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") { return payload.startIndex }
        guard first == UInt8(ascii: "4") || first == UInt8(ascii: "0") else { return nil }
        let packet = first == UInt8(ascii: "4") ? payload.dropFirst() : payload
        guard !packet.isEmpty, let start = jsonStart(in: packet) else { return nil }
        return payload[start] == UInt8(ascii: "{") || payload[start] == UInt8(ascii: "[") ? start : nil
    }

    private static func room(_ name: StaticString, _ reader: inout JSONReader) throws(JSONError) -> String? {
        try reader.beginObject()
        while let key = try reader.nextKey() {
            if reader.matches(key, name), try reader.peek() == .string { return try reader.string() }
            try reader.skip()
        }
        return nil
    }
}

extension Record {
    /// The events of the message; `nil` for a record that is not a frame.
    var contents: FrameContents? {
        if case .frame(let frame) = self { FrameContents(frame.message) } else { nil }
    }

    /// The room that the record concerns, if it names one.
    var room: String? {
        switch self {
        case .subscription(let change): change.room
        case .frame(let frame): FrameContents(frame.message).room
        case .head, .connection, .http, .gap, .token, .action, .memory, .mark, .state, .clock, .note, .sync, .index,
            .end, .unknown:
            nil
        }
    }

    /// The number of the connection that the record belongs to, if any.
    var connection: Int? {
        switch self {
        case .connection(let change): change.connection
        case .frame(let frame): frame.connection
        case .http(let exchange): exchange.connection == 0 ? nil : exchange.connection
        case .subscription(let change): change.connection
        case .gap(let gap): gap.connection
        case .head, .token, .action, .memory, .mark, .state, .clock, .note, .sync, .index, .end, .unknown: nil
        }
    }
}
