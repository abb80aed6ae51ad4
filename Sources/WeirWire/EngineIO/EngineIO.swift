import WeirJSON

/// Engine.IO, revisions 3 and 4 (Engine.IO EIO-1 to EIO-34).
public enum EngineIO {
    /// The protocol revision: the `EIO` parameter of the request.
    public enum Revision: Int, Hashable, Sendable, CaseIterable {
        case v3 = 3
        case v4 = 4
    }

    /// The packet types. The first character of a packet is its type's number.
    package enum PacketType: UInt8, Hashable, Sendable, CaseIterable {
        case open, close, ping, pong, message, upgrade, noop
    }

    /// The contents of the open packet (Engine.IO EIO-10).
    package struct Handshake: Hashable, Sendable {
        /// The session id, chosen by the server.
        package var sid: String
        /// The transports to which the server offers to upgrade.
        package var upgrades: [String]
        /// The time from one ping to the next.
        package var pingInterval: Duration
        /// How long a ping may remain unanswered.
        package var pingTimeout: Duration
        /// The maximum size of a polling body in bytes, if the server states it.
        package var maxPayload: Int?
        /// Creates a handshake. The default times are 25 seconds between pings and 20 seconds for an answer.
        package init(
            sid: String, upgrades: [String] = [], pingInterval: Duration = .seconds(25),
            pingTimeout: Duration = .seconds(20), maxPayload: Int? = nil
        ) {
            self.sid = sid
            self.upgrades = upgrades
            self.pingInterval = pingInterval
            self.pingTimeout = pingTimeout
            self.maxPayload = maxPayload
        }
    }
}

extension EngineIO {
    /// One Engine.IO packet of a text frame: the type digit and the data after it (Engine.IO EIO-4).
    package struct Packet: Hashable, Sendable {
        /// The packet's type, from its first character.
        package var type: PacketType
        /// The data after the type digit, as a slice of the frame.
        package var data: ArraySlice<UInt8>

        /// Creates a packet from its type and its data.
        package init(_ type: PacketType, data: ArraySlice<UInt8> = []) {
            self.type = type
            self.data = data
        }

        /// Parses a text frame. The packet keeps a slice of it.
        package init(parsing text: ArraySlice<UInt8>) throws(SocketIO.Malformed) {
            guard let first = text.first else { throw SocketIO.Malformed(message: "an empty frame", offset: 0) }
            guard let type = PacketType(rawValue: first &- UInt8(ascii: "0")) else {
                throw SocketIO.Malformed(message: "a frame that begins with no Engine.IO packet type", offset: 0)
            }
            self.type = type
            data = text.dropFirst()
        }

        /// The packet as a text frame of a WebSocket.
        package var message: WebSocketMessage {
            var bytes: [UInt8] = []
            bytes.reserveCapacity(1 + data.count)
            bytes.append(type.digit)
            bytes += data
            return .text(bytes[...])
        }

        /// The answer to this ping. Only the data of the upgrade probe is echoed, as the JavaScript peers do
        /// (Engine.IO EIO-7).
        var pong: WebSocketMessage {
            let isProbe = data.elementsEqual("probe".utf8)
            return Packet(.pong, data: isProbe ? data : []).message
        }
    }
}

extension EngineIO.PacketType {
    /// The first byte of a packet of this type.
    var digit: UInt8 { rawValue + UInt8(ascii: "0") }
}

extension EngineIO.Handshake {
    /// Parses an open packet. Unknown keys are ignored, and keys may come in any order (Engine.IO EIO-10).
    init(parsing packet: EngineIO.Packet) throws(SocketIO.Malformed) {
        var fields = OpenFields()
        do throws(JSONError) {
            var reader = JSONReader(packet.data.span)
            try reader.beginObject()
            while let key = try reader.nextKey() { try fields.read(key, from: &reader) }
            try reader.end()
        } catch {
            throw SocketIO.Malformed(error, within: "the open packet").moved(by: 1)
        }
        guard let sid = fields.sid, let interval = fields.pingInterval, let timeout = fields.pingTimeout else {
            throw SocketIO.Malformed(message: "an open packet without sid, pingInterval or pingTimeout", offset: 0)
        }
        self.init(
            sid: sid, upgrades: fields.upgrades, pingInterval: interval, pingTimeout: timeout,
            maxPayload: fields.maxPayload)
    }

    /// The open packet, with its keys in the order of the JavaScript server.
    package var openPacket: WebSocketMessage {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("sid", sid)
        writer.member("upgrades", names: upgrades)
        writer.member("pingInterval", pingInterval.microseconds / 1000)
        writer.member("pingTimeout", pingTimeout.microseconds / 1000)
        writer.member("maxPayload", maxPayload)
        writer.endObject()
        return EngineIO.Packet(.open, data: writer.bytes[...]).message
    }
}

/// The members of an open packet seen so far.
private struct OpenFields {
    var sid: String?
    var upgrades: [String] = []
    var pingInterval: Duration?
    var pingTimeout: Duration?
    var maxPayload: Int?

    mutating func read(_ key: JSONKey, from reader: inout JSONReader) throws(JSONError) {
        if reader.matches(key, "sid") {
            sid = try reader.string()
        } else if reader.matches(key, "upgrades") {
            try readUpgrades(from: &reader)
        } else if reader.matches(key, "pingInterval") {
            pingInterval = try Self.timer(from: &reader)
        } else if reader.matches(key, "pingTimeout") {
            pingTimeout = try Self.timer(from: &reader)
        } else if reader.matches(key, "maxPayload") {
            maxPayload = try Self.count(from: &reader)
        } else {
            try reader.skip()
        }
    }

    private mutating func readUpgrades(from reader: inout JSONReader) throws(JSONError) {
        guard try reader.peek() == .array else {
            try reader.skip()
            return
        }
        upgrades = []
        try reader.beginArray()
        while try reader.nextElement() { upgrades.append(try reader.string()) }
    }

    /// Reads a time span in milliseconds, clamped to the longest timer of the reference implementation (2³¹−1 ms).
    /// Returns `nil` if it is too short for a timer.
    private static func timer(from reader: inout JSONReader) throws(JSONError) -> Duration? {
        let milliseconds = try reader.double()
        guard milliseconds >= 1 else { return nil }
        return .milliseconds(Int64(min(milliseconds, 2_147_483_647)))
    }

    /// Reads a number of bytes. Any other value counts as missing.
    private static func count(from reader: inout JSONReader) throws(JSONError) -> Int? {
        guard try reader.peek() == .number else {
            try reader.skip()
            return nil
        }
        let bytes = try reader.double()
        return bytes >= 1 ? Int(min(bytes, 2_147_483_647)) : nil
    }
}
