public import Wire

/// An HTTP proxy that opens tunnels (CONNECT; RFC 9110, 9.3.6). Everything uses a tunnel, including requests without
/// TLS. The proxy sees the server's name and port, but none of our headers.
public struct Proxy: Hashable, Sendable {
    /// The proxy's host name or address.
    public var host: String
    /// The TCP port of the proxy.
    public var port: UInt16
    /// The credentials as `user:password`, for a proxy that requires them (Basic; RFC 7617).
    public var credentials: Secret?

    /// Creates a proxy from its host and port.
    public init(host: String, port: UInt16, credentials: Secret? = nil) {
        self.host = host
        self.port = port
        self.credentials = credentials
    }

    /// Parses `http://HOST:PORT`. The port defaults to 80, as in any URL. User information is refused.
    public init(parsing text: String) throws(URLError) {
        let url = try URLParts(parsing: text)
        guard url.scheme == "http" else {
            throw URLError(message: "\"\(text)\" is not a proxy that can be used: expected http://HOST:PORT")
        }
        guard url.target == "/" else {
            throw URLError(message: "\"\(text)\" is not a proxy that can be used: it has a path")
        }
        self.init(host: url.host, port: url.port)
    }

    /// The host and port, for messages and for libcurl.
    public var authority: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }

    /// The user name, and the password after the first colon; `nil` without credentials.
    var login: (user: String, password: String)? {
        guard let text = credentials?.reveal() else { return nil }
        guard let colon = text.firstIndex(of: ":") else { return (text, "") }
        return (String(text[..<colon]), String(text[text.index(after: colon)...]))
    }

    /// Returns whether a retry can help, and after how many seconds at the earliest. A proxy that answered 407 (other
    /// credentials) or 403 will answer the same again.
    static func retry(afterStatus status: Int?, asking seconds: Int? = nil) -> Reconnection {
        status == 407 || status == 403 ? .never : Reconnection(afterSeconds: seconds)
    }

    /// Describes why the proxy refused the tunnel to `place`.
    func refusal(status: Int, of place: String) -> String {
        guard status == 407 else {
            return "the proxy \(authority) refuses the tunnel to \(place) with HTTP status \(status)"
        }
        return credentials == nil
            ? "the proxy \(authority) wants credentials, and none are given (HTTP status 407)"
            : "the proxy \(authority) refuses the credentials (HTTP status 407)"
    }
}
