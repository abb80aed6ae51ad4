import WeirJSON
import WeirWire

/// Encodes a record as one line. The order of the keys is fixed, with the kind first.
struct RecordEncoder: ~Copyable {
    /// Replaces the secrets that must never reach the file.
    var redactor = Redactor()
    /// The other redaction rules in force.
    var rules: Set<RedactionRule> = [.secrets]
    private var sessionPath: JSONPath?
    private var names = SessionNames()
    /// The session ids being hidden, oldest first.
    private var sessions: [Secret] = []
    /// The most session ids hidden at once. A message can mention an id while its session lives and when it resumes.
    private static let mostSessions = 200
    /// The line encoded last, including its line feed.
    private(set) var line: [UInt8] = []

    var json = JSONWriter()
    /// Whether payloads are written in base64 even if they are text.
    var forcesBase64 = false

    /// Creates an encoder that hides only the secrets added to it.
    init() {}

    /// Creates an encoder that applies the redaction rules of the options.
    init(_ options: RecordingWriter.Options) { (rules, sessionPath) = (options.redactions, options.sessionPath) }

    /// Returns an encoder with the same secrets, rules and session names.
    func copy() -> RecordEncoder {
        var copy = RecordEncoder()
        (copy.redactor, copy.rules, copy.sessionPath) = (redactor, rules, sessionPath)
        (copy.names, copy.sessions) = (names, sessions)
        return copy
    }

    /// Encodes `record` into `line`. Returns false when the line would be too long to be read again.
    mutating func encode(_ record: Record, _ stamp: Stamp) -> Bool {
        for base64 in [false, true] {
            forcesBase64 = base64
            json.reset()
            json.beginObject()
            members(of: record, stamp)
            json.endObject()
            json.endLine()
            // Text with many characters that need escapes is shorter in base64.
            if json.count <= RecordFormat.maximumLine { break }
        }
        line.removeAll(keepingCapacity: true)
        json.withUnsafeBytes { line.append(contentsOf: $0) }
        json.reset(keepingAtMost: RecordFormat.keptBuffer)
        if record.format.isOutsideChunks {
            if case .end = record { addChecksum(paddedTo: RecordFormat.endLine) } else { addChecksum(paddedTo: 0) }
        }
        return line.count <= RecordFormat.maximumLine
    }

    /// Frees the line's buffer when it has grown large. Call it once the line is written.
    mutating func forgetLongLine() {
        if line.capacity > RecordFormat.keptBuffer { line = [] }
    }

    /// Pads the line with spaces and closes it with its checksum. JSON allows white space before a comma, so the
    /// padding does not change the value.
    private mutating func addChecksum(paddedTo length: Int) {
        line.removeLast(2)
        let padding = max(0, length - line.count - LineChecksum.bytes - 1)
        line.append(contentsOf: repeatElement(UInt8(ascii: " "), count: padding))
        LineChecksum.close(&line)
        line.append(UInt8(ascii: "\n"))
    }

    private mutating func members(of record: Record, _ stamp: Stamp) {
        let format = record.format
        text("k", format.name)
        if case .head = record {} else { begin(stamp, wall: format.hasWall) }
        record.body.write(into: &self)
    }

    private mutating func begin(_ stamp: Stamp, wall: Bool) {
        json.member("n", stamp.n)
        json.member("t", stamp.time.microseconds)
        if wall { self.wall("w", stamp.wall) }
        flag("re", stamp.isRestated)
    }

    /// Returns a URL as it is written, without credentials when the rules hide them.
    func address(_ url: String) -> String {
        rules.contains(.credentials) ? CredentialRedactor.redact(url: url) : url
    }

    /// Returns the alias written for a session's id. A tool that copies records does not apply the rule, so it keeps
    /// the text it reads.
    func alias(of id: String) -> String { rules.contains(.sessions) ? names.alias(of: id) : id }

    /// Hides the session ids found in a message, from this record on.
    private mutating func hideSessions(in message: WebSocketMessage) {
        for id in SessionNames.ids(in: message, at: sessionPath) {
            let secret = Secret(id)
            guard !sessions.contains(secret) else { continue }
            redactor.add(secret, as: names.alias(of: id))
            sessions.append(secret)
            if sessions.count > Self.mostSessions { redactor.remove(sessions.removeFirst()) }
        }
    }

    mutating func frame(_ frame: Record.FrameRecord) {
        if frame.direction == .in, rules.contains(.sessions) { hideSessions(in: frame.message) }
        let isSent = frame.direction == .out
        connection(number: frame.connection)
        text("d", frame.direction.rawValue)
        text("tr", frame.transport)
        flag("inj", frame.isInjected)
        flag("drop", frame.isDropped)
        switch frame.message {
        case .text(let bytes):
            json.member("op", 1)
            payload(bytes, cutFrom: frame.cutFrom, isText: true, isSent: isSent)
        case .binary(let bytes):
            json.member("op", 2)
            payload(bytes, cutFrom: frame.cutFrom, isText: false)
        }
    }

