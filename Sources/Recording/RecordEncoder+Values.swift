import JSONText
import Wire

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
