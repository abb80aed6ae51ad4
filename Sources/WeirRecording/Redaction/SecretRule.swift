import CWeirSecretScan
import Glibc
import WeirJSON

/// A rule that identifies a secret by its shape or by the name of its value (`SecretName`). Capture, `file doctor
/// --secrets` and `file redact` use the same rules. Where two apply, the first one names the secret.
enum SecretRule: String, CaseIterable, Hashable, Sendable {
    /// A JSON web token, recognised by its shape.
    case jwt
    /// A key with the prefix of a known issuer (`ghp_`, `AKIA`, `xoxb-`), or a private key in PEM.
    case key
    /// The text after `Bearer` or `Basic`, or a value named as authorization.
    case authorization
    /// The value of a cookie header or member.
    case cookie
    /// A password, or a code that a person types.
    case password
    /// A value whose name marks it as a token or key.
    case token
    /// A token in the query of a URL, or a name and password before its host.
    case url
    /// A session's id, which lets others take the session over. Its replacement in a recording begins with `sid-`.
    case session
    /// Long random text: a whole value except an id, a checksum or a URL, or a shorter value whose name refers to keys.
    case random

    /// A description of the secret for messages.
    var words: String {
        switch self {
        case .jwt: "a JSON web token"
        case .key: "a key of a known kind"
        case .authorization: "an Authorization header"
        case .cookie: "a cookie"
        case .password: "a password"
        case .token: "a token or key"
        case .url: "credentials in a URL"
        case .session: "a session id"
        case .random: "long random text"
        }
    }

    /// The rule's precedence when two rules find the same secret; lower wins.
    var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    /// Creates the rule for a value with this name.
    init(_ name: SecretName) {
        switch name {
        case .password, .code: self = .password
        case .token: self = .token
        case .authorization: self = .authorization
        case .cookie: self = .cookie
        case .session: self = .session
        case .key: self = .random
        }
    }
}

/// The replacement text for secrets that were found.
enum SecretMark {
    private static let open = Array("‹".utf8)
    private static let close = Array("›".utf8)
    private static let word = Array("secret-".utf8)
    private static let words = ["redacted", "recorded"].map { Array($0.utf8) }
    private static let digits = 16

    /// The mark for secrets after the first `most` of a payload; it does not lengthen the payload. All such marks are
    /// equal.
    static let short = Array("*".utf8)
    static let most = 4096
    /// The most bytes by which a long mark lengthens a payload, including quotes.
    static let growth = 32

    /// Returns the mark of a secret with that digest.
    static func text(digest: String) -> [UInt8] { open + word + digest.utf8.prefix(digits) + close }

    /// Returns whether a text is exactly a mark, or a replacement that `file redact` writes.
    static func isMark(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        if text.elementsEqual(short) { return true }
        guard text.count > open.count + close.count, text.prefix(open.count).elementsEqual(open),
            text.suffix(close.count).elementsEqual(close)
        else { return false }
        let inside = text.dropFirst(open.count).dropLast(close.count)
        if words.contains(where: { inside.elementsEqual($0) }) { return true }
        let hash = inside.starts(with: word) ? inside.dropFirst(word.count) : inside
        return hash.count == digits && hash.allSatisfy { $0.hexValue != nil }
    }

    /// Returns whether a mark begins at `place`.
    static func begins(at place: Int, in text: UnsafeBufferPointer<UInt8>) -> Bool {
        let rest = text[place...].prefix(64)
        guard let end = rest.indices.first(where: { rest[$0...].starts(with: close) }) else { return false }
        return isMark(UnsafeBufferPointer(rebasing: rest[..<(end + close.count)]))
    }
}

/// The shapes of secrets, independent of names.
enum SecretShape {
    typealias Text = UnsafeBufferPointer<UInt8>

