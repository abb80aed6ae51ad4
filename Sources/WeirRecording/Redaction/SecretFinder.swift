import CWeirSecretScan
import WeirJSON

/// A secret found in a text.
struct FoundSecret {
    /// The rule that identified the secret.
    var rule: SecretRule
    /// The secret's range in the UTF-8 of the text.
    var range: Range<Int>
}

/// Finds secrets in a text that is not JSON: a value, a URL, a form, headers or prose. Time is linear in the text.
///
/// A single pass stops only at candidates (`secret_next`): after a name that may belong to a secret, at a long run of
/// letters and digits, at `Bearer` and `Basic`, at an at sign, and at escapes. Each candidate is judged in place.
enum SecretFinder {
    typealias Text = UnsafeBufferPointer<UInt8>

    /// A URL inside a URL inside a URL is percent-encoded three times over.
    private static let mostLevels = 4
    /// A text with more secrets than this is treated as one secret.
    private static let mostPlaces = 4096
    /// The most bytes searched before a query for the start of its URL.
    private static let longestAddress = 2048

    // MARK: - A value

    /// Returns the secrets in a value. `name` is what the names above the value reveal, and `key` is the innermost of
    /// those names.
    static func secrets(in text: [UInt8], _ name: SecretName?, under key: String) -> [FoundSecret] {
        text.withUnsafeBufferPointer { text in
            var found = secrets(in: text, level: 0)
            // Each secret takes memory, and nothing in a text full of secrets is worth keeping.
            if found.count > mostPlaces { return [FoundSecret(rule: found[0].rule, range: 0..<text.count)] }
            if let name, let range = named(text[...], name) {
                found.append(FoundSecret(rule: SecretRule(name), range: range))
            }
            if SecretShape.isKey(text), !isPlain(key) {
                found.append(FoundSecret(rule: .random, range: 0..<text.count))
            }
            return found
        }
    }

    /// Returns whether a payload, or a value as spelled in JSON, may hold a secret. It is false only when no rule
    /// applies, which is the case for nearly all payloads.
    static func mayHoldSecret(_ text: Text) -> Bool {
        guard let base = text.baseAddress else { return false }
        return SecretName.tails.withUnsafeBufferPointer { tails in
            var from = 0
            while true {
                let next = secret_next(base, text.count, from, tails.baseAddress)
                let place = next.place
                from = place + 1
                switch Int(next.kind) {
                case SECRET_NONE: return false
                case SECRET_NAME:
                    let name = name(before: place, in: text)
                    if SecretName(name) != nil || isLabelled(name, at: place, in: text) { return true }
                case SECRET_RUN_PLACE:
                    if isWorthLooking(at: place, in: text) { return true }
                    while from < text.count, secret_is_letter(text[from]) || secret_is_digit(text[from]) { from += 1 }
                case SECRET_SCHEME: if SecretShape.afterScheme(at: place, in: text) != nil { return true }
                case SECRET_AT: if SecretShape.userInfo(before: place, in: text) != nil { return true }
                default: return true
                }
            }
        }
    }

    /// Returns whether a name is `value` and a nearby string may name its secret: `{"name":"password","value":…}`.
    private static func isLabelled(_ name: Text, at place: Int, in text: Text) -> Bool {
        guard name.elementsEqual("value".utf8) else { return false }
        let around = text[max(0, place - 160)..<min(text.count, place + 160)]
        return around.split(separator: UInt8(ascii: "\"")).contains { SecretName(Text(rebasing: $0)) != nil }
    }

    /// Returns whether a long run of letters and digits may be a key or a part of one.
    private static func isWorthLooking(at place: Int, in text: Text) -> Bool {
        if SecretShape.token(around: place, in: text).found != nil { return true }
        // A key is a whole value and is long enough.
        var start = place
        while start > 0, place - start < 512, SecretShape.isBase64(text[start - 1]) { start -= 1 }
        var end = place
        while end < text.count, end - start <= 512, SecretShape.isBase64(text[end]) { end += 1 }
        // An escaped slash is part of base64.
        if end + 1 < text.count, text[end] == UInt8(ascii: "\\"), text[end + 1] == UInt8(ascii: "/") { return true }
        guard end - start >= 40, end - start <= 512 else { return false }
        let isWhole =
            (start == 0 || text[start - 1] == UInt8(ascii: "\""))
            && (end == text.count || text[end] == UInt8(ascii: "\"") || text[end] == UInt8(ascii: "\\"))
        return isWhole && SecretShape.isKey(Text(rebasing: text[start..<end]))
    }

    // MARK: - A text

