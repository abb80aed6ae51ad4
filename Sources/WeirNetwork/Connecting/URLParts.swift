import WeirJSON

/// The parts of an absolute URL, parsed strictly (RFC 3986). User information is refused.
public struct URLParts: Hashable, Sendable, CustomStringConvertible {
    /// The scheme in lower case: `http`, `https`, `ws` or `wss`.
    public var scheme: String
    /// The host: a name, an IPv4 address, or an IPv6 address without brackets.
    public var host: String
    /// The port. It is the scheme's default when the URL contains none.
    public var port: UInt16
    /// The path, percent-encoded; at least `/`.
    public var path: String
    /// The query without its `?`, percent-encoded; empty when there is none.
    public var query: String

    /// Creates a URL from its parts without checking them.
    public init(scheme: String, host: String, port: UInt16, path: String = "/", query: String = "") {
        self.scheme = scheme
        self.host = host
        self.port = port
        self.path = path
        self.query = query
    }

    /// Parses a URL. Throws an error that describes what is wrong and where.
    public init(parsing text: String) throws(URLProblem) {
        self = try URLParser(text).parse()
    }

    /// Whether the scheme uses TLS (`https` or `wss`).
    public var isSecure: Bool { scheme == "https" || scheme == "wss" }

    /// The host and port as in a Host header: an IPv6 address is in brackets, and the scheme's default port is omitted.
    public var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == URLParser.defaultPort(of: scheme) ? name : "\(name):\(port)"
    }

    /// Whether the parts can be sent: they have a host, and no character that would end the host or the target. Parsed
    /// parts always can.
    var canBeSent: Bool {
        let isVisible = { (byte: UInt8) in (0x21...0x7e).contains(byte) }
        return !host.isEmpty && host.utf8.allSatisfy { isVisible($0) && !"/?#@[]".utf8.contains($0) }
            && path.hasPrefix("/") && target.utf8.allSatisfy { isVisible($0) && $0 != UInt8(ascii: "#") }
    }

    /// The path and query as in a request line.
    public var target: String {
        query.isEmpty ? path : "\(path)?\(query)"
    }

    /// The whole URL as text.
    public var description: String { "\(scheme)://\(authority)\(target)" }
}

/// The reason why a text is not a usable URL.
public struct URLProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The problem and the expected form, as one line for people.
    public var message: String
    /// The same text as `message`.
    public var description: String { message }
}

/// A parser for the grammar of RFC 3986, section 3, that requires a host.
struct URLParser {
    private let text: String
    private let bytes: [UInt8]

    init(_ text: String) {
        self.text = text
        bytes = Array(text.utf8)
    }

    static func defaultPort(of scheme: String) -> UInt16? {
        switch scheme {
        case "http", "ws": 80
        case "https", "wss": 443
        default: nil
        }
    }

    func parse() throws(URLProblem) -> URLParts {
        if let index = bytes.firstIndex(where: { !isURLCharacter($0) }) {
            throw error("the character at position \(index + 1) must be percent-encoded")
        }
        try checkPercents()
        let (scheme, afterScheme) = try parseScheme()
        let rest = bytes[afterScheme...]
        let authorityEnd = rest.firstIndex { "/?#".utf8.contains($0) } ?? rest.endIndex
        let (host, port) = try parseAuthority(rest[..<authorityEnd])
        guard let port = port ?? Self.defaultPort(of: scheme) else {
            throw error("the scheme \(scheme) has no default port")
        }
        // The fragment is for the client and is never sent to the server.
        let target = rest[authorityEnd...].prefix { $0 != UInt8(ascii: "#") }
        let path = target.prefix { $0 != UInt8(ascii: "?") }
        return URLParts(
            scheme: scheme, host: host, port: port, path: path.isEmpty ? "/" : string(path),
            query: string(target[path.endIndex...].dropFirst()))
    }

