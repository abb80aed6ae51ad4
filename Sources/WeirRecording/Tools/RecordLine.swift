import WeirJSON
import WeirWire

/// A record and its original line. Tools pass the text on, so that unknown members and kinds are kept.
struct RecordLine {
    /// The line without its line feed.
    var text: [UInt8]
    var record: Record
    var stamp: Stamp
    /// Whether the record draws no number. A record of an unknown kind draws none if it repeats the number before it.
    var isUnnumbered: Bool
    /// The line's number, from 1, and the offset of its first byte.
    var line: Int
    var offset: Int
}

/// Reads an event file for tools: lines with their records, and the problems of the file.
struct LineReader: ~Copyable {
    enum Item {
        case line(RecordLine)
        case problem(FileProblem)
    }

    let path: String
    /// The line of the head, without its line feed.
    let headText: [UInt8]
    private var reader: RecordingReader
    private var lastNumber = 0
    private var waiting: Item?
    /// The number of problems that `next(hearing:)` found.
    private(set) var problems = 0

    /// Opens a file; `-` is standard input.
    init(opening path: String) throws(RecordingError) {
        let reader = try RecordingReader(opening: path)
        self.init(reader, path: path)
    }

    init(_ reader: consuming RecordingReader, path: String) {
        self.path = path
        headText = Self.copy(reader.line)
        self.reader = reader
    }

    var head: Record.Head { reader.head }

    /// Returns the number of the first numbered record. A later segment begins with any number.
    mutating func firstNumber() throws(RecordingError) -> Int {
        guard head.segment > 1 else { return 1 }
        if waiting == nil { waiting = try next() }
        guard case .line(let line)? = waiting else { return 1 }
        return max(1, line.isUnnumbered ? line.stamp.n + 1 : line.stamp.n)
    }

    /// Returns the next record. Calls `hear` with each problem before it.
    mutating func next(hearing hear: ProblemListener) throws(RecordingError) -> RecordLine? {
        while let item = try next() {
            switch item {
            case .line(let line): return line
            case .problem(let problem):
                problems += 1
                hear(path, problem)
            }
        }
        return nil
    }

    mutating func next() throws(RecordingError) -> Item? {
        if let item = waiting.take() { return item }
        guard let entry = try reader.next() else { return nil }
        if let problem = FileProblem(entry, offset: reader.lines.offset) { return .problem(problem) }
        guard case .record(let record, let stamp) = entry else { return nil }
        var isUnnumbered = record.isUnnumbered || stamp.isRestated
        if case .unknown = record, stamp.n <= lastNumber { isUnnumbered = true }
        lastNumber = max(lastNumber, stamp.n)
        return .line(
            RecordLine(
                text: Self.copy(reader.line), record: record, stamp: stamp, isUnnumbered: isUnnumbered,
                line: reader.lines.line,
                offset: reader.lines.offset))
    }

    private static func copy(_ line: Span<UInt8>) -> [UInt8] { line.withUnsafeBufferPointer { Array($0) } }
}

/// Changes to the members of a JSON object in text form. All other members keep their bytes.
struct MemberChanges {
    private var changes: [(key: String, value: [UInt8]?)] = []

    var isEmpty: Bool { changes.isEmpty }

    mutating func set(_ key: String, _ value: [UInt8]) { changes.append((key, value)) }

    mutating func set(_ key: String, _ value: Int64) { set(key, Array(String(value).utf8)) }

    mutating func set(_ key: String, string: String) {
        var json = JSONWriter()
        json.string(string)
        set(key, json.bytes)
    }

    mutating func remove(_ key: String) { changes.append((key, nil)) }

    /// Returns the text with the changes applied. New members are added at the end.
    func applied(to text: [UInt8]) -> [UInt8] {
        if changes.isEmpty { return text }
        guard let members = Self.members(of: text) else { return text }
        var added = changes
        var result: [UInt8] = [UInt8(ascii: "{")]
        func append(_ member: some Collection<UInt8>) {
            if result.count > 1 { result.append(UInt8(ascii: ",")) }
            result.append(contentsOf: member)
        }
        for member in members {
            guard let change = changes.last(where: { $0.key == member.key }) else {
                append(text[member.name] + [UInt8(ascii: ":")] + text[member.value])
                continue
            }
            added.removeAll { $0.key == member.key }
            if let value = change.value { append(text[member.name] + [UInt8(ascii: ":")] + value) }
        }
        for change in added {
            guard let value = change.value else { continue }
            var json = JSONWriter()
            json.string(change.key)
            append(json.bytes + [UInt8(ascii: ":")] + value)
        }
        result.append(UInt8(ascii: "}"))
        return result
    }

    private struct Member {
        var key: String
        /// The range of the key, including its quotes.
        var name: Range<Int>
        var value: Range<Int>
    }

    private static func members(of text: [UInt8]) -> [Member]? {
        do throws(JSONError) {
            var reader = JSONReader(text.span)
            var members: [Member] = []
            try reader.beginObject()
            while let key = try reader.nextKey() {
                let contents = key.range.range
                let name = contents.lowerBound - 1..<contents.upperBound + 1
                members.append(Member(key: reader.string(key), name: name, value: try reader.skip()))
            }
            return members
        } catch {
            return nil
        }
    }
}

/// Visits the values of a record's line, including its payload, that a peer or a user may have set.
enum LineValues {
    /// Members that define the structure of a line and hold no data from a peer.
    private static let structure: Set<String> = [
        "k", "n", "t", "w", "c", "d", "op", "len", "st", "ph", "m", "id", "for", "at", "h", "fmt", "v", "minor", "rec",
        "seg",
        "prev", "w0", "clock", "boot", "redact", "max_payload", "seed", "act", "lvl", "tr", "proto", "phase", "retry",
        "b",
    ]

    /// Returns the line with its values changed, or `nil` if none changed. It also visits text payloads in base64, but
    /// not binary ones.
    static func changed(
        _ line: [UInt8], isBinary: Bool, seeksSecrets: Bool, _ change: PayloadWalk.Change
    ) -> [UInt8]? {
        var changes = MemberChanges()
        let text = PayloadWalk.changed(line[...], seeksSecrets: seeksSecrets) { value in
            value.keys.count == 1 && structure.contains(value.keys[0]) ? nil : change(value)
        }
        if let text, let payload = member("p", of: text) { changes.set("len", Int64(payload.count)) }
        if !isBinary, let base64 = member("b", of: line), let payload = Base64.decode(base64.span),
            let clean = PayloadWalk.changed(payload[...], under: ["p"], seeksSecrets: seeksSecrets, change)
        {
            changes.set("b", string: String(decoding: Base64.encode(clean[...]), as: UTF8.self))
            changes.set("len", Int64(clean.count))
        }
        return changes.isEmpty ? text : changes.applied(to: text ?? line)
    }

    /// Returns the value of a string member.
    private static func member(_ name: StaticString, of line: [UInt8]) -> [UInt8]? {
        do throws(JSONError) {
            var reader = JSONReader(line.span)
            try reader.beginObject()
            while let key = try reader.nextKey() {
                if reader.matches(key, name), try reader.peek() == .string { return Array(try reader.string().utf8) }
                try reader.skip()
            }
        } catch {
            // An unreadable line has no members.
        }
        return nil
    }
}
