import Glibc

/// How a secret is recognised: by its looks, or by the name of the member it stands in.
public enum SecretRule: String, CaseIterable, Hashable, Sendable {
    /// A JSON web token.
    case jwt
    /// What follows `Bearer` or `Basic`.
    case authorization
    /// A cookie.
    case cookie
    /// A password.
    case password
    /// A token or key, named so.
    case token
    /// A token in the query of a URL, or a name and password before its host.
    case url
    /// A session's id, which lets others take it over; what a recording writes in its place begins with `sid-`.
    case session
    /// Long random text in a member whose name speaks of keys, signatures or sessions.
    case random

    /// What it looks like, for messages.
    var words: String {
        switch self {
        case .jwt: "a JSON web token"
        case .authorization: "an Authorization header"
        case .cookie: "a cookie"
        case .password: "a password"
        case .token: "a token or key"
        case .url: "credentials in a URL"
        case .session: "a session id"
        case .random: "long random text"
        }
    }

    /// The secrets in a string, as ranges of its UTF-8; `name` is the plain one of the member it is the value of.
    func matches(in text: [UInt8], of name: String) -> [Range<Int>] {
        let whole = text.isEmpty || Self.isHidden(text) ? [] : [0..<text.count]
        switch self {
        case .jwt: return Self.webTokens(in: text)
        case .authorization: return Self.headers(in: text)
        case .cookie: return ["cookie", "setcookie"].contains(name) ? whole : []
        case .password:
            return ["password", "passwd", "pwd", "passphrase", "pin", "otp"].contains(name) ? whole : []
        case .token: return Self.tokenNames.contains(name) && text.count >= 8 ? whole : []
        case .url: return Self.credentials(in: text)
        case .session:
            let isID = ["sid", "pid", "sessionid"].contains(name) && text.count >= 16 && text.allSatisfy(Self.isBase64)
            return isID && !text.starts(with: "sid-".utf8) ? whole : []
        case .random: return Self.isRandom(text) && Self.speaksOfKeys(name) ? whole : []
        }
    }

    private static let tokenNames: Set<String> = [
        "token", "accesstoken", "refreshtoken", "idtoken", "authtoken", "sessiontoken", "bearertoken", "apikey",
        "secret", "clientsecret", "privatekey", "authorization", "xauthtoken", "jwt", "csrftoken", "devicetoken",
    ]

    /// `Access-Token`, `access_token` and `accessToken` are one name.
    static func plain(_ key: String) -> String {
        if key.utf8.allSatisfy({ (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }) { return key }
        return String(decoding: key.utf8.filter { $0 != UInt8(ascii: "_") && $0 != UInt8(ascii: "-") }, as: UTF8.self)
            .lowercased()
    }

    /// Whether somebody has hidden the secret already: what stands in its place begins so.
    private static func isHidden(_ text: [UInt8]) -> Bool { text.starts(with: "‹".utf8) }

    /// `eyJ….eyJ….…`: the base64 of `{"` begins so.
    private static func webTokens(in text: [UInt8]) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var place = 0
        while place + 3 < text.count {
            guard text[place] == UInt8(ascii: "e"), text[place + 1] == UInt8(ascii: "y"),
                text[place + 2] == UInt8(ascii: "J"), place == 0 || !isBase64(text[place - 1])
            else {
                place += 1
                continue
            }
            var end = place
            var dots = 0
            while end < text.count, isBase64(text[end]) || text[end] == UInt8(ascii: ".") {
                dots += text[end] == UInt8(ascii: ".") ? 1 : 0
                end += 1
            }
            if dots >= 2, end - place >= 30 { found.append(place..<end) }
            place = end
        }
        return found
    }

    private static func headers(in text: [UInt8]) -> [Range<Int>] {
        for scheme in ["Bearer ", "bearer ", "Basic ", "basic "] {
            guard let start = firstRange(of: Array(scheme.utf8), in: text)?.upperBound else { continue }
            var end = start
            while end < text.count, isBase64(text[end]) || [UInt8(ascii: "."), UInt8(ascii: "~")].contains(text[end]) {
                end += 1
            }
            if end - start >= 12 { return [start..<end] }
        }
        return []
    }

    private static func credentials(in text: [UInt8]) -> [Range<Int>] {
        guard let scheme = firstRange(of: Array("://".utf8), in: text) else { return [] }
        var found: [Range<Int>] = []
        let host = text[scheme.upperBound...].prefix { $0 != UInt8(ascii: "/") && $0 > UInt8(ascii: " ") }
        if let at = host.lastIndex(of: UInt8(ascii: "@")), host[..<at].contains(UInt8(ascii: ":")) {
            found.append(scheme.upperBound..<at)
        }
        guard let query = text[scheme.upperBound...].firstIndex(of: UInt8(ascii: "?")) else { return found }
        var place = query + 1
        while place < text.count {
            let part = text[place...].prefix { $0 != UInt8(ascii: "&") && $0 > UInt8(ascii: " ") }
            let pieces = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let name = pieces.first.map { plain(String(decoding: $0, as: UTF8.self)) } ?? ""
            if pieces.count == 2, tokenNames.contains(name) || name == "password", !pieces[1].isEmpty,
                !isHidden(Array(pieces[1]))
            {
                found.append(pieces[1].startIndex..<pieces[1].endIndex)
            }
            place = part.endIndex + 1
        }
        return found
    }

    private static func speaksOfKeys(_ name: String) -> Bool {
        ["key", "secret", "token", "auth", "signature", "session", "csrf", "nonce", "credential"].contains {
            name.contains($0)
        }
    }

    /// At least 32 characters of base64 or hexadecimal that say nothing: no id, whose parts stand between dashes, no path.
    private static func isRandom(_ text: [UInt8]) -> Bool {
        guard text.count >= 32, text.count <= 4096, text.allSatisfy(isBase64), text.first != UInt8(ascii: "/") else {
            return false
        }
        let isID = text.count == 36 && text[8] == UInt8(ascii: "-") && text[13] == UInt8(ascii: "-")
        return !isID && entropy(of: text) >= 3.2
    }

    /// Bits a character, by Shannon.
    private static func entropy(of text: [UInt8]) -> Double {
        var counts = [Int](repeating: 0, count: 256)
        for byte in text { counts[Int(byte)] += 1 }
        var bits = 0.0
        for count in counts where count > 0 {
            let share = Double(count) / Double(text.count)
            bits -= share * log2(share)
        }
        return bits
    }

    private static func isBase64(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="),
            UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private static func firstRange(of needle: [UInt8], in text: [UInt8]) -> Range<Int>? {
        guard text.count >= needle.count else { return nil }
        for place in 0...(text.count - needle.count) where text[place...].starts(with: needle) {
            return place..<place + needle.count
        }
        return nil
    }
}