    private func parseScheme() throws(URLProblem) -> (String, Int) {
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8) else {
            throw error("it has no scheme; expected ws://, wss://, http:// or https:// in front")
        }
        let scheme = string(bytes[..<colon]).lowercased()
        guard Self.defaultPort(of: scheme) != nil else {
            throw error("the scheme \"\(scheme)\" is not one of ws, wss, http, https")
        }
        return (scheme, colon + 3)
    }

    private func parseAuthority(_ authority: ArraySlice<UInt8>) throws(URLProblem) -> (String, UInt16?) {
        guard !authority.contains(UInt8(ascii: "@")) else {
            // The text may contain a password, so the error does not repeat it.
            throw URLProblem(
                message: "a URL with user information (user:password@) is refused; give the token separately")
        }
        var host = authority
        var port: ArraySlice<UInt8>?
        if authority.first == UInt8(ascii: "[") {
            guard let end = authority.firstIndex(of: UInt8(ascii: "]")) else {
                throw error("the IPv6 address has no closing bracket")
            }
            host = authority[(authority.startIndex + 1)..<end]
            guard isIPv6(string(host)) else { throw error("\"\(string(host))\" is not an IPv6 address") }
            let rest = authority[(end + 1)...]
            guard rest.isEmpty || rest.first == UInt8(ascii: ":") else {
                throw error("after the IPv6 address comes a port or the path")
            }
            port = rest.isEmpty ? nil : rest.dropFirst()
        } else {
            if let colon = authority.firstIndex(of: UInt8(ascii: ":")) {
                host = authority[..<colon]
                port = authority[(colon + 1)...]
            }
            try checkName(host)
        }
        return (string(host).lowercased(), try port.map(parsePort) ?? nil)
    }

    private func checkName(_ host: ArraySlice<UInt8>) throws(URLProblem) {
        guard !host.isEmpty else { throw error("it has no host") }
        for byte in host {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
                continue
            default: throw error("\"\(string(host))\" is not a host name")
            }
        }
    }

    /// Parses a port. An empty port means the default (RFC 3986, 3.2.3).
    private func parsePort(_ digits: ArraySlice<UInt8>) throws(URLProblem) -> UInt16? {
        if digits.isEmpty { return nil }
        guard digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let port = UInt16(string(digits)), port > 0
        else { throw error("\"\(string(digits))\" is not a port (1 to 65535)") }
        return port
    }

    private func checkPercents() throws(URLProblem) {
        for index in bytes.indices where bytes[index] == UInt8(ascii: "%") {
            let digits = bytes[(index + 1)...].prefix(2)
            guard digits.count == 2, digits.allSatisfy({ $0.hexValue != nil }) else {
                throw error("the percent sign at position \(index + 1) is not followed by two hexadecimal digits")
            }
        }
    }

    private func isURLCharacter(_ byte: UInt8) -> Bool {
        // Visible ASCII except the characters that RFC 3986 never allows.
        (0x21...0x7e).contains(byte) && !"\"<>\\^`{|}".utf8.contains(byte)
    }

    private func string(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

    private func error(_ problem: String) -> URLProblem {
        URLProblem(message: "\"\(text)\" is not a URL that can be used: \(problem)")
    }
}

/// Returns whether a text is an IPv6 address without a zone (RFC 4291, 2.2).
func isIPv6(_ text: String) -> Bool {
    let halves = text.split(separator: "::", omittingEmptySubsequences: false)
    guard halves.count <= 2 else { return false }
    var groups = 0
    for (position, half) in halves.enumerated() where !half.isEmpty {
        let pieces = half.split(separator: ":", omittingEmptySubsequences: false)
        for (index, piece) in pieces.enumerated() {
            if piece.contains(".") {
                guard position == halves.count - 1, index == pieces.count - 1, isIPv4(piece) else { return false }
                groups += 2
            } else {
                guard (1...4).contains(piece.utf8.count), piece.utf8.allSatisfy({ $0.hexValue != nil }) else {
                    return false
                }
                groups += 1
            }
        }
    }
    return halves.count == 2 ? groups <= 7 : groups == 8
}

private func isIPv4(_ text: Substring) -> Bool {
    let numbers = text.split(separator: ".", omittingEmptySubsequences: false)
    return numbers.count == 4 && numbers.allSatisfy { (1...3).contains($0.utf8.count) && UInt8($0) != nil }
}
