import JSONText

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
    public var openPacket: WebSocketMessage {
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