    /// Prefixes of well-known keys, with the least number of characters that follow.
    private static let issuers: [(start: [UInt8], rest: Int)] = [
        ("ghp_", 30), ("gho_", 30), ("ghu_", 30), ("ghs_", 30), ("ghr_", 30), ("github_pat_", 30), ("glpat-", 16),
        ("xoxb-", 20), ("xoxp-", 20), ("xoxa-", 20), ("xoxr-", 20), ("xoxs-", 20), ("xoxc-", 20), ("xoxd-", 20),
        ("xapp-", 20), ("sk_live_", 16), ("sk_test_", 16), ("rk_live_", 16), ("rk_test_", 16), ("whsec_", 20),
        ("sk-", 32), ("AKIA", 16), ("ASIA", 16), ("AIza", 30), ("ya29.", 20), ("SG.", 30), ("npm_", 30),
        ("pypi-", 30), ("dop_v1_", 30), ("hvs.", 20), ("glsa_", 20), ("AGE-SECRET-KEY-1", 30),
    ].map { (Array($0.0.utf8), $0.1) }

    /// Returns whether a byte is a letter, a digit or another character of either base64 alphabet.
    static func isBase64(_ byte: UInt8) -> Bool {
        if secret_is_letter(byte) || secret_is_digit(byte) { return true }
        switch byte {
        case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="), UInt8(ascii: "-"), UInt8(ascii: "_"): return true
        default: return false
        }
    }

    /// Returns whether a byte can be part of a token: URL-safe base64 and dots.
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        secret_is_letter(byte) || secret_is_digit(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
            || byte == UInt8(ascii: ".")
    }

    /// Returns a token of a known kind in the text around `place`, which is in a long run of letters and digits, and
    /// the end of the searched text.
    static func token(around place: Int, in text: Text) -> (found: (rule: SecretRule, range: Range<Int>)?, end: Int) {
        var start = place
        while start > 0, place - start < 64, isTokenByte(text[start - 1]) { start -= 1 }
        var end = place
        while end < text.count, isBase64(text[end]) || text[end] == UInt8(ascii: ".") { end += 1 }
        if let key = pemKey(from: start, in: text) { return ((.key, key), max(end, key.upperBound)) }
        for begin in start...place
        where begin == start || !(secret_is_letter(text[begin - 1]) || secret_is_digit(text[begin - 1])) {
            if let token = webToken(at: begin, until: end, in: text) { return ((.jwt, token), end) }
            for issuer in issuers where text[begin] == issuer.start[0] && text[begin...].starts(with: issuer.start) {
                let rest = text[(begin + issuer.start.count)..<max(end, begin + issuer.start.count)]
                let key = rest.prefix(while: isTokenByte)
                if key.count >= issuer.rest { return ((.key, begin..<key.endIndex), max(end, key.endIndex)) }
            }
        }
        end = place
        while end < text.count, secret_is_letter(text[end]) || secret_is_digit(text[end]) { end += 1 }
        return (nil, end)
    }