    private static func secrets(in text: Text, level: Int) -> [FoundSecret] {
        guard let base = text.baseAddress else { return [] }
        var found: [FoundSecret] = []
        var isEncoded = false
        SecretName.tails.withUnsafeBufferPointer { tails in
            var from = 0
            while found.count <= mostPlaces {
                let next = secret_next(base, text.count, from, tails.baseAddress)
                let place = next.place
                from = place + 1
                switch Int(next.kind) {
                case SECRET_NONE: return
                case SECRET_NAME:
                    guard let secret = named(at: place, in: text) else { continue }
                    found.append(secret)
                    from = max(from, secret.range.upperBound)
                case SECRET_RUN_PLACE:
                    let token = SecretShape.token(around: place, in: text)
                    if let secret = token.found { found.append(FoundSecret(rule: secret.rule, range: secret.range)) }
                    from = max(from, token.end)
                case SECRET_SCHEME:
                    guard let range = SecretShape.afterScheme(at: place, in: text) else { continue }
                    found.append(FoundSecret(rule: .authorization, range: range))
                case SECRET_AT:
                    guard let range = SecretShape.userInfo(before: place, in: text) else { continue }
                    found.append(FoundSecret(rule: .url, range: range))
                case SECRET_PERCENT: isEncoded = true
                default: continue
                }
            }
        }
        if isEncoded, level < mostLevels { found += decoded(text, level: level) }
        return found
    }

    /// Finds secrets after resolving percent-encoding, and returns their ranges in the text as written.
    private static func decoded(_ text: Text, level: Int) -> [FoundSecret] {
        var bytes: [UInt8] = []
        var origins: [Int] = []
        var place = 0
        while place < text.count {
            var byte = text[place]
            let start = place
            if byte == UInt8(ascii: "%"), place + 2 < text.count, let high = text[place + 1].hexValue,
                let low = text[place + 2].hexValue
            {
                byte = high << 4 | low
                place += 2
            }
            bytes.append(byte)
            origins.append(start)
            place += 1
        }
        origins.append(text.count)
        return bytes.withUnsafeBufferPointer { secrets(in: $0, level: level + 1) }.map {
            FoundSecret(rule: $0.rule, range: origins[$0.range.lowerBound]..<origins[$0.range.upperBound])
        }
    }

    // MARK: - Names in a text

    /// Returns the name that ends before the sign at `place`: the name of a member, a parameter or a header.
    private static func name(before place: Int, in text: Text) -> Text {
        let end = endOfName(before: place, in: text)
        var start = end
        while start > 0, end - start < 64, isNameByte(text[start - 1]) { start -= 1 }
        return Text(rebasing: text[start..<end])
    }

    private static func endOfName(before place: Int, in text: Text) -> Int {
        var end = place
        while end > 0, text[end - 1] == UInt8(ascii: " ") { end -= 1 }
        if end > 0, text[end - 1] == UInt8(ascii: "\"") || text[end - 1] == UInt8(ascii: "'") {
            end -= 1
            while end > 0, text[end - 1] == UInt8(ascii: "\\") { end -= 1 }
        }
        return end
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        secret_is_letter(byte) || secret_is_digit(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "[") || byte == UInt8(ascii: "]")
    }

    /// Returns the secret after a name and the sign at `place`: `token=…`, `"token":"…"` in text that is not JSON, or
    /// `Cookie: …` at the start of a line.
    private static func named(at place: Int, in text: Text) -> FoundSecret? {
        let label = name(before: place, in: text)
        let isParameter = text[place] == UInt8(ascii: "=")
        let isInAddress = isParameter && isInAddress(place, text)
        let name = SecretName(label)
        if isInAddress, !SecretName.isCredential(inQuery: String(decoding: label, as: UTF8.self)), name != .session {
            return nil
        }
        guard name != nil || isInAddress else { return nil }
        let end = endOfName(before: place, in: text)
        let isQuoted =
            end < place
            && (text[end] == UInt8(ascii: "\"") || text[end] == UInt8(ascii: "'") || text[end] == UInt8(ascii: "\\"))
        var value = place + 1
        while value < text.count, text[value] == UInt8(ascii: " ") { value += 1 }
        let range: Range<Int>
        if let quoted = quoted(from: value, in: text) {
            range = quoted
        } else if isParameter || isQuoted {
            guard value == place + 1 || isQuoted else { return nil }
            range = value..<endOfParameter(from: value, in: text)
            // Without quotes, only a number can be a secret, not `null` or an opening bracket.
            guard isParameter || range.first.map({ secret_is_digit(text[$0]) }) ?? false else { return nil }
        } else {
            guard beginsLine(end - label.count, text) else { return nil }
            switch name {
            case .cookie, .authorization: range = value..<endOfLine(from: value, in: text)
            case .token, .key, .session, .password, .code, nil:
                range = value..<endOfParameter(from: value, in: text)
                // The name may also be an ordinary word in a sentence, so a value without digits does not count as a secret.
                guard text[range].contains(where: secret_is_digit) else { return nil }
            }
        }
        let rule: SecretRule = isInAddress ? .url : name.map { SecretRule($0) } ?? .url
        let inside: Range<Int>?
        if isInAddress, name == nil || name == .key {
            inside = range.isEmpty || SecretMark.begins(at: range.lowerBound, in: text) ? nil : range
        } else {
            inside = name.flatMap { named(text[range], $0, least: isInAddress ? 1 : nil) }
        }
        return inside.map { FoundSecret(rule: rule, range: $0) }
    }

