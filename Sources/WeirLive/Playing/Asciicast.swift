import Glibc
import WeirJSON
import WeirPipeline
import WeirRecording
import WeirTerminal
import WeirWire

/// Exports a recording as a terminal session: the output of a tail and the marks. The format is asciicast version 2,
/// which most players read.
package enum Asciicast {
    /// The appearance of the exported session.
    package struct Options: Hashable, Sendable {
        /// The width of the terminal in columns.
        package var columns: Int
        /// The height of the terminal in rows.
        package var rows: Int
        /// The longest pause in the player; `nil` for the limit in the recording's head, if it has one.
        package var idleLimit: Duration?
        /// Creates options for a terminal of 100 by 30 characters by default.
        package init(columns: Int = 100, rows: Int = 30, idleLimit: Duration? = nil) {
            self.columns = columns
            self.rows = rows
            self.idleLimit = idleLimit
        }
    }

    /// Plays the file at `path` and passes the lines of the asciicast to `write`. The time of each event is counted
    /// from the beginning of the recording (asciicast v2).
    package static func export(
        _ path: String, _ options: Options = Options(), write: ([UInt8]) throws -> Void
    ) throws {
        var reader = try RecordingReader(opening: path)
        let configuration = try Configuration(of: reader.head, in: path)
        try write(head(reader.head, options))
        var player = RecordPlayer(of: reader.head, configuration)
        var lines = EventLines(isCompact: true, width: options.columns)
        var last: Int64 = 0
        func tell(_ code: StaticString, _ text: [UInt8], at time: Int64) throws {
            let now = max(last, time)
            try write(event(now, code, text))
            last = now
        }
        func show() throws {
            for report in player.reports {
                var buffer = TerminalBuffer(TerminalDevice.theme)
                lines.append(report, to: &buffer)
                if buffer.bytes.isEmpty { continue }
                try tell("o", carriageReturns(buffer.bytes), at: report.stamp.time.microseconds)
            }
            player.reports.removeAll(keepingCapacity: true)
        }
        player.start()
        try show()
        while let entry = try reader.next() {
            player.play(entry)
            try show()
            if case .record(.mark(let mark), let stamp) = entry {
                try tell("m", Array(TerminalText.escaped(mark.label).utf8), at: stamp.time.microseconds)
            }
        }
    }

    private static func head(_ head: Record.Head, _ options: Options) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.member("version", 2)
        json.member("width", options.columns)
        json.member("height", options.rows)
        json.member("timestamp", head.wallStart / 1_000_000)
        if let limit = options.idleLimit ?? head.idleLimit.map({ .microseconds($0) }) {
            json.member("idle_time_limit", Double(limit.microseconds) / 1e6)
        }
        json.member("title", head.title)
        json.key("env")
        json.beginObject()
        json.member("TERM", "xterm-256color")
        json.endObject()
        json.endObject()
        json.endLine()
        return json.bytes
    }

    private static func event(_ time: Int64, _ code: StaticString, _ text: [UInt8]) -> [UInt8] {
        var json = JSONWriter()
        json.beginArray()
        json.number(Double(time) / 1e6)
        json.string("\(code)")
        json.string(utf8: text[...])
        json.endArray()
        json.endLine()
        return json.bytes
    }

    /// Adds a carriage return before each line feed, since a terminal needs both to start a new line.
    private static func carriageReturns(_ text: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        for byte in text {
            if byte == UInt8(ascii: "\n") { result.append(UInt8(ascii: "\r")) }
            result.append(byte)
        }
        return result
    }
}
