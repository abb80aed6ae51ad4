import JSONText
import Wire

extension RecordEncoder {
    mutating func wall(_ key: StaticString, _ microseconds: Int64) {
        json.key(key)
        json.string(utf8: WallClock.text(microseconds)[...])
    }

    /// Connections are named by strings, so that merged recordings can tell theirs apart.
    mutating func connection(number: Int?) {
        if let number { text("c", String(number)) }
    }

    mutating func text(_ key: StaticString, _ value: String?) {
        if let value { json.member(key, shown(value)) }
    }

    /// A member that is there when it is true.
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

    /// Writes `len`, `cut` when bytes are missing, and the bytes: as text in `p` when they are UTF-8, in base64 in `b`
    /// otherwise.
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

    /// Whether a payload is written as text. A large one is not when its escapes would make it longer than base64; otherwise there is room
    /// for it from the start, so that no second copy is made while it is written.
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

    /// The members of a record of an unknown kind, without those that every record has; a text that is no object has
    /// none.
    mutating func others(of text: RawJSON) {
        let clean = clean(text)
        guard let members = Self.members(of: clean) else { return }
        for (key, value) in members where !["k", "n", "t", "w", "re"].contains(key) {
            json.key(key)
            json.inertRaw(value)
        }
    }

    /// JSON text without secrets. Where a secret was no part of a string, taking it out may break the text: then
    /// nothing of it is kept.
    func clean(_ text: RawJSON) -> RawJSON {
        let clean = redactor.redact(text.bytes)
        if clean == text.bytes { return text }
        do throws(JSONError) {
            return try RawJSON(checking: clean)
        } catch {
            return RawJSON(unchecked: ArraySlice("{}".utf8))
        }
    }

    /// Without secrets, and cut to what is for people.
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

    /// The first `count` bytes, or up to three fewer so that no character is split.
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
