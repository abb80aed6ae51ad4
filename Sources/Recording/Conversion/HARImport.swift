import JSONText
import Wire

/// Reads the WebSocket messages of an HTTP archive. An archive is one JSON document and is held in memory.
enum HARImport {
    private static let mostBytes = 1 << 30

    private struct Message {
        var connection: Int
        var isSent: Bool
        var wall: Int64
        var message: WebSocketMessage
    }

    private struct Connection {
        var url = ""
        /// The end of the connection and its time; `nil` when the archive has none.
        var end: (record: Record.ConnectionRecord, wall: Int64)?
    }

    /// The contents of the archive, collected while reading.
    private struct Archive {
        var messages: [Message] = []
        var connections: [Connection] = []
        /// Items that are neither a message nor the end of a connection.
        var strays: [FileProblem] = []
        /// The number of the current entry, from 1.
        var entry = 0

        mutating func leaveOut(_ what: String, at offset: Int) {
            strays.append(FileProblem(.damage, offset: offset, message: "entry \(entry): \(what) is left out"))
        }
    }

    static func run(
        _ path: String, to destination: ToolDestination, _ options: ImportOptions, hearing hear: ProblemListener
    ) throws(RecordingError) -> ToolReport {
        let bytes = try read(path)
        var archive = Archive()
        do throws(JSONError) {
            try Self.archive(bytes, &archive)
        } catch {
            throw .notARecording(path: path, message: "not an HTTP archive: \(error.description)")
        }
        for stray in archive.strays { hear(path, stray) }
        let (messages, connections) = (archive.messages, archive.connections)
        guard let first = messages.map(\.wall).min() else {
            throw .notARecording(path: path, message: "it holds no WebSocket messages (_webSocketMessages)")
        }
        // Entries are listed one after another, but their messages overlap in time. For equal times the connection that
        // began first comes first, as its entry does in an archive exported from a recording.
        var began = connections.map { _ in Int64.max }
        for message in messages { began[message.connection] = min(began[message.connection], message.wall) }
        let order = messages.indices.sorted {
            let (one, other) = (messages[$0], messages[$1])
            return (one.wall, began[one.connection], one.connection, $0)
                < (other.wall, began[other.connection], other.connection, $1)
        }
        var last: [Int: Int] = [:]
        for place in order { last[messages[place].connection] = place }
        var writer = try ImportWriter.begin(
            destination, url: connections[messages[order[0]].connection].url, wallStart: first, seed: bytes, options)
        var open = last.count
        for place in order {
            let message = messages[place]
            let key = message.connection
            try writer.append(
                message.message, message.isSent ? .out : .in, connection: key, url: connections[key].url,
                wall: message.wall)
            guard last[key] == place else { continue }
            open -= 1
            if let end = connections[key].end {
                try writer.end(connection: key, end.record, wall: end.wall)
            } else if open > 0 {
                // The archive has no end for this connection. The last one may still be open.
                try writer.close(connection: key)
            }
        }
        var report = ToolReport()
        report.written = writer.records
        report.problems = archive.strays.count
        try writer.close()
        return report
    }

    private static func read(_ path: String) throws(RecordingError) -> [UInt8] {
        let bytes = try ByteSource.beginning(of: path, bytes: mostBytes + 1)
        guard bytes.count <= mostBytes else {
            throw .notARecording(path: path, message: "an archive of more than 1 GiB is not held in memory")
        }
        return bytes
    }

    private static func archive(
        _ bytes: [UInt8], _ archive: inout Archive
    ) throws(JSONError) {
        // Some programs begin their archives with a byte order mark.
        let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        var reader = JSONReader(bytes.span, at: start)
        try reader.beginObject()
        while let key = try reader.nextKey() {
            guard reader.matches(key, "log"), try reader.peek() == .object else {
                try reader.skip()
                continue
            }
            try reader.beginObject()
            while let key = try reader.nextKey() {
                guard reader.matches(key, "entries"), try reader.peek() == .array else {
                    try reader.skip()
                    continue
                }
                try reader.beginArray()
                while try reader.nextElement() { try entry(&reader, &archive) }
            }
        }
    }

