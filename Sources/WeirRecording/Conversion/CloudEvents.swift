import WeirJSON
import WeirPipeline
import WeirWire

/// CloudEvents 1.0 as JSON Lines: one object for each event and one for each gap.
///
/// `id` is the recording's id with the record's number, `source` the connection's URL, `type` the backend's reversed
/// domain name with the event's name, `subject` the room, `time` the wall clock, and `data` the event's argument. When
/// there is not exactly one argument, `data` is an array of all, and `weirarguments` is their number. `weirdirection`,
/// `weirconnection` and `weirchannel` (the channel on which `data` was published) are extensions of Weir. The format
/// has no place for the bytes of attachments; they are left out with a warning.
enum CloudEvents {
    private static let prefixes = Dictionary(
        uniqueKeysWithValues: BackendModule.all.map { ($0.name, $0.reversedDomain + ".") })
    private static let gapType = "io.weir.gap"

    static func write(
        _ path: String, to destination: ToolDestination, hearing hear: ProblemListener
    ) throws(RecordingError) -> ToolReport {
        var report = ToolReport()
        var reader = try LineReader(opening: path)
        let backend = backend(of: reader.head)
        var urls: [Int: String] = [:]
        var output = try OutputFile(destination)
        var json = JSONWriter()
        while let line = try reader.next(hearing: hear) {
            json.reset()
            switch line.record {
            case .connection(let change):
                if let url = change.url { urls[change.connection] = url }
                if change.state == .closed || change.state == .failed { urls[change.connection] = nil }
                continue
            case .frame(let frame):
                let written = write(frame, line, reader.head, backend, urls[frame.connection], into: &json)
                if written > 0 { try output.write(json.bytes) }
                report.written += written
                if let why = loss(frame.message, written: written) {
                    report.problems += 1
                    hear(path, FileProblem(.damage, line: line.line, offset: line.offset, message: why))
                }
                continue
            case .gap(let gap): write(gap, line, reader.head, into: &json)
            case .head, .http, .subscription, .token, .action, .memory, .mark, .state, .clock, .note, .sync, .index,
                .end, .unknown:
                continue
            }
            try output.write(json.bytes)
            report.written += 1
        }
        try output.close()
        report.problems += reader.problems
        return report
    }

    private static func backend(of head: Record.Head) -> String {
        guard case .string(let name)? = (try? JSONValue(parsing: head.session.bytes))?["backend"] else {
            return "socketio"
        }
        return name
    }

    /// Returns why a message that belongs to an event is left out. Returns `nil` for a message that was written and for
    /// connection management.
    private static func loss(_ message: WebSocketMessage, written: Int) -> String? {
        guard case .text(let bytes) = message else {
            return "a binary message is left out: CloudEvents have no place for the bytes of an attachment"
        }
        let isEvent = ["42", "45"].contains { bytes.starts(with: $0.utf8) }
        return isEvent && written == 0 ? "an event is left out: its name and arguments cannot be read" : nil
    }

    /// Writes a line for each event of a message and returns their number.
    private static func write(
        _ frame: Record.FrameRecord, _ line: RecordLine, _ head: Record.Head, _ backend: String, _ url: String?,
        into json: inout JSONWriter
    ) -> Int {
        var written = 0
        for event in FrameContents(frame.message).events {
            let arguments = event.delivery.map { [$0.data] } ?? arguments(of: frame.message.bytes.dropFirst())
            guard let arguments else { continue }
            begin(
                line, head, part: written, type: (prefixes[backend] ?? "io.weir.") + event.name, source: url,
                into: &json)
            json.member("subject", event.room)
            json.member("dataschema", "urn:weir:\(backend):1")
            json.member("weirdirection", frame.direction.rawValue)
            json.member("weirconnection", String(frame.connection))
            json.member("weirchannel", event.delivery?.channel)
            if arguments.count == 1 {
                json.member("data", arguments[0])
            } else {
                json.member("weirarguments", arguments.count)
                json.key("data")
                json.beginArray()
                for argument in arguments { json.inertRaw(argument) }
                json.endArray()
            }
            json.endObject()
            json.endLine()
            written += 1
        }
        return written
    }

    private static func write(
        _ gap: Record.GapRecord, _ line: RecordLine, _ head: Record.Head, into json: inout JSONWriter
    ) {
        begin(line, head, part: 0, type: gapType, source: nil, into: &json)
        json.key("data")
        json.beginObject()
        json.member("why", gap.why)
        json.member("lost", orNull: gap.lost)
        json.endObject()
        json.endObject()
        json.endLine()
    }

    /// Begins the object of an event. `part` distinguishes several events of one record.
    private static func begin(
        _ line: RecordLine, _ head: Record.Head, part: Int, type: String, source: String?, into json: inout JSONWriter
    ) {
        json.beginObject()
        json.member("specversion", "1.0")
        json.member("id", "\(head.recording)/\(line.stamp.n)" + (part > 0 ? ".\(part)" : ""))
        json.member("source", source ?? "urn:weir:\(head.recording)")
        json.member("type", type)
        json.member("time", RecordingTime.text(line.stamp.wall))
        json.member("datacontenttype", "application/json")
    }

