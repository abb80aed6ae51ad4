import CWeirSecretScan

/// The kind of secret that a name implies for its value. This is the only list of names for capture, `file doctor
/// --secrets` and `file redact`.
///
/// A name is split into words: `user_password`, `accessToken`, `x-api-key`, `APIKey` and `connect.sid` have two or more. Digits and
/// brackets at its end are ignored (`password2`, `token[]`), and so are words for the form of the secret (`password_hash`). The last words
/// decide, since they describe the value: `token_type` and `password_changed_at` hold no secret, and `tokenize` and `passwordless` are
/// other words. A token that only marks a position in a list (`next_page_token`) is not a secret; a session needs it.
package enum SecretName: UInt8, Hashable, Sendable {
    /// A password. Every value counts as one.
    case password
    /// A short number that a person types: `pin`, `otp`.
    case code
    /// A token, or a key named as one.
    case token
    /// The value of an `Authorization` header: an optional scheme, then the secret.
    case authorization
    /// One cookie or several cookies.
    case cookie
    /// The id of a session.
    case session
    /// A key or signature of any kind, which is a secret only if it looks random.
    case key

    /// Whether all strings in an object or array under the name are secret.
    var coversWhatIsInside: Bool {
        switch self {
        case .password, .token, .authorization, .cookie: true
        case .code, .session, .key: false
        }
    }

    /// The kinds by the last words of a name, joined with `_`. The longest match decides.
    private static let phrases: [String: SecretName] = {
        var phrases: [String: SecretName] = [:]
        func add(_ name: SecretName, _ words: String) {
            for word in words.split(separator: " ") { phrases[String(word)] = name }
        }
        add(.password, "password passwords passwd pwd passphrase passcode")
        add(.code, "pin otp totp")
        add(.token, "token tokens secret secrets jwt jwts bearer credential credentials csrf xsrf")
        add(.token, "api_key api_keys apikey apikeys access_key accesskey private_key privatekey secret_key secretkey")
        add(.token, "signing_key encryption_key master_key auth_key authkey shared_key sharedkey account_key")
        add(.token, "service_key client_key consumer_key app_key")
        for kind in "access refresh id auth session bearer device csrf xsrf user api login reset push app bot".split(
            separator: " ")
        {
            add(.token, "\(kind)token")
        }
        add(.token, "clientsecret appsecret sharedsecret")
        add(.authorization, "authorization")
        add(.cookie, "cookie cookies setcookie")
        add(.session, "sid pid session_id sessionid sess_id sessid phpsessid jsessionid")
        add(.key, "key keys auth signature sig session hmac")
        return phrases
    }()

    /// Words before `token` that make it a position in a list.
    private static let places: Set<String> = [
        "page", "next", "previous", "prev", "continuation", "continue", "cursor", "sync", "pagination",
    ]

    /// Words at the end of a name that describe the form of the secret.
    private static let forms: Set<String> = [
        "hash", "digest", "value", "confirmation", "confirm", "plain", "encoded", "base64", "header",
    ]

    /// Names that imply a secret only in the query of a URL.
    private static let queryNames: Set<String> = ["sig", "signature"]

    /// The most bytes of a name that are examined, counted from its end.
    private static let longest = 64

    /// The two tables of possible name endings, for `secret_next`.
    static let tails: [UInt64] = {
        let size = Int(SECRET_TAILS)
        var tails = [UInt64](repeating: 0, count: 2 * size)
        func add(_ word: Substring) {
            let isLong = word.utf8.count > 4
            let end = Array(word.utf8.suffix(isLong ? 5 : 3))
            let tail = Int(isLong ? secret_long_tail(end) : secret_tail(end[0], end[1], end[2]))
            tails[(isLong ? size : 0) + (tail >> 6)] |= 1 << UInt64(tail & 63)
        }
        for phrase in phrases.keys + forms.map({ $0 == "base64" ? "base" : $0 }) {
            // For `session_id`: nearly all other names with that ending are other ids.
            guard phrase.hasSuffix("_id") else {
                add(phrase[(phrase.lastIndex(of: "_").map { phrase.index(after: $0) } ?? phrase.startIndex)...])
                continue
            }
            for sign in ["_", "-", "."] { add(phrase.dropLast(3) + sign + "id") }
        }
        return tails
    }()

    /// Creates the kind of secret that a name implies; `nil` when it implies none.
    init?(_ name: String) {
        var name = name
        guard let found = name.withUTF8({ SecretName($0) }) else { return nil }
        self = found
    }

    /// Creates the kind of secret that a name implies; `nil` when it implies none. The name must have no escapes.
    init?(_ name: UnsafeBufferPointer<UInt8>) {
        // A key may be a JSON text, such as the name of a room. It then names nothing.
        guard Self.mayBe(name), Self.endsWell(name), !name.contains(UInt8(ascii: "{")) else { return nil }
        var words = Self.words(of: name)
        while words.count > 1, let last = words.last, Self.forms.contains(last) { words.removeLast() }
        guard let last = words.last else { return nil }
        if words.count > 1, last == "token" || last == "tokens", Self.places.contains(words[words.count - 2]) {
            return nil
        }
        if let two = Self.phrases[words.suffix(2).joined(separator: "_")] ?? Self.phrases[last] {
            self = two
        } else if last.hasSuffix("password") || last.hasSuffix("passwd") || last.hasSuffix("passphrase") {
            self = .password
        } else {
            return nil
        }
    }

    /// Returns whether a parameter of this name is a credential in the query of a URL or in a login request.
    package static func isCredential(inQuery name: String) -> Bool {
        switch SecretName(name) {
        case .password, .token, .authorization, .cookie: true
        case .session, .code, .key, nil: queryNames.contains(words(of: name).last ?? "")
        }
    }

    /// Returns whether the last letters of the name allow a match. Rejects most names quickly.
    private static func mayBe(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        var end = name.count
        while end > 0, !secret_is_letter(name[end - 1]) { end -= 1 }
        guard let base = name.baseAddress else { return false }
        return tails.withUnsafeBufferPointer { secret_may_name(base, end, $0.baseAddress) }
    }

    /// Returns whether the name's last word is listed. Rejects nearly all names that pass `mayBe`.
    private static func endsWell(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        var end = name.count
        while end > 0, !secret_is_letter(name[end - 1]) { end -= 1 }
        var start = end
        while start > 0, end - start < longest, secret_is_letter(name[start - 1]) { start -= 1 }
        // Camel case is not split here.
        if name[start..<end].dropFirst().contains(where: isUpper) { return true }
        let last = String(decoding: name[start..<end], as: UTF8.self).lowercased()
        return lastWords.contains(last) || last == "base" || last.hasSuffix("password") || last.hasSuffix("passwd")
            || last.hasSuffix("passphrase")
    }

    private static let lastWords = Set(phrases.keys.map { String($0.split(separator: "_").last ?? "") })
        .union(forms)

    /// Returns the words of a name, in lower case.
    static func words(of name: String) -> [String] {
        var name = name
        return name.withUTF8 { words(of: $0) }
    }

    private static func words(of name: UnsafeBufferPointer<UInt8>) -> [String] {
        var words: [String] = []
        var word: [UInt8] = []
        func endWord() {
            if !word.isEmpty { words.append(String(decoding: word, as: UTF8.self)) }
            word.removeAll(keepingCapacity: true)
        }
        for place in max(0, name.count - longest)..<name.count {
            let byte = name[place]
            let isUpper = isUpper(byte)
            if !secret_is_letter(byte), !secret_is_digit(byte), byte < 0x80 {
                endWord()
                continue
            }
            if isUpper, place > 0 {
                let follows =
                    place + 1 < name.count && secret_is_letter(name[place + 1]) && !self.isUpper(name[place + 1])
                if !self.isUpper(name[place - 1]) || follows { endWord() }
            }
            word.append(isUpper ? byte | 0x20 : byte)
        }
        endWord()
        // Drops the digits of `password2` and `token_1`.
        while let last = words.last, let digit = last.utf8.last, secret_is_digit(digit), last != "base64" {
            words.removeLast()
            let plain = String(decoding: last.utf8.prefix { !secret_is_digit($0) }, as: UTF8.self)
            if !plain.isEmpty { words.append(plain) }
        }
        return words
    }

    private static func isUpper(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") }
}
