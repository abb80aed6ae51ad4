import WeirJSON
package import WeirPipeline
import WeirWire

/// Conversion between recordings and other formats.
package enum RecordingConversion {
    /// Writes a recording in another format. `tool` names this program in the file.
    package static func export(
        _ path: String, as format: ForeignFormat, to destination: ToolDestination, tool: String,
        hearing problem: ProblemListener = { _, _ in }
    ) throws(RecordingError) -> ToolReport {
        switch format {
        case .har: try HARExport.run(path, to: destination, tool: tool, hearing: problem)
        case .cloudevents: try CloudEvents.write(path, to: destination, hearing: problem)
        case .lines: try LineLog.write(path, to: destination, hearing: problem)
        }
    }

    /// Writes a recording from a file in another format.
    package static func `import`(
        _ path: String, from format: ForeignFormat, to destination: ToolDestination, _ options: ImportOptions,
        hearing problem: @escaping ProblemListener = { _, _ in }
    ) throws(RecordingError) -> ToolReport {
        switch format {
        case .har: try HARImport.run(path, to: destination, options, hearing: problem)
        case .cloudevents: try CloudEvents.read(path, to: destination, options, hearing: problem)
        case .lines: try LineLog.read(path, to: destination, options, hearing: problem)
        }
    }
}

/// The formats that can be converted to and from event files.
package enum ForeignFormat: String, Hashable, Sendable, CaseIterable {
    /// HTTP archive 1.2 with `_webSocketMessages`, as Chrome exports it.
    case har
    /// CloudEvents 1.0 as JSON Lines: one event per line.
    case cloudevents
    /// One message per line, as `websocat` and `wscat` print them; `LineLog` documents the grammar.
    case lines
}

/// Facts about the session that an import cannot read from the file.
package struct ImportOptions: Hashable, Sendable {
    /// The kind of server that sent the messages.
    package var backend: Configuration.BackendKind
    /// The Socket.IO namespace that a replay joins.
    package var namespace: String
    /// The tool that wrote the recording: the head's `tool`.
    package var tool: String
    package init(backend: Configuration.BackendKind = .socketio, namespace: String = "/", tool: String) {
        self.backend = backend
        self.namespace = namespace
        self.tool = tool
    }
}

/// Writes a recording of messages from another format. The first message of each connection opens it.
struct ImportWriter: ~Copyable {
    private var writer: LineWriter
    /// The numbers of connections, by their keys.
    private var numbers: [Int: Int] = [:]
    private let wallStart: Int64
    private var lastWall: Int64

    /// Begins the recording. Its id is derived from `seed`, so that the same messages yield the same file.
    static func begin(
        _ destination: ToolDestination, url: String, wallStart: Int64, seed: [UInt8], _ options: ImportOptions
    ) throws(RecordingError) -> ImportWriter {
        let head = Record.Head(
            recording: String(SHA256Digest.of(seed.span).prefix(32)), wallStart: wallStart, clock: "import",
            tool: options.tool, redactions: [], seed: 1, session: session(url, options))
        var encoder = RecordEncoder()
        guard encoder.encode(.head(head), Stamp(n: 0, time: .zero, wall: wallStart)) else {
            throw .notARecording(path: url, message: "its head is too long")
        }
        let text = Array(encoder.line.dropLast())
        return ImportWriter(
            writer: try LineWriter.begin(destination, head: text, wallStart: wallStart), wallStart: wallStart)
    }

    private init(writer: consuming LineWriter, wallStart: Int64) {
        self.writer = writer
        self.wallStart = wallStart
        lastWall = wallStart
    }

    /// The number of records written.
    var records: Int { writer.records }

    /// Writes a message of the connection `key` (any number) at a time of the wall clock.
    mutating func append(
        _ message: WebSocketMessage, _ direction: Record.FrameRecord.Direction, connection key: Int, url: String,
        wall: Int64
    ) throws(RecordingError) {
        let number = try open(key, url: url, wall: wall)
        let frame = Record.FrameRecord(connection: number, direction: direction, message: message)
        try insert(.frame(frame), wall)
    }

    /// Writes a gap at a time of the wall clock.
    mutating func append(_ gap: Record.GapRecord, wall: Int64) throws(RecordingError) { try insert(.gap(gap), wall) }