    /// Returns the secret part of a value according to its name, or `nil` when it has none.
    private static func named(_ value: Slice<Text>, _ name: SecretName, least: Int? = nil) -> Range<Int>? {
        let text = Text(rebasing: value)
        let whole = value.startIndex..<value.endIndex
        if text.isEmpty || SecretMark.isMark(text) { return nil }
        switch name {
        case .password: return whole
        case .code: return (3...10).contains(text.count) && text.contains(where: secret_is_digit) ? whole : nil
        case .token: return text.count >= least ?? 4 && !isState(text) ? whole : nil
        case .cookie: return isState(text) ? nil : whole
        case .authorization:
            if isState(text) { return nil }
            // In `Bearer …` the scheme is not part of the secret.
            let scheme = text.prefix(while: { secret_is_letter($0) || $0 == UInt8(ascii: "-") })
            guard scheme.endIndex + 1 < text.count, text[scheme.endIndex] == UInt8(ascii: " "), !scheme.isEmpty else {
                return whole
            }
            let secret = scheme.endIndex + 1
            if SecretMark.isMark(Text(rebasing: text[secret...])) { return nil }
            return whole.lowerBound + secret..<whole.upperBound
        case .session:
            let isID = text.count >= 16 && text.allSatisfy(SecretShape.isBase64) && !text.starts(with: "sid-".utf8)
            return isID ? whole : nil
        case .key: return SecretShape.isRandom(text) ? whole : nil
        }
    }

    private static func isInAddress(_ place: Int, _ text: Text) -> Bool {
        var start = place
        while start > 0, place - start < longestAddress, text[start - 1] > UInt8(ascii: " "),
            text[start - 1] != UInt8(ascii: "\"")
        {
            start -= 1
            if text[start] == UInt8(ascii: ":"), start + 2 < place, text[start + 1] == UInt8(ascii: "/"),
                text[start + 2] == UInt8(ascii: "/")
            {
                return true
            }
        }
        return false
    }

    private static func beginsLine(_ start: Int, _ text: Text) -> Bool {
        var start = start
        while start > 0, text[start - 1] == UInt8(ascii: " ") { start -= 1 }
        guard start > 0 else { return true }
        return [UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\""), UInt8(ascii: "'")].contains(text[start - 1])
    }

    private static func quoted(from start: Int, in text: Text) -> Range<Int>? {
        var open = start
        while open < text.count, text[open] == UInt8(ascii: "\\") { open += 1 }
        guard open < text.count, text[open] == UInt8(ascii: "\"") || text[open] == UInt8(ascii: "'") else { return nil }
        let depth = open - start
        var end = open + 1
        var slashes = 0
        while end < text.count {
            if text[end] == text[open], slashes <= depth { break }
            slashes = text[end] == UInt8(ascii: "\\") ? slashes + 1 : 0
            end += 1
        }
        end = max(open + 1, end < text.count ? end - slashes : end)
        return open + 1..<end
    }

    private static func endOfParameter(from start: Int, in text: Text) -> Int {
        text[start...].firstIndex { byte in
            if byte <= UInt8(ascii: " ") { return true }
            switch byte {
            case UInt8(ascii: "&"), UInt8(ascii: ";"), UInt8(ascii: ","), UInt8(ascii: "\""), UInt8(ascii: "'"),
                UInt8(ascii: "<"),
                UInt8(ascii: ">"), UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"), UInt8(ascii: "#"),
                UInt8(ascii: "\\"):
                return true
            default: return false
            }
        } ?? text.count
    }

    private static func endOfLine(from start: Int, in text: Text) -> Int {
        text[start...].firstIndex { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\"") }
            ?? text.count
    }

    // MARK: - What is no secret

    /// Words that describe the state of a token. A value after them is not the token itself.
    private static let states: Set<String> = [
        "true", "false", "none", "null", "public", "private", "required", "optional", "enabled", "disabled", "invalid",
        "expired",
        "missing", "unknown", "default", "bearer", "basic",
    ]

    private static func isState(_ text: Text) -> Bool {
        guard text.count <= 8 else { return false }
        return states.contains(String(decoding: text, as: UTF8.self).lowercased())
    }

    /// Words in the names of values that are long and random but no secrets: ids, checksums, list positions, URLs and
    /// contents.
    private static let plainWords: Set<String> = [
        "id", "ids", "uid", "guid", "uuid", "hash", "hashes", "sha", "md", "checksum", "digest", "sum", "crc", "etag",
        "tag", "cid",
        "fingerprint", "integrity", "commit", "revision", "rev", "version", "cursor", "after", "before", "page",
        "offset", "next", "prev",
        "previous", "ref", "url", "uri", "href", "link", "path", "file", "name", "filename", "image", "avatar", "icon",
        "logo",
        "picture", "photo", "thumbnail", "preview", "blurhash", "data", "blob", "content", "public", "block",
        "transaction", "tx", "address", "pin", "map", "nonce",
    ]

    private static func isPlain(_ key: String) -> Bool {
        SecretName.words(of: key).contains { plainWords.contains($0) }
    }
}
