import JSONText

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
