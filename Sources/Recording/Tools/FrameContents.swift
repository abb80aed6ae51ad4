import JSONText
import Wire

/// What a message says, as far as it can be told without its backend's vocabulary.
struct FrameContents {
    /// What kind of message it is.
    enum Kind {
        /// A Socket.IO event.
        case event(name: String)
        /// What makes and keeps the connection: handshakes, joins of namespaces, heartbeats, acknowledgements.
        case protocolMessage
        /// Anything else: an attachment, another protocol.
        case other
    }

    var kind = Kind.other
    /// The room an event speaks of: what Twake calls `name` in `realtime:…`, and everybody else `room`.
    var room: String?

    /// The event's name, when it is one.
    var event: String? { if case .event(let name) = kind { name } else { nil } }

    init(_ message: WebSocketMessage) {
        guard case .text(let bytes) = message, let first = bytes.first else { return }
        switch first {
        case UInt8(ascii: "4"): read(bytes.dropFirst())
        case UInt8(ascii: "0")...UInt8(ascii: "6"): kind = .protocolMessage
        default: break
        }
    }

    /// Reads a Socket.IO packet: type, `N-` attachments, namespace and comma, acknowledgement's id, JSON.
    private mutating func read(_ packet: ArraySlice<UInt8>) {
        switch packet.first {
        case UInt8(ascii: "2"), UInt8(ascii: "5"): break
        case UInt8(ascii: "0"), UInt8(ascii: "1"), UInt8(ascii: "3"), UInt8(ascii: "4"), UInt8(ascii: "6"):
            kind = .protocolMessage
            return
        default: return
        }
        guard let start = Self.jsonStart(in: packet) else { return }
        let json = packet[start...]
        do throws(JSONError) {
            var reader = JSONReader(json.span)
            try reader.beginArray()
            guard try reader.nextElement(), try reader.peek() == .string else { return }
            let name = try reader.string()
            kind = .event(name: name)
            guard try reader.nextElement(), try reader.peek() == .object else { return }
            room = try Self.room(name.hasPrefix("realtime:") ? "name" : "room", &reader)
        } catch {
            return
        }
    }

    /// Where the JSON text of a packet begins; nil when there is none.
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
    /// What the message says; nil for other records.
    var contents: FrameContents? {
        if case .frame(let frame) = self { FrameContents(frame.message) } else { nil }
    }

    /// The room it is about, when it says.
    var room: String? {
        switch self {
        case .subscription(let change): change.room
        case .frame(let frame): FrameContents(frame.message).room
        case .head, .connection, .http, .gap, .token, .action, .memory, .mark, .state, .clock, .note, .sync, .index,
            .end, .unknown:
            nil
        }
    }

    /// The connection it belongs to, when it says.
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
