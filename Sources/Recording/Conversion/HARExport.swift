import JSONText
import Wire

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
