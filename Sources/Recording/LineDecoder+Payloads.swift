import JSONText
import Wire

extension LineDecoder {
    mutating func frame() throws(JSONError) -> Record? {
        var connection: Int?
        var direction: String?
        var opcode: Int?
        var transport: String?
        var isInjected = false
        var isDropped = false
        var payload = Payload()
        while let key = try reader.nextKey() {
            if reader.matches(key, "c") {
                connection = try connectionNumber()
            } else if reader.matches(key, "d") {
                direction = try text()
            } else if reader.matches(key, "op") {
                opcode = try count()
            } else if reader.matches(key, "tr") {
                transport = try text()
            } else if reader.matches(key, "inj") {
                isInjected = try bool() ?? false
            } else if reader.matches(key, "drop") {
                isDropped = try bool() ?? false
            } else if try !payload.take(key, &self) {
                try other(key)
            }
        }
        guard let connection = require(connection, "c"), let direction = require(direction, "d"),
            let bytes = require(payload.bytes, payload.isBase64 ? "b" : "p")
        else { return nil }
        guard let direction = Record.FrameRecord.Direction(rawValue: direction) else { return asUnknown("f") }
        let message: WebSocketMessage
        switch opcode ?? (payload.isBase64 ? 2 : 1) {
        case 1: message = .text(bytes[...])
        case 2: message = .binary(bytes[...])
        default: return asUnknown("f")
        }
        return .frame(
            Record.FrameRecord(
                connection: connection, direction: direction, message: message, cutFrom: payload.cutFrom,
                transport: transport,
                isInjected: isInjected, isDropped: isDropped))
    }

    mutating func memory() throws(JSONError) -> Record? {
        var user: String?
        var payload = Payload()
        while let key = try reader.nextKey() {
            if reader.matches(key, "user") {
                user = try text()
            } else if try !payload.take(key, &self) {
                try other(key)
            }
        }
        guard let user = require(user, "user"), let bytes = require(payload.bytes, payload.isBase64 ? "b" : "p") else {
            return nil
        }
        return .memory(Record.MemoryRecord(user: user, rows: bytes, cutFrom: payload.cutFrom))
    }

    /// The members of an exchange, before its phase decides which of them apply.
    private struct Exchange {
        var connection: Int?
        var id: Int?
        var phase: String?
        var cause: Int?
        var method: String?
        var url: String?
        var status: Int?
        var retryAfter: Int?
        var failure: String?
        var why: String?
        var payload = Payload()
    }

    mutating func http() throws(JSONError) -> Record? {
        var exchange = Exchange()
        try read(&exchange)
        guard let connection = require(exchange.connection, "c"), let id = require(exchange.id, "id"),
            let phase = require(exchange.phase, "ph")
        else { return nil }
        // An empty body may be left out. A body that is present must be readable.
        guard let body = require(exchange.payload.isPresent ? exchange.payload.bytes : [], "b") else { return nil }
        var record = Record.HTTPRecord(
            connection: connection, id: id, phase: .failure(kind: "", message: ""), cause: exchange.cause)
        record.cutFrom = exchange.payload.cutFrom
        switch phase {
        case "req":
            guard let method = require(exchange.method, "m"), let url = require(exchange.url, "url") else { return nil }
            record.phase = .request(method: method, url: url, body: body)
        case "res":
            guard let status = require(exchange.status, "st") else { return nil }
            record.phase = .response(status: status, body: body, retryAfter: exchange.retryAfter)
        case "err":
            guard let kind = require(exchange.failure, "err") else { return nil }
            record.phase = .failure(kind: kind, message: exchange.why ?? "")
        default: return asUnknown("http")
        }
        return .http(record)
    }

    private mutating func read(_ exchange: inout Exchange) throws(JSONError) {
        while let key = try reader.nextKey() {
            if reader.matches(key, "c") {
                exchange.connection = try connectionNumber()
            } else if reader.matches(key, "id") {
                exchange.id = try count()
            } else if reader.matches(key, "ph") {
                exchange.phase = try text()
            } else if reader.matches(key, "for") {
                exchange.cause = try count()
            } else if reader.matches(key, "m") {
                exchange.method = try text()
            } else if reader.matches(key, "url") {
                exchange.url = try text()
            } else if reader.matches(key, "st") {
                exchange.status = try integer()
            } else if reader.matches(key, "hdr") {
                exchange.retryAfter = try retryAfter()
            } else if reader.matches(key, "err") {
                exchange.failure = try text()
            } else if reader.matches(key, "why") {
                exchange.why = try text()
            } else if try !exchange.payload.take(key, &self) {
                try other(key)
            }
        }
    }

    /// Reads `retry-after`, the only header that is kept; its value is text.
    private mutating func retryAfter() throws(JSONError) -> Int? {
        var seconds: Int?
        try reader.beginObject()
        while let name = try reader.nextKey() {
            if reader.matches(name, "retry-after") {
                seconds = try text().flatMap { Int($0) }
            } else {
                try reader.skip()
            }
        }
        return seconds
    }
}

/// The members of a payload, as they are read.
struct Payload {
    /// The bytes; `nil` when they are missing or unreadable.
    var bytes: [UInt8]?
    /// Whether the record has a `p` or `b` member.
    var isPresent = false
    /// Whether the payload is written in base64.
    var isBase64 = false
    private var length: Int?
    private var isCut = false

    /// The payload's length in bytes before it was cut; `nil` when it is whole.
    var cutFrom: Int? { isCut ? length ?? bytes?.count : nil }

    /// Reads a member of the payload. Returns false when `key` is not one of its members.
    mutating func take(_ key: JSONKey, _ decoder: inout LineDecoder) throws(JSONError) -> Bool {
        if decoder.reader.matches(key, "p") {
            bytes = try decoder.textPayload()
            isPresent = true
        } else if decoder.reader.matches(key, "b") {
            bytes = try decoder.binaryPayload()
            isPresent = true
            isBase64 = true
        } else if decoder.reader.matches(key, "len") {
            length = try decoder.count()
        } else if decoder.reader.matches(key, "cut") {
            isCut = try decoder.bool() ?? false
        } else {
            return false
        }
        return true
    }
}
