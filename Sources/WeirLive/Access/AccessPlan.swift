import Glibc
public import WeirNetwork
import WeirWire

/// How a tail reaches its server. Secrets are given as references, which are resolved at every attempt to connect.
public struct AccessPlan: Sendable {
    /// The route of connections to the server.
    public enum Route: Hashable, Sendable {
        /// A direct connection. The environment is not read.
        case direct
        /// The proxy that the environment names for the server, if any: see `ProxyEnvironment`.
        case environment
        /// This proxy, regardless of the server and the environment.
        case proxy(Proxy)
    }

    /// A header that the user adds to requests.
    public struct Header: Sendable {
        /// The field name of the header.
        public var name: String
        /// The text before the secret, or the whole value if there is no secret.
        public var text: String
        /// The reference to the rest of the value; `nil` if the value is not secret.
        public var secret: TokenReference?
        /// Creates a header from a text and an optional secret.
        public init(name: String, text: String, secret: TokenReference? = nil) {
            self.name = name
            self.text = text
            self.secret = secret
        }
    }

    /// The certificate authorities to trust.
    public var trust = TLSTrust.system
    /// The certificate for servers that request one. The passphrase of its key comes from `passphrase`.
    public var certificate: ClientCertificate?
    /// The reference to the passphrase of the certificate's key; `nil` if the key is not encrypted.
    public var passphrase: TokenReference?
    /// The pinned public keys of the server; empty to accept any key.
    public var pins: [PublicKeyPin] = []
    /// The route of connections to the server.
    public var route = Route.direct
    /// The reference to the proxy's `USER:PASSWORD`; `nil` to use the credentials in the environment.
    public var proxyCredentials: TokenReference?
    /// The headers to send with every request to the server.
    public var headers: [Header] = []

    /// Creates a plan for direct access that trusts the system's certificate authorities.
    public init() {}

    /// Returns the proxy for a server, or `nil` for a direct connection. Credentials from a reference are not included.
    public func proxy(for server: URLParts) throws(TokenError) -> Proxy? {
        switch route {
        case .direct: return nil
        case .proxy(let proxy): return proxy
        case .environment:
            do throws(URLProblem) {
                return try ProxyEnvironment { name in getenv(name).map { String(cString: $0) } }.proxy(for: server)
            } catch {
                throw TokenError(message: error.message)
            }
        }
    }

    /// Reads the certificate files, so that an unusable one is reported before any connection. An encrypted key is not
    /// checked, since its passphrase is not resolved yet.
    func check() throws(NetworkError) {
        try Access(trust: trust, certificate: passphrase == nil ? certificate : nil).check()
    }

    /// Whether resolving may block or fail.
    var needsResolving: Bool { !references.isEmpty || !headers.isEmpty || route == .environment }

    /// Every reference with its purpose, which errors mention.
    public var references: [(purpose: String, reference: TokenReference)] {
        var all: [(purpose: String, reference: TokenReference)] = []
        if let passphrase { all.append(("passphrase", passphrase)) }
        if let proxyCredentials { all.append(("proxy credentials", proxyCredentials)) }
        for header in headers {
            if let secret = header.secret { all.append(("\(header.name) header", secret)) }
        }
        return all
    }

    /// The shortest secret that is hidden in recordings, in bytes. A shorter one would also be found in unrelated text.
    /// Secrets are sent only to their addressee; hiding protects against servers that echo what they receive.
    private static let shortestHidden = 6

    /// Returns the access with a new cookie jar, and the secrets to hide. Blocks if there are references: call it on a
    /// helper thread.
    func resolve(for server: URLParts) throws(TokenError) -> (access: Access, secrets: [Secret]) {
        var access = Access(trust: trust, certificate: certificate, pins: pins, cookies: CookieJar())
        var secrets: [Secret] = []
        access.certificate?.passphrase = try passphrase?.resolve("passphrase")
        access.certificate?.passphrase.map { secrets.append($0) }
        access.proxy = try proxy(for: server)
        if access.proxy != nil, let proxyCredentials {
            access.proxy?.credentials = try proxyCredentials.resolve("proxy credentials")
        }
        if let credentials = access.proxy?.credentials {
            secrets.append(credentials)
            // The user name is not a secret, and may be a common word in events.
            let password = credentials.reveal().split(separator: ":", maxSplits: 1).dropFirst().first
            if let password { secrets.append(Secret(String(password))) }
        }
        for header in headers {
            let secret = try header.secret?.resolve("\(header.name) header")
            if let secret { secrets.append(secret) }
            let value = Secret(header.text + (secret?.reveal() ?? ""))
            guard Access.isHeaderValueSendable(value) else {
                throw TokenError(
                    message: "the \(header.name) header contains characters that are not allowed in a header")
            }
            access.headers.append(Access.Header(name: header.name, value: value))
        }
        return (access, Self.hidden(secrets))
    }

    /// Returns the secrets that are long enough to hide.
    static func hidden(_ secrets: [Secret]) -> [Secret] {
        secrets.filter { $0.reveal().utf8.count >= shortestHidden }
    }
}
