import CLibWebSockets
public import Wire

/// How servers are reached, the same for WebSockets and for HTTP requests: one value, given to both kinds of request.
public struct Access: Sendable {
    /// Which certificate authorities are believed.
    public var trust: TLSTrust
    /// What we show a server that asks for a certificate.
    public var certificate: ClientCertificate?
    /// The public keys a server may have; with any, others are refused, and so are connections without TLS.
    public var pins: [PublicKeyPin]
    /// Through which proxy; nil for none. The environment's proxies are not looked at (see `ProxyEnvironment`).
    public var proxy: Proxy?
    /// Headers of the user's own; one of them replaces a request's own of that name.
    public var headers: [Header]
    /// Where the cookies are kept that the server sets; nil to send none back.
    public var cookies: CookieJar?

    /// Direct access that believes the machine's authorities, with what is given changed.
    public init(
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

    /// Reads the files, so that one that cannot be used is told before anything is connected to.
    public func check() throws(NetworkError) {
        if trust != .system || certificate != nil { SSL_CTX_free(try makeTLSClientContext(tls)) }
    }

    /// What a TLS context is made of.
    var tls: TLSClientSettings { TLSClientSettings(trust: trust, certificate: certificate) }

    /// What keeps a server from being reached this way whatever it answers.
    func problem(with url: URLParts) -> String? {
        guard pins.isEmpty || url.isSecure else {
            return "a public key is pinned, and a connection by \(url.scheme) has none; use TLS"
        }
        return nil
    }
}

/// Which certificate authorities are believed. Verification is never off.
public enum TLSTrust: Hashable, Sendable {
    /// Those of the machine, or what `SSL_CERT_FILE` and `SSL_CERT_DIR` name instead.
    case system
    /// Those of a PEM file only.
    case file(String)
}

/// A client's certificate chain and its key, PEM files.
public struct ClientCertificate: Hashable, Sendable {
    /// The chain's path.
    public var certificate: String
    /// The key's path; the chain's own when the key is in the same file.
    public var key: String
    /// What the key is encrypted with.
    public var passphrase: Secret?
    /// A certificate and its key.
    public init(certificate: String, key: String, passphrase: Secret? = nil) {
        self.certificate = certificate
        self.key = key
        self.passphrase = passphrase
    }
}

/// What a TLS context for clients is made of; contexts are kept by it.
struct TLSClientSettings: Hashable {
    var trust: TLSTrust
    var certificate: ClientCertificate?
}