    /// Matches `eyJ….….…`; the base64 of `{"` begins with `eyJ`.
    private static func webToken(at start: Int, until end: Int, in text: Text) -> Range<Int>? {
        guard end - start >= 30, text[start...].starts(with: "eyJ".utf8) else { return nil }
        let token = text[start..<end].prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "+") }
        return token.count { $0 == UInt8(ascii: ".") } >= 2 && token.count >= 30 ? start..<token.endIndex : nil
    }

    /// Returns the body of a PEM private key whose first line begins at `start`: up to its end, or to the end of the
    /// text.
    private static func pemKey(from start: Int, in text: Text) -> Range<Int>? {
        var before = start
        while before > 0, start - before < 4,
            [UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\\")].contains(text[before - 1])
                || (text[before - 1] == UInt8(ascii: "n") && before > 1 && text[before - 2] == UInt8(ascii: "\\"))
        { before -= 1 }
        let head = Array("PRIVATE KEY-----".utf8)
        guard before < start, before >= head.count, text[(before - head.count)..<before].elementsEqual(head) else {
            return nil
        }
        var end = start
        while end < text.count, !text[end...].starts(with: "-----END".utf8) { end += 1 }
        while end > start, !isBase64(text[end - 1]) { end -= 1 }
        return start..<end
    }

    /// Returns the text after the space of an authorization scheme, if it looks like a secret rather than an English
    /// word.
    static func afterScheme(at space: Int, in text: Text) -> Range<Int>? {
        var end = space + 1
        while end < text.count,
            isBase64(text[end]) || [UInt8(ascii: "."), UInt8(ascii: "~"), UInt8(ascii: "\\")].contains(text[end])
        {
            end += 1
        }
        // A backslash may escape a slash. One at the end escapes a quote.
        while end > space + 1, text[end - 1] == UInt8(ascii: "\\") { end -= 1 }
        let value = text[(space + 1)..<end]
        guard value.count >= 12 else { return nil }
        let body = value.dropLast()
        let isWord = body.dropFirst().allSatisfy {
            $0 >= UInt8(ascii: "a") && $0 <= UInt8(ascii: "z") || $0 == UInt8(ascii: "-")
        }
        return isWord ? nil : space + 1..<end
    }

    /// Returns the name and password of a URL, which end before the at sign at `place`.
    static func userInfo(before place: Int, in text: Text) -> Range<Int>? {
        var start = place
        var hasColon = false
        while start > 0, place - start < 512, text[start - 1] > UInt8(ascii: " "), text[start - 1] != UInt8(ascii: "/"),
            text[start - 1] != UInt8(ascii: "\"")
        {
            start -= 1
            if text[start] == UInt8(ascii: ":") { hasColon = true }
        }
        guard hasColon else { return nil }
        // Matches `://`. Its slashes may be escaped, once for each level of JSON in JSON.
        var scheme = start
        for _ in 0..<2 {
            guard scheme > 0, text[scheme - 1] == UInt8(ascii: "/") else { return nil }
            scheme -= 1
            while scheme > 0, text[scheme - 1] == UInt8(ascii: "\\") { scheme -= 1 }
        }
        guard scheme > 0, text[scheme - 1] == UInt8(ascii: ":") else { return nil }
        let info = start..<place
        return SecretMark.isMark(Text(rebasing: text[info])) ? nil : info
    }

    /// Returns whether the text is random: at least 32 characters of base64 or hexadecimal, neither a UUID nor a path.
    static func isRandom(_ text: Text) -> Bool {
        guard text.count >= 32, text.count <= 4096, text.allSatisfy(isBase64), text[0] != UInt8(ascii: "/") else {
            return false
        }
        return !isUUID(text) && entropy(of: text) >= 3.2
    }

    /// Returns whether a whole value is a key by its shape alone: 256, 384 or 512 bits in hexadecimal, or 40 to 512
    /// characters of base64 with lower-case letters, upper-case letters and digits.
    static func isKey(_ text: Text) -> Bool {
        guard text.count >= 40, text.count <= 512, text.allSatisfy(isBase64), text[0] != UInt8(ascii: "/") else {
            return false
        }
        if text.allSatisfy({ $0.hexValue != nil }) {
            return [64, 96, 128].contains(text.count) && entropy(of: text) >= 3
        }
        let hasAll =
            text.contains(where: secret_is_digit)
            && text.contains { $0 >= UInt8(ascii: "a") && $0 <= UInt8(ascii: "z") }
            && text.contains { $0 >= UInt8(ascii: "A") && $0 <= UInt8(ascii: "Z") }
        // Excludes words joined with dashes, and text with only a few digits.
        let digits = text.count(where: secret_is_digit)
        return hasAll && digits * 24 >= text.count && entropy(of: text) >= 4.2
    }

    /// Returns whether the text has the form `8-4-4-4-12` of hexadecimal digits.
    static func isUUID(_ text: Text) -> Bool {
        text.count == 36 && [8, 13, 18, 23].allSatisfy { text[$0] == UInt8(ascii: "-") }
    }

    /// Returns the Shannon entropy in bits per character.
    private static func entropy(of text: Text) -> Double {
        var counts = [Int](repeating: 0, count: 256)
        for byte in text { counts[Int(byte)] += 1 }
        var bits = 0.0
        for count in counts where count > 0 {
            let share = Double(count) / Double(text.count)
            bits -= share * log2(share)
        }
        return bits
    }
}
