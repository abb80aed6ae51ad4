import CWeirLibWebSockets
public import WeirWire

/// The settings for reaching a server. WebSockets and HTTP requests share one value.
package struct Access: Sendable {
    /// The certificate authorities that the client trusts.
    package var trust: TLSTrust
    /// The client certificate to present when a server requests one.
    package var certificate: ClientCertificate?
    /// The public keys a server may have. If any are set, the client refuses other keys and also connections without
    /// TLS.
    package var pins: [PublicKeyPin]
    /// The proxy to connect through; `nil` for a direct connection. Proxies in the environment are ignored (see
    /// `ProxyEnvironment`).
    package var proxy: Proxy?
    /// Headers configured by the user. Each one replaces a request's own header of the same name.
    package var headers: [Header]
    /// The jar for the cookies that the server sets; `nil` to send none back.
    package var cookies: CookieJar?

    /// Creates settings for direct access that trust the system's authorities, unless the arguments change that.
    package init(
        trust: TLSTrust = .system, certificate: ClientCertificate? = nil, pins: [PublicKeyPin] = [],
        proxy: Proxy? = nil, headers: [Header] = [], cookies: CookieJar? = nil
    ) {
        self.trust = trust
        self.certificate = certificate
        self.pins = pins
        self.proxy = proxy
        self.headers = headers
        self.cookies = cookies
    }

    /// Reads the certificate files, so that an unusable file is reported before any connection is made.
    package func check() throws(NetworkError) {
        if trust != .system || certificate != nil { SSL_CTX_free(try makeTLSClientContext(tls)) }
    }

    /// The settings for making a TLS context.
    var tls: TLSClientSettings { TLSClientSettings(trust: trust, certificate: certificate) }

    /// Returns why `url` cannot be reached with these settings, whatever the server answers; `nil` if it can be tried.
    func problem(with url: URLParts) -> String? {
        guard pins.isEmpty || url.isSecure else {
            return "a public key is pinned, and a connection by \(url.scheme) has none; use TLS"
        }
        return nil
    }
}

/// The certificate authorities that a client trusts. Verification is never off.
public enum TLSTrust: Hashable, Sendable {
    /// The system's authorities, or those in `SSL_CERT_FILE` and `SSL_CERT_DIR` when these are set.
    case system
    /// Only the authorities in the PEM file at this path.
    case file(String)
}

/// A client's certificate chain and its private key, as PEM files.
public struct ClientCertificate: Hashable, Sendable {
    /// The path of the certificate chain.
    public var certificate: String
    /// The path of the private key. It equals `certificate` when the key is in the same file.
    public var key: String
    /// The passphrase of an encrypted key; `nil` for a key that is not encrypted.
    public var passphrase: Secret?
    /// Creates a client certificate from paths. The files are not read until `Access.check()` or a connection.
    public init(certificate: String, key: String, passphrase: Secret? = nil) {
        self.certificate = certificate
        self.key = key
        self.passphrase = passphrase
    }
}

/// The settings for a client's TLS context. Contexts are cached by this value.
struct TLSClientSettings: Hashable {
    var trust: TLSTrust
    var certificate: ClientCertificate?
}

extension Access {
    /// A header configured by the user and sent with every request.
    package struct Header: Hashable, Sendable {
        /// The header's name, in any case.
        package var name: String
        /// The header's value. It never appears in output.
        package var value: Secret
        /// Creates a header. Check it first with `Access.problem(withHeader:)` and `Access.isHeaderValueSendable(_:)`.
        package init(name: String, value: Secret) {
            self.name = name
            self.value = value
        }
    }

    /// Returns why `name` cannot be used in `headers`, or `nil` when it can.
    package static func problem(withHeader name: String) -> String? {
        guard isHeaderName(name) else { return "it is not the name of a header" }
        let name = name.lowercased()
        return reserved.contains(name) || name.hasPrefix("sec-websocket-") || name.hasPrefix("proxy-")
            ? "it belongs to the protocol" : nil
    }

    /// Returns whether a value contains only characters allowed in a header (RFC 9110, 5.5).
    package static func isHeaderValueSendable(_ value: Secret) -> Bool { isHeaderValue(value.reveal()) }

    /// The headers, in lower case, that the protocol or its library sets itself.
    private static let reserved: Set<String> = [
        "host", "connection", "upgrade", "content-length", "content-type", "content-encoding", "transfer-encoding",
        "te",
        "trailer", "expect", "keep-alive", "accept-encoding", "http2-settings",
    ]

    /// Returns the headers to send to `url`: the request's `own` headers except those that the user's headers replace,
    /// then the user's headers, then one `Cookie` header.
    func headers(for url: URLParts, own: [(name: String, value: String)]) -> [(name: String, value: String)] {
        let replaced = Set(headers.map { $0.name.lowercased() })
        var all = own.filter { !replaced.contains($0.name.lowercased()) }
        var cookies: [String] = []
        for header in headers {
            if header.name.lowercased() == "cookie" {
                cookies.append(header.value.reveal())
            } else {
                all.append((header.name, header.value.reveal()))
            }
        }
        if let kept = self.cookies?.header(for: url) { cookies.append(kept) }
        if !cookies.isEmpty { all.append(("Cookie", cookies.joined(separator: "; "))) }
        return all
    }
}

/// The SHA-256 hash of a server's public key (its SubjectPublicKeyInfo in DER), written as in curl and RFC 7469.
public struct PublicKeyPin: Hashable, Sendable, CustomStringConvertible {
    /// The pin as text: `sha256//` and the hash in base64.
    public let description: String

    /// Parses `sha256//` and 44 characters of base64. Returns `nil` for any other text.
    public init?(_ text: String) {
        let encoded = Array(text.utf8.dropFirst(Self.prefix.utf8.count))
        guard text.hasPrefix(Self.prefix), encoded.count == 44 else { return nil }
        // 32 bytes, and one for the padding.
        var hash = [UInt8](repeating: 0, count: 33)
        guard EVP_DecodeBlock(&hash, encoded, Int32(encoded.count)) == 33 else { return nil }
        self.init(hash: hash.dropLast())
        // OpenSSL accepts more than it writes: white space, and unused bits.
        guard description == text else { return nil }
    }

    private static let prefix = "sha256//"

    private init(hash: [UInt8]) {
        // OpenSSL appends a zero byte.
        var encoded = [UInt8](repeating: 0, count: 45)
        EVP_EncodeBlock(&encoded, hash, Int32(hash.count))
        description = Self.prefix + String(decoding: encoded.dropLast(), as: UTF8.self)
    }

    /// Creates the pin of a certificate. Returns `nil` when OpenSSL cannot encode its key.
    init?(of certificate: OpaquePointer) {
        var encoded: UnsafeMutablePointer<UInt8>?
        let count = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), &encoded)
        guard count > 0, let encoded else { return nil }
        defer { CRYPTO_free(encoded, nil, 0) }
        var hash = [UInt8](repeating: 0, count: 32)
        var length: UInt32 = 0
        guard EVP_Digest(encoded, Int(count), &hash, &length, EVP_sha256(), nil) == 1, length == 32 else { return nil }
        self.init(hash: hash)
    }
}

extension [PublicKeyPin] {
    /// Describes the refusal of a server's key; `nil` for a key that is unknown.
    func refusal(of key: PublicKeyPin?) -> String {
        let found = key.map { "the server's public key is \($0), and" } ?? "the server's public key"
        let shown = prefix(2).map(\.description).joined(separator: " or ")
        return "\(found) is not the pinned \(shown)" + (count > 2 ? " or one of \(count - 2) more" : "")
    }
}