    mutating func http(_ http: Record.HTTPRecord) {
        connection(number: http.connection)
        json.member("id", http.id)
        switch http.phase {
        case .request(let method, let url, let body):
            text("ph", "req")
            json.member("for", http.cause)
            text("m", method)
            text("url", address(url))
            payload(body[...], cutFrom: http.cutFrom, isText: true, isSent: true)
        case .response(let status, let body, let retryAfter):
            text("ph", "res")
            json.member("for", http.cause)
            json.member("st", status)
            if let retryAfter { header("retry-after", String(retryAfter)) }
            payload(body[...], cutFrom: http.cutFrom, isText: true)
        case .failure(let kind, let message):
            text("ph", "err")
            json.member("for", http.cause)
            text("err", kind)
            text("why", message)
        }
    }
}

extension RecordEncoder {
    mutating func wall(_ key: StaticString, _ microseconds: Int64) {
        json.key(key)
        json.string(utf8: WallClock.text(microseconds)[...])
    }

    /// Connection numbers are strings, so that merged recordings can tell their connections apart.
    mutating func connection(number: Int?) {
        if let number { text("c", String(number)) }
    }

    mutating func text(_ key: StaticString, _ value: String?) {
        if let value { json.member(key, shown(value)) }
    }

    /// Writes a member only when its value is true.
    mutating func flag(_ key: StaticString, _ value: Bool) {
        if value { json.member(key, true) }
    }

    mutating func header(_ name: String, _ value: String) {
        json.key("hdr")
        json.beginObject()
        json.key(name)
        json.string(shown(value))
        json.endObject()
    }

    /// Writes `len`, `cut` when bytes are missing, and the payload: as text in `p` when it is UTF-8, otherwise in
    /// base64 in `b`.
    mutating func payload(_ bytes: ArraySlice<UInt8>, cutFrom: Int?, isText: Bool, isSent: Bool = false) {
        json.member("len", cutFrom ?? bytes.count)
        var shown = redactor.redact(bytes)
        if isSent, rules.contains(.credentials) { shown = CredentialRedactor.redact(shown) }
        let isCut = shown.count > RecordFormat.maximumPayload
        if isCut { shown = Self.prefix(of: shown, RecordFormat.maximumPayload) }
        flag("cut", isCut || cutFrom != nil)
        if isText && !forcesBase64 && isShortAsText(shown) {
            json.key("p")
            json.string(utf8: shown)
        } else {
            json.key("b")
            json.inertString(count: Base64.length(of: shown)) { Base64.encode(shown, into: $0) }
        }
    }

    /// Returns whether to write a payload as text. A large payload is written in base64 when its escapes would make the
    /// text longer. Otherwise this reserves the space at once, to avoid a second copy while writing.
    private mutating func isShortAsText(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard Self.isUTF8(bytes) else { return false }
        guard bytes.count > RecordFormat.keptBuffer else { return true }
        var escapes = 0
        bytes.withUnsafeBufferPointer { bytes in
            for byte in bytes {
                if byte < 0x20 || byte == 0x7F { escapes += 5 }
                if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { escapes += 1 }
            }
        }
        guard escapes <= bytes.count / 3 else { return false }
        json.reserve(bytes.count + escapes + 1024)
        return true
    }

    /// Writes the members of a record of an unknown kind, except for those that every record has. Writes nothing when
    /// the text is not an object.
    mutating func others(of text: RawJSON) {
        let clean = clean(text)
        guard let members = Self.members(of: clean) else { return }
        for (key, value) in members where !["k", "n", "t", "w", "re"].contains(key) {
            json.key(key)
            json.inertRaw(value)
        }
    }

    /// Returns the JSON text without secrets. Removing a secret outside a string can break the JSON; the result is then
    /// an empty object.
    func clean(_ text: RawJSON) -> RawJSON {
        let clean = redactor.redact(text.bytes)
        if clean == text.bytes { return text }
        do throws(JSONError) {
            return try RawJSON(checking: clean)
        } catch {
            return RawJSON(unchecked: ArraySlice("{}".utf8))
        }
    }

    /// Returns the text without secrets, cut to the limit for text shown to people.
    func shown(_ value: String) -> String {
        let clean = redactor.redact(value)
        guard clean.utf8.count > RecordFormat.maximumText else { return clean }
        return String(decoding: Self.prefix(of: ArraySlice(clean.utf8), RecordFormat.maximumText), as: UTF8.self) + "…"
    }

    private static func members(of text: RawJSON) -> [(String, RawJSON)]? {
        do throws(JSONError) {
            var reader = JSONReader(text.bytes.span)
            var members: [(String, RawJSON)] = []
            try reader.beginObject()
            while let key = try reader.nextKey() {
                let range = try reader.skip()
                let start = text.bytes.startIndex
                let value = text.bytes[start + range.lowerBound..<start + range.upperBound]
                members.append((reader.string(key), RawJSON(unchecked: value)))
            }
            return members
        } catch {
            return nil
        }
    }

    /// Returns the first `count` bytes, or up to three fewer so that no character is split.
    private static func prefix(of bytes: ArraySlice<UInt8>, _ count: Int) -> ArraySlice<UInt8> {
        var end = bytes.startIndex + min(count, bytes.count)
        var steps = 0
        while steps < 3, end < bytes.endIndex, end > bytes.startIndex, bytes[end] & 0xC0 == 0x80 {
            end -= 1
            steps += 1
        }
        return bytes[..<end]
    }

    private static func isUTF8(_ bytes: ArraySlice<UInt8>) -> Bool {
        (try? UTF8Span(validating: bytes.span)) != nil
    }
}