    /// Ends the connection `key`, if it was opened, at the time of the previous message.
    mutating func close(connection key: Int) throws(RecordingError) {
        try end(connection: key, .init(connection: 0, state: .closed, code: 1005), wall: lastWall)
    }

    /// Ends the connection `key`, if it was opened, with a given record.
    mutating func end(
        connection key: Int, _ end: Record.ConnectionRecord, wall: Int64
    ) throws(RecordingError) {
        guard let number = numbers[key] else { return }
        var end = end
        end.connection = number
        try insert(.connection(end), max(wall, lastWall))
    }

    consuming func close() throws(RecordingError) { try writer.close() }

    private mutating func open(_ key: Int, url: String, wall: Int64) throws(RecordingError) -> Int {
        if let number = numbers[key] { return number }
        let number = numbers.count + 1
        numbers[key] = number
        try insert(.connection(.init(connection: number, state: .connecting, url: url, attempt: 1)), wall)
        try insert(.connection(.init(connection: number, state: .open)), wall)
        return number
    }

    private mutating func insert(_ record: Record, _ wall: Int64) throws(RecordingError) {
        lastWall = wall
        let (time, overflows) = wall.subtractingReportingOverflow(wallStart)
        try writer.insert(record, at: Moment(microseconds: overflows ? 0 : max(0, time)), wall: wall)
    }

    /// Returns the configuration of a session with the server at `url`.
    private static func session(_ url: String, _ options: ImportOptions) -> RawJSON {
        let behindHost =
            url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).dropFirst(3).first ?? ""
        let path = "/" + behindHost.prefix { $0 != "?" }
        let revision: EngineIO.Revision? =
            url.contains("EIO=3") ? .v3 : url.contains("EIO=4") ? .v4 : nil
        let fallback = options.backend.usualPath
        var session = Configuration(
            backend: options.backend, path: path.count > 1 ? path : fallback, namespaces: [options.namespace],
            revision: revision, resyncInterval: nil)
        session.isCaptured = true
        return session.json
    }
}

extension ForeignFormat {
    /// Returns the format of a file by its first bytes, or `nil` for an event file. An unknown beginning means a log of
    /// lines.
    package static func sniff(_ path: String) throws(RecordingError) -> ForeignFormat? {
        var text = try ByteSource.beginning(of: path, bytes: 65_536)[...]
        if text.starts(with: [0xEF, 0xBB, 0xBF]) { text = text.dropFirst(3) }
        text = text.drop { $0 <= UInt8(ascii: " ") }
        if text.starts(with: #"{"k":"head","fmt":""#.utf8) { return nil }
        guard text.first == UInt8(ascii: "{") else { return .lines }
        let line = String(decoding: text.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        if line.contains("\"specversion\"") { return .cloudevents }
        return line.contains("\"k\":\"head\"") || line.contains("\"k\": \"head\"") ? nil : .har
    }
}

/// The lines of a text file that is not an event file. The last one may lack its line feed.
struct ForeignLines: ~Copyable {
    private var lines: LineScanner
    private let path: String
    private let hear: ProblemListener
    /// The number of lines reported as left out.
    private(set) var problems = 0

    init(opening path: String, hearing hear: @escaping ProblemListener) throws(RecordingError) {
        lines = LineScanner(source: try ByteSource(opening: path))
        self.path = path
        self.hear = hear
    }

    /// Returns the next line, or `nil` at the end.
    mutating func next() throws(RecordingError) -> [UInt8]? {
        while let line = try lines.next() {
            switch line {
            case .whole(let range): return text(range)
            case .unfinished(let bytes):
                if let range = lines.unfinished(bytes: bytes) { return text(range) }
                leaveOut("it has \(bytes) bytes, more than a record can hold")
            case .tooLong(let bytes): leaveOut("it has \(bytes) bytes, more than a record can hold")
            }
        }
        return nil
    }

    /// Returns the text of a line. Removes the byte order mark with which some programs begin their files.
    private func text(_ range: Range<Int>) -> [UInt8] {
        let text = lines.buffer[range]
        return Array(lines.line == 1 && text.starts(with: [0xEF, 0xBB, 0xBF]) ? text.dropFirst(3) : text)
    }

    /// Reports that the line returned last is left out.
    mutating func leaveOut(_ why: String) {
        problems += 1
        hear(path, FileProblem(.damage, line: lines.line, offset: lines.offset, message: why))
    }
}
