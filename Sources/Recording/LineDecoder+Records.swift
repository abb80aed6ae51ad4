import JSONText
import Wire

extension LineDecoder {
    mutating func head() throws(JSONError) -> Record? {
        var format: String?
        var major: Int?
        var minor = 0
        var recording: String?
        var start: Int64?
        var clock: String?
        var tool: String?
        var seed: String?
        var session: RawJSON?
        while let key = try reader.nextKey() {
            if reader.matches(key, "fmt") {
                format = try text()
            } else if reader.matches(key, "v") {
                major = try count()
            } else if reader.matches(key, "minor") {
                minor = try count() ?? 0
            } else if reader.matches(key, "rec") {
                recording = try text()
            } else if reader.matches(key, "w0") {
                start = try wallClock()
            } else if reader.matches(key, "clock") {
                clock = try text()
            } else if reader.matches(key, "tool") {
                tool = try text()
            } else if reader.matches(key, "seed") {
                seed = try text()
            } else if reader.matches(key, "session") {
                session = try object()
            } else {
                try other(key)
            }
        }
        guard require(format == RecordFormat.name ? format : nil, "fmt") != nil, let major = require(major, "v"),
            let recording = require(recording, "rec"), let start = require(start, "w0"),
            let tool = require(tool, "tool")
        else { return nil }
        // What another major version says of its session is not ours to judge.
        guard let seed = require(major == RecordFormat.major ? seed.flatMap { UInt64($0) } : 0, "seed"),
            let session = require(
                major == RecordFormat.major ? session : RawJSON(unchecked: ArraySlice("{}".utf8)), "session")
        else { return nil }
        return .head(
            Record.Head(
                major: major, minor: minor, recording: recording, wallStart: start, clock: clock ?? "", tool: tool,
                seed: seed,
                session: session))
    }

    mutating func connection() throws(JSONError) -> Record? {
        var connection: Int?
        var state: String?
        var record = Record.ConnectionRecord(connection: 0, state: .connecting)
        while let key = try reader.nextKey() {
            if reader.matches(key, "c") {
                connection = try connectionNumber()
            } else if reader.matches(key, "st") {
                state = try text()
            } else if reader.matches(key, "url") {
                record.url = try text()
            } else if reader.matches(key, "try") {
                record.attempt = try integer()
            } else if reader.matches(key, "code") {
                record.code = try integer()
            } else if reader.matches(key, "phase") {
                record.phase = try text()
            } else if reader.matches(key, "retry") {
                record.retry = try text()
            } else if reader.matches(key, "why") {
                record.why = try text()
            } else {
                try other(key)
            }
        }
        guard let connection = require(connection, "c"), let state = require(state, "st") else { return nil }
        guard let state = Record.ConnectionRecord.State(rawValue: state) else { return asUnknown("conn") }
        record.connection = connection
        record.state = state
        return .connection(record)
    }

    mutating func frame() throws(JSONError) -> Record? {
        var connection: Int?
        var direction: String?
        var opcode: Int?
        var payload = Payload()
        while let key = try reader.nextKey() {
            if reader.matches(key, "c") {
                connection = try connectionNumber()
            } else if reader.matches(key, "d") {
                direction = try text()
            } else if reader.matches(key, "op") {
                opcode = try count()
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
            Record.FrameRecord(connection: connection, direction: direction, message: message, cutFrom: payload.cutFrom)
        )
    }

    mutating func subscription() throws(JSONError) -> Record? {
        var act: String?
        var room: String?
        var record = Record.SubscriptionRecord(act: .want, room: "")
        while let key = try reader.nextKey() {
            if reader.matches(key, "act") {
                act = try text()
            } else if reader.matches(key, "room") {
                room = try text()
            } else if reader.matches(key, "src") {
                record.source = try text()
            } else if reader.matches(key, "why") {
                record.why = try text()
            } else if reader.matches(key, "c") {
                record.connection = try connectionNumber()
            } else {
                try other(key)
            }
        }
        guard let act = require(act, "act"), let room = require(room, "room") else { return nil }
        guard let act = Record.SubscriptionRecord.Act(rawValue: act) else { return asUnknown("sub") }
        record.act = act
        record.room = room
        return .subscription(record)
    }

    mutating func gap() throws(JSONError) -> Record? {
        var why: String?
        var record = Record.GapRecord(why: "")
        while let key = try reader.nextKey() {
            if reader.matches(key, "why") {
                why = try text()
            } else if reader.matches(key, "from") {
                record.from = try moment()
            } else if reader.matches(key, "to") {
                record.to = try moment()
            } else if reader.matches(key, "lost") {
                record.lost = try integer()
            } else if reader.matches(key, "recovered") {
                record.recovered = try bool()
            } else if reader.matches(key, "did") {
                record.actions = try texts()
            } else if reader.matches(key, "c") {
                record.connection = try connectionNumber()
            } else {
                try other(key)
            }
        }
        guard let why = require(why, "why") else { return nil }
        record.why = why
        return .gap(record)
    }

    mutating func token() throws(JSONError) -> Record? {
        var renewed: Bool?
        while let key = try reader.nextKey() {
            if reader.matches(key, "renewed") { renewed = try bool() } else { try other(key) }
        }
        guard let renewed = require(renewed, "renewed") else { return nil }
        return .token(Record.TokenRecord(renewed: renewed))
    }

    mutating func action() throws(JSONError) -> Record? {
        var act: String?
        var what: RawJSON?
        while let key = try reader.nextKey() {
            if reader.matches(key, "act") {
                act = try text()
            } else if reader.matches(key, "what") {
                what = try reader.raw()
            } else {
                try other(key)
            }
        }
        guard let act = require(act, "act"), let what = require(what, "what") else { return nil }
        guard let act = Record.ActionRecord.Act(rawValue: act) else { return asUnknown("act") }
        return .action(Record.ActionRecord(act: act, what: what))
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
}
