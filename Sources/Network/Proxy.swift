public import Wire

/// An HTTP proxy that opens tunnels (CONNECT; RFC 9110, 9.3.6). Everything goes through a tunnel, requests without TLS too: the
/// proxy sees the server's name and port, and none of our headers.
public struct Proxy: Hashable, Sendable {
    /// The proxy's name or address.
    public var host: String
    /// Its port.
    public var port: UInt16
    /// `user:password`, for a proxy that asks for them (Basic; RFC 7617).
    public var credentials: Secret?

    /// A proxy.
    public init(host: String, port: UInt16, credentials: Secret? = nil) {
        self.host = host
        self.port = port
        self.credentials = credentials
    }

    /// Reads `http://HOST:PORT`; the port is 80 without one, as in any URL. User information is refused.
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

    /// Host and port, for messages and for libcurl.
    public var authority: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }

    /// The user, and the password behind the first colon.
    var login: (user: String, password: String)? {
        guard let text = credentials?.reveal() else { return nil }
        guard let colon = text.firstIndex(of: ":") else { return (text, "") }
        return (String(text[..<colon]), String(text[text.index(after: colon)...]))
    }

    /// Whether asking again can help, and after how many seconds at the earliest: a proxy that wants other credentials, or forbids, will say
    /// the same.
    static func retry(afterStatus status: Int?, asking seconds: Int? = nil) -> Reconnection {
        status == 407 || status == 403 ? .never : Reconnection(afterSeconds: seconds)
    }

    /// What a refusal of the tunnel means.
    func refusal(status: Int, of place: String) -> String {
        guard status == 407 else {
            return "the proxy \(authority) refuses the tunnel to \(place) with HTTP status \(status)"
        }
        return credentials == nil
            ? "the proxy \(authority) wants credentials, and none are given (HTTP status 407)"
            : "the proxy \(authority) refuses the credentials (HTTP status 407)"
    }
}
