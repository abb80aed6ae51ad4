import JSONText
import Wire

extension LineDecoder {
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
            } else if reader.matches(key, "next_us") {
                record.next = try count().map { Int64($0) }
            } else if reader.matches(key, "proto") {
                record.spoken = try text()
            } else if reader.matches(key, "tr") {
                record.transport = try text()
            } else if reader.matches(key, "sid") {
                record.session = try text()
            } else if reader.matches(key, "resume") {
                record.resumed = try resumption()
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

    private mutating func resumption() throws(JSONError) -> Record.Resumption? {
        guard try reader.peek() == .object else {
            try reader.skip()
            return nil
        }
        var resumption = Record.Resumption(isRecovered: false)
        try reader.beginObject()
        while let key = try reader.nextKey() {
            if reader.matches(key, "pid") {
                resumption.session = try text()
            } else if reader.matches(key, "offset") {
                resumption.offset = try text()
            } else if reader.matches(key, "recovered") {
                resumption.isRecovered = try bool() ?? false
            } else {
                try reader.skip()
            }
        }
        return resumption
    }

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
            } else if reader.matches(key, "for_us") {
                // A year is longer than anybody wishes, and short enough to be added to any moment.
                record.span = (try integer()).map { .microseconds(min(max(0, $0), 31_536_000_000_000)) }
            } else if reader.matches(key, "since_ms") {
                record.since = try integer().map { Int64($0) }
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
