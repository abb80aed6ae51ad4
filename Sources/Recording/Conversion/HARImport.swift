import JSONText
import Wire

/// Reads the WebSocket messages of an HTTP archive. An archive is one JSON document, and is held in memory while it is read.
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
    }

    static func run(
        _ path: String, to destination: ToolDestination, _ options: ImportOptions
    ) throws(RecordingError) -> ToolReport {
        let bytes = try read(path)
        var messages: [Message] = []
        var connections: [Connection] = []
        do throws(JSONError) {
            try archive(bytes, &messages, &connections)
        } catch {
            throw .notARecording(path: path, message: "it is no HTTP archive: \(error.description)")
        }
        guard let first = messages.map(\.wall).min() else {
            throw .notARecording(path: path, message: "it holds no WebSocket messages (_webSocketMessages)")
        }
        // Entries stand side by side; their messages happened one after the other. At one time the connection that began first comes
        // first, as its entry does in an archive made of the recording.
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
            // The archive does not say how a connection ended. The last one may still be open.
            if last[key] == place {
                open -= 1
                if open > 0 { try writer.close(connection: key) }
            }
        }
        var report = ToolReport()
        report.written = writer.records
        try writer.close()
        return report
    }

    private static func read(_ path: String) throws(RecordingError) -> [UInt8] {
        let source = try ByteSource(opening: path)
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            let count = try piece.withUnsafeMutableBytes { source.read(into: $0) }.get()
            if count == 0 { return bytes }
            bytes += piece[..<count]
            guard bytes.count <= mostBytes else {
                throw .notARecording(path: path, message: "an archive of more than 1 GiB is not held in memory")
            }
        }
    }

    private static func archive(
        _ bytes: [UInt8], _ messages: inout [Message], _ connections: inout [Connection]
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
                while try reader.nextElement() { try entry(&reader, &messages, &connections) }
            }
        }
    }

    private static func entry(
        _ reader: inout JSONReader, _ messages: inout [Message], _ connections: inout [Connection]
    ) throws(JSONError) {
        var connection = Connection()
        let number = connections.count
        let before = messages.count
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
                while try reader.nextElement() {
                    if let message = try message(&reader, connection: number) { messages.append(message) }
                }
            } else {
                try reader.skip()
            }
        }
        if messages.count > before { connections.append(connection) }
    }

    /// A message; nil for what is none: control frames, and what lacks a member.
    private static func message(_ reader: inout JSONReader, connection: Int) throws(JSONError) -> Message? {
        var type = ""
        var time: Double?
        var opcode: Int64 = 1
        var data: String?
        guard try reader.peek() == .object else {
            try reader.skip()
            return nil
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
        guard type == "send" || type == "receive", let time, time > -1e10, time < 1e11, let data else { return nil }
        let wall = Int64((time * 1e6).rounded())
        let message: WebSocketMessage
        switch opcode {
        case 1: message = .text(data)
        case 2:
            guard let bytes = Base64.decode(Array(data.utf8).span) else { return nil }
            message = .binary(bytes[...])
        default: return nil
        }
        return Message(connection: connection, isSent: type == "send", wall: wall, message: message)
    }
}
