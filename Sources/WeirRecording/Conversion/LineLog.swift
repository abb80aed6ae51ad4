import WeirJSON
import WeirWire

/// Plain logs of WebSocket messages, one per line, as `websocat` and `wscat` print them. The grammar:
///
///     log      = *( message / comment )
///     message  = [ time " " ] ( "<" / ">" ) [ "b" ] " " text     ; "<" received, ">" sent, "b": binary in base64
///     more     = TAB text                                        ; continues the message before, after a line feed
///     time     = RFC 3339 / seconds since 1970 with decimals / "+" seconds since the log began
///     comment  = "#" text / "Connected" text / "Disconnected" text / blanks
///
/// Any other line is left out and reported. A line ends with a line feed, or with a carriage return and a line feed;
/// text that ends with a carriage return is therefore written with two. A gap of a recording becomes `# gap REASON`.
/// Messages without times follow each other at intervals of one millisecond.
enum LineLog {
    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")

    /// One line of a log.
    private enum Item {
        case message(Record.FrameRecord.Direction, isBinary: Bool, bytes: [UInt8], time: Int64?)
        case more([UInt8])
        case gap(String)
        case comment
        /// Any other line, with the reason why it is not one of these.
        case stray(String)
    }

    static func write(
        _ path: String, to destination: ToolDestination, hearing hear: ProblemListener
    ) throws(RecordingError) -> ToolReport {
        var report = ToolReport()
        var reader = try LineReader(opening: path)
        var output = try OutputFile(destination)
        while let line = try reader.next(hearing: hear) {
            switch line.record {
            case .frame(let frame):
                try output.write(text(of: frame, line.stamp))
                report.written += 1
            case .gap(let gap):
                try output.write("# gap \(gap.why.split(whereSeparator: \.isNewline).joined(separator: " "))\n")
            case .head, .connection, .http, .subscription, .token, .action, .memory, .mark, .state, .clock, .note,
                .sync, .index, .end, .unknown:
                break
            }
        }
        try output.close()
        report.problems = reader.problems
        return report
    }

    private static func text(of frame: Record.FrameRecord, _ stamp: Stamp) -> [UInt8] {
        let sign = frame.direction == .in ? "<" : ">"
        let start = RecordingTime.text(stamp.wall) + " " + sign
        switch frame.message {
        case .binary(let bytes): return Array("\(start)b ".utf8) + Base64.encode(bytes) + [lineFeed]
        case .text(let bytes):
            var text = Array("\(start) ".utf8)
            for (number, line) in bytes.split(separator: lineFeed, omittingEmptySubsequences: false).enumerated() {
                if number > 0 { text.append(UInt8(ascii: "\t")) }
                text += line
                // Readers remove one carriage return from each line.
                if line.last == carriageReturn { text.append(carriageReturn) }
                text.append(lineFeed)
            }
            return text
        }
    }

    static func read(
        _ path: String, to destination: ToolDestination, _ options: ImportOptions,
        hearing hear: @escaping ProblemListener
    ) throws(RecordingError) -> ToolReport {
        var lines = try ForeignLines(opening: path, hearing: hear)
        var report = ToolReport()
        var waiting: (direction: Record.FrameRecord.Direction, isBinary: Bool, bytes: [UInt8], wall: Int64)?
        var writer: ImportWriter?
        var last: Int64 = -1000
        func flush(_ writer: inout ImportWriter?) throws(RecordingError) {
            guard let message = waiting.take() else { return }
            var open: ImportWriter
            if let begun = writer.take() {
                open = begun
            } else {
                open = try ImportWriter.begin(
                    destination, url: "", wallStart: message.wall, seed: message.bytes, options)
            }
            try open.append(
                message.isBinary ? .binary(message.bytes[...]) : .text(message.bytes[...]), message.direction,
                connection: 0, url: "", wall: message.wall)
            writer = consume open
        }
        while let line = try lines.next() {
            switch item(line) {
            case .message(let direction, let isBinary, let bytes, let time):
                try flush(&writer)
                let wall = max(last, time ?? last + 1000)
                last = wall
                waiting = (direction, isBinary, bytes, wall)
            case .more(let text):
                guard waiting?.isBinary == false else {
                    lines.leaveOut("it continues a text, but no text precedes it")
                    continue
                }
                waiting?.bytes += [lineFeed] + text
                // A message too long for a record is rejected before it fills the memory.
                if let count = waiting?.bytes.count, count > RecordFormat.maximumLine { try flush(&writer) }
            case .gap(let why):
                try flush(&writer)
                if var open = writer.take() {
                    try open.append(Record.GapRecord(why: why), wall: max(last, 0))
                    writer = consume open
                }
            case .comment: break
            case .stray(let why):
                // Lines that continue this one must not continue the message before it.
                try flush(&writer)
                lines.leaveOut(why)
            }
        }
        try flush(&writer)
        guard let finished = writer.take() else {
            throw .notARecording(path: path, message: "no line of it is a message ('< text' or '> text')")
        }
        report.written = finished.records
        report.problems = lines.problems
        try finished.close()
        return report
    }

    private static func item(_ line: [UInt8]) -> Item {
        var line = line[...]
        if line.last == carriageReturn { line.removeLast() }
        if line.first == UInt8(ascii: "\t") { return .more(Array(line.dropFirst())) }
        if line.starts(with: "# gap ".utf8) { return .gap(String(decoding: line.dropFirst(6), as: UTF8.self)) }
        let isComment = ["#", "Connected", "Disconnected"].contains { line.starts(with: $0.utf8) }
        if isComment || line.allSatisfy({ $0 == UInt8(ascii: " ") }) { return .comment }
        var time: Int64?
        if let first = line.first, first != UInt8(ascii: "<"), first != UInt8(ascii: ">") {
            guard let space = line.firstIndex(of: UInt8(ascii: " ")),
                let known = self.time(String(decoding: line[..<space], as: UTF8.self))
            else {
                return .stray(
                    "it begins neither with < or > nor with a time like 2026-01-02T03:04:05Z, 1767323045.5 or +1.5")
            }
            time = known
            line = line[(space + 1)...]
        }
        guard let sign = line.popFirst(), sign == UInt8(ascii: "<") || sign == UInt8(ascii: ">") else {
            return .stray("its time is not followed by < or >")
        }
        let isBinary = line.starts(with: "b ".utf8)
        if isBinary { line = line.dropFirst() }
        guard line.isEmpty || line.first == UInt8(ascii: " ") else {
            return .stray("no space follows its < or >")
        }
        let direction: Record.FrameRecord.Direction = sign == UInt8(ascii: "<") ? .in : .out
        let text = Array(line.dropFirst())
        guard isBinary else { return .message(direction, isBinary: false, bytes: text, time: time) }
        guard let bytes = Base64.decode(text.span) else { return .stray("the text after its b is not base64") }
        return .message(direction, isBinary: true, bytes: bytes, time: time)
    }

    /// Returns the microseconds since 1970, or since the log began.
    private static func time(_ text: String) -> Int64? {
        if let wall = RecordingTime.parse(text) { return wall }
        guard let seconds = Double(text), seconds >= 0, seconds < 1e11 else { return nil }
        return Int64((seconds * 1e6).rounded())
    }
}