    private static func entry(
        _ reader: inout JSONReader, _ archive: inout Archive
    ) throws(JSONError) {
        var connection = Connection()
        let number = archive.connections.count
        let before = archive.messages.count
        let start = reader.offset
        archive.entry += 1
        guard try reader.peek() == .object else {
            try reader.skip()
            return
        }
        try reader.beginObject()
        while let key = try reader.nextKey() {
            if reader.matches(key, "request"), try reader.peek() == .object {
                try reader.beginObject()
                while let key = try reader.nextKey() {
                    if reader.matches(key, "url"), try reader.peek() == .string {
                        connection.url = try reader.string()
                    } else {
                        try reader.skip()
                    }
                }
            } else if reader.matches(key, "_webSocketMessages"), try reader.peek() == .array {
                try reader.beginArray()
                var place = 0
                while try reader.nextElement() {
                    place += 1
                    let start = reader.offset
                    switch try item(&reader, connection: number) {
                    case .message(let message): archive.messages.append(message)
                    // Both sides send a close frame; the first one contains the reason.
                    case .end(let record, let wall): connection.end = connection.end ?? (record, wall)
                    case .stray(let what): archive.leaveOut("message \(place) (\(what))", at: start)
                    }
                }
            } else {
                try reader.skip()
            }
        }
        if archive.messages.count > before {
            archive.connections.append(connection)
        } else if connection.end != nil {
            archive.leaveOut("a connection to \(connection.url) without messages", at: start)
        }
    }

    /// An item among the messages of an entry.
    private enum Item {
        case message(Message)
        /// The connection closed or failed.
        case end(Record.ConnectionRecord, wall: Int64)
        /// Any other item, with a description of it.
        case stray(String)
    }

    private static func item(_ reader: inout JSONReader, connection: Int) throws(JSONError) -> Item {
        var type = ""
        var time: Double?
        var opcode: Int64 = 1
        var data: String?
        guard try reader.peek() == .object else {
            try reader.skip()
            return .stray("no object")
        }
        try reader.beginObject()
        while let key = try reader.nextKey() {
            if reader.matches(key, "type"), try reader.peek() == .string {
                type = try reader.string()
            } else if reader.matches(key, "time"), try reader.peek() == .number {
                time = try reader.double()
            } else if reader.matches(key, "opcode"), try reader.peek() == .number {
                opcode = Int64(exactly: try reader.double()) ?? 0
            } else if reader.matches(key, "data"), try reader.peek() == .string {
                data = try reader.string()
            } else {
                try reader.skip()
            }
        }
        guard let time, time > -1e10, time < 1e11 else { return .stray("without a time") }
        let wall = Int64((time * 1e6).rounded())
        if type == "error" { return .end(.init(connection: 0, state: .failed, why: data), wall: wall) }
        guard type == "send" || type == "receive" else { return .stray("of type '\(type.prefix(40))'") }
        guard let data else { return .stray("without data") }
        let message: WebSocketMessage
        switch opcode {
        case 1: message = .text(data)
        case 2:
            guard let bytes = Base64.decode(Array(data.utf8).span) else { return .stray("its data is not base64") }
            message = .binary(bytes[...])
        case 8:
            let payload = Base64.decode(Array(data.utf8).span) ?? Array(data.utf8)
            let code = payload.count >= 2 ? Int(payload[0]) << 8 | Int(payload[1]) : 1005
            let why = String(decoding: payload.dropFirst(2), as: UTF8.self)
            return .end(
                .init(connection: 0, state: .closed, code: code, why: why.isEmpty ? nil : why), wall: wall)
        case 9: return .stray("a ping")
        case 10: return .stray("a pong")
        default: return .stray("of opcode \(opcode)")
        }
        return .message(Message(connection: connection, isSent: type == "send", wall: wall, message: message))
    }
}
