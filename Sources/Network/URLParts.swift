/// The parts of an absolute URL, split without guessing (RFC 3986); user information is refused.
public struct URLParts: Hashable, Sendable, CustomStringConvertible {
    /// `http`, `https`, `ws` or `wss`, lower case.
    public var scheme: String
    /// The host: a name, an IPv4 address, or an IPv6 address without brackets.
    public var host: String
    /// The port, the scheme's default when none is written.
    public var port: UInt16
    /// The path, `/` at least.
    public var path: String
    /// The query without `?`; empty when there is none.
    public var query: String

    /// Parts as given.
    public init(scheme: String, host: String, port: UInt16, path: String = "/", query: String = "") {
        self.scheme = scheme
        self.host = host
        self.port = port
        self.path = path
        self.query = query
    }

    /// Splits a URL. Throws with what is wrong and where.
    public init(parsing text: String) throws(URLError) { fatalError("stub") }

    /// Whether the scheme is one over TLS.
    public var isSecure: Bool { scheme == "https" || scheme == "wss" }

    /// The URL again.
    public var description: String { fatalError("stub") }
}

/// Why a text is not a URL that can be used.
public struct URLError: Error, Hashable, Sendable {
    /// One line for people: what is wrong and what was expected.
    public var message: String
    /// An error.
    public init(message: String) { self.message = message }
}
