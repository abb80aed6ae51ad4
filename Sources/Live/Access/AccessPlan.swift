import Glibc
public import Network
import Wire

/// How a tail reaches its server, with references where secrets go; resolved anew for every attempt to connect.
public struct AccessPlan: Sendable {
    /// Through what.
    public enum Route: Hashable, Sendable {
        /// Nothing; the environment is not looked at.
        case direct
        /// The proxy the environment names for the server, if it does: see `ProxyEnvironment`.
        case environment
        /// This proxy, whatever the server and the environment.
        case proxy(Proxy)
    }

    /// A header of the user's own.
    public struct Header: Sendable {
        /// Its name.
        public var name: String
        /// What stands before the secret, or the whole value.
        public var text: String
        /// Where the rest of the value is.
        public var secret: TokenReference?
        /// A header.
        public init(name: String, text: String, secret: TokenReference? = nil) {
            self.name = name
            self.text = text
            self.secret = secret
        }
    }

    /// Which certificate authorities are believed.
    public var trust = TLSTrust.system
    /// What is shown a server that asks for a certificate; the passphrase of its key comes from `passphrase`.
    public var certificate: ClientCertificate?
    /// Where the passphrase of the certificate's key is.
    public var passphrase: TokenReference?
    /// The public keys the server may have.
    public var pins: [PublicKeyPin] = []
    /// Through what the server is reached.
    public var route = Route.direct
    /// Where the proxy's `USER:PASSWORD` is; those the environment names when there is none.
    public var proxyCredentials: TokenReference?
    /// Headers sent with every request to the server.
    public var headers: [Header] = []

    /// Direct access that believes the machine's authorities.
    public init() {}

    /// The proxy a server is reached through, without credentials of a reference; nil for none.
    public func proxy(for server: URLParts) throws(TokenError) -> Proxy? {
        switch route {
        case .direct: return nil
        case .proxy(let proxy): return proxy
        case .environment:
            do throws(URLError) {
                return try ProxyEnvironment { name in getenv(name).map { String(cString: $0) } }.proxy(for: server)
            } catch {
                throw TokenError(message: error.message)
            }
        }
    }

    /// Reads the files, so that one that cannot be used is told before anything is connected to. A key that is encrypted waits for
    /// its passphrase.
    func check() throws(NetworkError) {
        try Access(trust: trust, certificate: passphrase == nil ? certificate : nil).check()
    }

    /// Whether resolving may block, or fail.
    var needsResolving: Bool { !references.isEmpty || !headers.isEmpty || route == .environment }

    /// Every reference, with what it is for.
    public var references: [(purpose: String, reference: TokenReference)] {
        var all: [(purpose: String, reference: TokenReference)] = []
        if let passphrase { all.append(("passphrase", passphrase)) }
        if let proxyCredentials { all.append(("proxy credentials", proxyCredentials)) }
        for header in headers {
            if let secret = header.secret { all.append(("\(header.name) header", secret)) }
        }
        return all
    }

    /// A secret shorter than this is not hidden from a recording: it would be found in what has nothing to do with it. Nobody but its
    /// addressee is sent it anyway; hiding is for servers that repeat what they are told.
    private static let shortestHidden = 6

    /// The access, with new cookies, and the secrets in it that are to be hidden. Blocks when there are references: call it on a helper thread.
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
            // The user's name is not one, and may be a word that events are full of.
            let password = credentials.reveal().split(separator: ":", maxSplits: 1).dropFirst().first
            if let password { secrets.append(Secret(String(password))) }
        }
        for header in headers {
            let secret = try header.secret?.resolve("\(header.name) header")
            if let secret { secrets.append(secret) }
            let value = Secret(header.text + (secret?.reveal() ?? ""))
            guard Access.isHeaderValueSendable(value) else {
                throw TokenError(message: "the \(header.name) header has characters a header may not have")
            }
            access.headers.append(Access.Header(name: header.name, value: value))
        }
        return (access, Self.hidden(secrets))
    }

    /// Those that are to be hidden.
    static func hidden(_ secrets: [Secret]) -> [Secret] {
        secrets.filter { $0.reveal().utf8.count >= shortestHidden }
    }
}