    /// Returns the arguments of an event's packet, without its name.
    private static func arguments(of packet: ArraySlice<UInt8>) -> [RawJSON]? {
        guard let start = FrameContents.jsonStart(in: packet) else { return nil }
        let text = packet[start...]
        do throws(JSONError) {
            var reader = JSONReader(text.span)
            var arguments: [RawJSON] = []
            try reader.beginArray()
            while try reader.nextElement() { arguments.append(try reader.raw()) }
            try reader.end()
            return Array(arguments.dropFirst())
        } catch {
            return nil
        }
    }
}

extension CloudEvents {
    /// The members of a CloudEvent that an import uses.
    private struct Event {
        var type = ""
        var source = ""
        var wall: Int64?
        var data: RawJSON?
        var arguments: Int?
        var isSent = false
        var connection = "1"
        var channel: String?
    }

    /// Creates a recording with one message for each event.
    ///
    /// An event of a new connection closes the previous one. An event of an earlier connection is assigned to the open
    /// one: the format does not tell when a connection ended, and a replay has one connection at a time.
    static func read(
        _ path: String, to destination: ToolDestination, _ options: ImportOptions,
        hearing hear: @escaping ProblemListener
    ) throws(RecordingError) -> ToolReport {
        var lines = try ForeignLines(opening: path, hearing: hear)
        var report = ToolReport()
        var writer: ImportWriter?
        var connections: Set<String> = []
        var last: Int64 = 0
        while let text = try lines.next() {
            if text.allSatisfy({ $0 <= UInt8(ascii: " ") }) { continue }
            guard let event = event(text) else {
                lines.leaveOut("not a CloudEvent")
                continue
            }
            let wall = max(last, event.wall ?? last)
            last = wall
            var open: ImportWriter
            if let begun = writer.take() {
                open = begun
            } else {
                open = try ImportWriter.begin(destination, url: event.source, wallStart: wall, seed: text, options)
            }
            try append(event, wall, &connections, &open)
            writer = consume open
        }
        guard let finished = writer.take() else {
            throw .notARecording(path: path, message: "no line of it is a CloudEvent")
        }
        report.written = finished.records
        report.problems = lines.problems
        try finished.close()
        return report
    }

    private static func append(
        _ event: Event, _ wall: Int64, _ connections: inout Set<String>, _ writer: inout ImportWriter
    ) throws(RecordingError) {
        if event.type == gapType {
            var why = "unknown"
            if let data = event.data, case .string(let said)? = (try? JSONValue(parsing: data.bytes))?["why"] {
                why = said
            }
            try writer.append(Record.GapRecord(why: why), wall: wall)
            return
        }
        // A connection's key is its index; the connection before it has the previous index, if there is one.
        if connections.insert(event.connection).inserted { try writer.close(connection: connections.count - 1) }
        try writer.append(
            publication(event) ?? .text(packet(event)[...]), event.isSent ? .out : .in, connection: connections.count,
            url: event.source, wall: wall)
    }

    /// Returns the message that publishes an event on its channel, or `nil` when it would not be read back as one
    /// event.
    private static func publication(_ event: Event) -> WebSocketMessage? {
        guard let channel = event.channel, let data = event.data else { return nil }
        var json = JSONWriter()
        json.beginArray()
        json.beginObject()
        json.member("channel", channel)
        json.key("data")
        json.raw(data)
        json.endObject()
        json.endArray()
        let message = WebSocketMessage.text(json.bytes[...])
        return FrameContents(message).events.count == 1 ? message : nil
    }

    private static func packet(_ event: Event) -> [UInt8] {
        let prefix = prefixes.values.first { event.type.hasPrefix($0) } ?? ""
        var json = JSONWriter()
        json.beginArray()
        json.string(String(event.type.dropFirst(prefix.count)))
        if let data = event.data {
            var reader = JSONReader(data.bytes.span)
            if event.arguments != nil, (try? reader.beginArray()) != nil {
                while (try? reader.nextElement()) ?? false, let argument = try? reader.raw() { json.raw(argument) }
            } else {
                json.raw(data)
            }
        }
        json.endArray()
        return Array("42".utf8) + json.bytes
    }

    private static func event(_ text: [UInt8]) -> Event? {
        var event = Event()
        var isEvent = false
        do throws(JSONError) {
            var reader = JSONReader(text.span)
            try reader.beginObject()
            while let key = try reader.nextKey() {
                let name = reader.string(key)
                if name == "data" {
                    event.data = try reader.raw()
                    continue
                }
                let value = try reader.value()
                switch (name, value) {
                case ("specversion", .string("1.0")): isEvent = true
                case ("type", .string(let type)): event.type = type
                case ("source", .string(let source)): event.source = source
                case ("time", .string(let time)): event.wall = RecordingTime.parse(time)
                case ("weirarguments", .integer(let count)): event.arguments = Int(clamping: count)
                case ("weirdirection", .string(let direction)): event.isSent = direction == "out"
                case ("weirconnection", .string(let connection)): event.connection = connection
                case ("weirchannel", .string(let channel)): event.channel = channel
                default: break
                }
            }
            try reader.end()
        } catch {
            return nil
        }
        return isEvent && !event.type.isEmpty ? event : nil
    }
}
