import WeirJSON
import WeirWire

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

/// Writes the messages of a recording as an HTTP archive: one entry per connection, with `_webSocketMessages` as Chrome
/// exports them.
///
/// Messages of the oldest open connection go straight to the file; those of other connections wait in memory. When too
/// many wait, the entry of the oldest connection ends, and its later messages are in another one.
struct HARExport {
    fileprivate struct Entry {
        var url: String
        var opened: Stamp
        var last: Int64
        var gaps: [String] = []
        /// The messages not written yet, as the text of an array without its brackets.
        var messages: [UInt8] = []
        var hasMessages = false
        var isBegun = false
        var isClosed = false
    }

    private var entries: [(number: Int, entry: Entry)] = []
    /// The size of the messages that wait, in bytes, and its limit.
    private var waiting = 0
    private let mostWaiting: Int
    /// The addresses of connections that have no entry until their next message.
    private var addresses: [Int: String] = [:]
    private var isFirst = true
    private var gaps: [String] = []
    private var report = ToolReport()

    private init(mostWaiting: Int) { self.mostWaiting = mostWaiting }

    static func run(
        _ path: String, to destination: ToolDestination, tool: String, mostWaiting: Int = 64 << 20,
        hearing hear: ProblemListener
    ) throws(RecordingError) -> ToolReport {
        var export = HARExport(mostWaiting: mostWaiting)
        var reader = try LineReader(opening: path)
        var output = try OutputFile(destination)
        var json = JSONWriter()
        json.beginObject()
        json.member("name", "weir")
        json.member("version", tool.split(separator: " ").last.map(String.init) ?? tool)
        json.endObject()
        try output.write(#"{"log":{"version":"1.2","creator":"# + String(decoding: json.bytes, as: UTF8.self))
        try output.write(#","pages":[],"entries":["#)
        while let line = try reader.next(hearing: hear) { try export.add(line, &output) }
        export.report.problems = reader.problems
        for place in export.entries.indices { export.entries[place].entry.isClosed = true }
        try export.flush(&output)
        try output.write("]}}\n")
        try output.close()
        return export.report
    }

    private mutating func add(_ line: RecordLine, _ output: inout OutputFile) throws(RecordingError) {
        switch line.record {
        case .connection(let change):
            let place = entries.firstIndex { $0.number == change.connection }
            switch change.state {
            case .connecting, .open, .upgraded:
                if let place {
                    if let url = change.url { entries[place].entry.url = url }
                } else {
                    begin(change.connection, url: change.url ?? "", line.stamp)
                }
            case .closing, .paused, .stalled, .resumed: break
            case .closed, .failed:
                guard let place else { return addresses[change.connection] = nil }
                entries[place].entry.isClosed = true
                entries[place].entry.last = line.stamp.wall
                try flush(&output)
            }
        case .frame(let frame):
            if !entries.contains(where: { $0.number == frame.connection }) {
                begin(frame.connection, url: addresses.removeValue(forKey: frame.connection) ?? "", line.stamp)
            }
            guard let place = entries.firstIndex(where: { $0.number == frame.connection }) else { return }
            waiting += entries[place].entry.add(frame, line.stamp)
            report.written += 1
            if place == 0 { try flush(&output) }
            while waiting > mostWaiting { try breakOff(&output) }
        case .gap(let gap):
            let text = Self.text(of: gap)
            if entries.isEmpty { gaps.append(text) } else { entries[entries.count - 1].entry.gaps.append(text) }
        case .head, .http, .subscription, .token, .action, .memory, .mark, .state, .clock, .note, .sync, .index, .end,
            .unknown:
            break
        }
    }

    private mutating func begin(_ number: Int, url: String, _ stamp: Stamp) {
        let entry = Entry(url: url, opened: stamp, last: stamp.wall, gaps: gaps)
        gaps = []
        entries.append((number, entry))
    }

    /// Ends the entry of the first connection, whose next message begins another one, and writes what waits for it.
    private mutating func breakOff(_ output: inout OutputFile) throws(RecordingError) {
        if !entries[0].entry.isClosed { addresses[entries[0].number] = entries[0].entry.url }
        entries[0].entry.isClosed = true
        try flush(&output)
    }

    /// Writes what is possible: everything of the first connection, and the others once it is closed.
    private mutating func flush(_ output: inout OutputFile) throws(RecordingError) {
        while var first = entries.first?.entry {
            if !first.isBegun {
                try output.write((isFirst ? "" : ",") + first.opening)
                isFirst = false
                first.isBegun = true
            }
            try output.write(first.messages)
            waiting -= first.messages.count
            first.messages.removeAll()
            guard first.isClosed else {
                entries[0].entry = first
                return
            }
            try output.write(first.closing)
            entries.removeFirst()
        }
    }

    private static func text(of gap: Record.GapRecord) -> String {
        var text = "gap: \(gap.why)"
        if let from = gap.from, let to = gap.to {
            text += ", from \(from.microseconds) to \(to.microseconds) µs"
        }
        return text + (gap.lost.map { ", \($0) events lost" } ?? "")
    }
}

extension HARExport.Entry {
    /// Appends a message to the array. Returns the number of bytes added.
    fileprivate mutating func add(_ frame: Record.FrameRecord, _ stamp: Stamp) -> Int {
        let before = messages.count
        var json = JSONWriter()
        json.beginObject()
        json.member("type", frame.direction == .in ? "receive" : "send")
        json.member("time", Double(stamp.wall) / 1e6)
        json.key("opcode")
        switch frame.message {
        case .text(let bytes):
            json.integer(1)
            json.key("data")
            json.string(utf8: bytes)
        case .binary(let bytes):
            json.integer(2)
            json.key("data")
            json.string(utf8: Base64.encode(bytes)[...])
        }
        json.endObject()
        messages += (hasMessages ? [UInt8(ascii: ",")] : []) + json.bytes
        hasMessages = true
        last = stamp.wall
        return messages.count - before
    }

    /// The text of the entry up to its first message.
    fileprivate var opening: String {
        var json = JSONWriter()
        json.string(url)
        let url = String(decoding: json.bytes, as: UTF8.self)
        let request =
            #"{"method":"GET","url":\#(url),"httpVersion":"HTTP/1.1","cookies":[],"headers":[],"queryString":[],"#
            + #""headersSize":-1,"bodySize":0}"#
        let response =
            #"{"status":101,"statusText":"Switching Protocols","httpVersion":"HTTP/1.1","cookies":[],"headers":[],"#
            + #""content":{"size":0,"mimeType":"x-unknown"},"redirectURL":"","headersSize":-1,"bodySize":-1}"#
        return
            #"{"_resourceType":"websocket","startedDateTime":"\#(RecordingTime.text(opened.wall))","request":\#(request),"#
            + #""response":\#(response),"cache":{},"timings":{"send":0,"wait":0,"receive":0},"_webSocketMessages":["#
    }

    /// The text of the entry after its last message.
    fileprivate var closing: String {
        var json = JSONWriter()
        json.number(Double(max(0, last - opened.wall)) / 1000)
        var text = "],\"time\":" + String(decoding: json.bytes, as: UTF8.self)
        if !gaps.isEmpty {
            json.reset()
            json.string(gaps.joined(separator: "; "))
            text += ",\"comment\":" + String(decoding: json.bytes, as: UTF8.self)
        }
        return text + "}"
    }
}
