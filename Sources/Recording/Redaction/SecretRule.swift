import JSONText

/// How a secret is recognised: by its looks, or by the name of what it is the value of (`SecretName`). Capture, `file doctor --secrets` and
/// `file redact` use the same rules; where two hold, the first one names the secret.
enum SecretRule: String, CaseIterable, Hashable, Sendable {
    /// A JSON web token.
    case jwt
    /// A key that begins as its issuer's keys do (`ghp_`, `AKIA`, `xoxb-`), and a private key in PEM.
    case key
    /// What follows `Bearer` or `Basic`, or is named so.
    case authorization
    /// A cookie.
    case cookie
    /// A password, or a code that somebody types.
    case password
    /// A token or key, named so.
    case token
    /// A token in the query of a URL, or a name and password before its host.
    case url
    /// A session's id, which lets others take it over; what a recording writes in its place begins with `sid-`.
    case session
    /// Long random text: all of a value that is no id, checksum or address, or a shorter one whose name speaks of keys.
    case random

    /// What it looks like, for messages.
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

    /// The order in which rules name what two of them find.
    var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    /// What is found under a name.
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

/// What stands in the place of a secret that was found.
enum SecretMark {
    private static let open = Array("‹".utf8)
    private static let close = Array("›".utf8)
    private static let word = Array("secret-".utf8)
    private static let words = ["redacted", "recorded"].map { Array($0.utf8) }
    private static let digits = 16

    /// The mark of a secret after the first `most` of a payload, which it does not make longer. All of them look alike.
    static let short = Array("*".utf8)
    static let most = 4096
    /// Bytes that a long mark makes a payload longer, quotes included, at most.
    static let growth = 32

    /// The mark of a secret with that digest.
    static func text(digest: String) -> [UInt8] { open + word + digest.utf8.prefix(digits) + close }

    /// Whether a text is nothing but a mark, or what `file redact` writes in a secret's place.
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

    /// Whether a mark begins at `place`.
    static func begins(at place: Int, in text: UnsafeBufferPointer<UInt8>) -> Bool {
        let rest = text[place...].prefix(64)
        guard let end = rest.indices.first(where: { rest[$0...].starts(with: close) }) else { return false }
        return isMark(UnsafeBufferPointer(rebasing: rest[..<(end + close.count)]))
    }
}
