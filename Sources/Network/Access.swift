import CLibWebSockets
public import Wire

/// The settings for reaching a server. WebSockets and HTTP requests share one value.
public struct Access: Sendable {
    /// The certificate authorities that the client trusts.
    public var trust: TLSTrust
    /// The client certificate to present when a server requests one.
    public var certificate: ClientCertificate?
    /// The public keys a server may have. If any are set, the client refuses other keys and also connections without
    /// TLS.
    public var pins: [PublicKeyPin]
    /// The proxy to connect through; `nil` for a direct connection. Proxies in the environment are ignored (see
    /// `ProxyEnvironment`).
    public var proxy: Proxy?
    /// Headers configured by the user. Each one replaces a request's own header of the same name.
    public var headers: [Header]
    /// The jar for the cookies that the server sets; `nil` to send none back.
    public var cookies: CookieJar?

    /// Creates settings for direct access that trust the system's authorities, unless the arguments change that.
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

    /// Reads the certificate files, so that an unusable file is reported before any connection is made.
    public func check() throws(NetworkError) {
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
