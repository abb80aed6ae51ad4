import Wire

/// The proxy that the environment configures for a server, by the conventions that most tools share.
///
/// `https` and `wss` use `https_proxy`, `http` and `ws` use `http_proxy`; both fall back to `all_proxy`. Each variable
/// is read in lower case first, then in upper case, and ignored when empty. `HTTP_PROXY` is ignored if `REQUEST_METHOD`
/// is set, because a peer may then have set it (CGI). Servers in `no_proxy` are reached directly, and so are
/// `localhost` and the loopback addresses.
public struct ProxyEnvironment: Sendable {
    private let variable: @Sendable (String) -> String?

    /// Creates an environment in which `variable` returns the value of a variable.
    public init(_ variable: @escaping @Sendable (String) -> String?) {
        self.variable = variable
    }

    /// Returns the proxy for a server, with the credentials in its URL; `nil` to reach the server directly.
    public func proxy(for url: URLParts) throws(URLError) -> Proxy? {
        guard !isLoopback(url.host), !isExcepted(url) else { return nil }
        var names = url.isSecure ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy", "HTTP_PROXY"]
        if variable("REQUEST_METHOD") != nil { names.removeAll { $0 == "HTTP_PROXY" } }
        for name in names + ["all_proxy", "ALL_PROXY"] {
            guard let text = variable(name), !text.isEmpty else { continue }
            return try parse(text, name)
        }
        return nil
    }

    /// Parses a variable's value. The value may contain a password, so no error repeats it.
    private func parse(_ text: String, _ name: String) throws(URLError) -> Proxy {
        var (scheme, rest) = ("http://", text[...])
        if let range = text.firstRange(of: "://") {
            scheme = text[..<range.upperBound].lowercased()
            rest = text[range.upperBound...]
        }
        while rest.hasSuffix("/") { rest = rest.dropLast() }
        let at = rest.lastIndex(of: "@")
        do throws(URLError) {
            var proxy = try Proxy(parsing: scheme + (at.map { rest[rest.index(after: $0)...] } ?? rest))
            if let at { proxy.credentials = Secret(rest[..<at].percentDecoded(plusIsSpace: false)) }
            return proxy
        } catch {
            throw URLError(
                message: "the environment variable \(name) names no proxy that can be used: expected http://HOST:PORT")
        }
    }

    private func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host.hasSuffix(".localhost") { return true }
        guard let address = NumericAddress(host) else { return false }
        return address.isLoopback
    }

    /// Returns whether `no_proxy` contains the server. An entry is `*`, a domain (which includes its subdomains), an
    /// address, or a range of addresses such as `10.0.0.0/8`. Domains and addresses may have a port.
    private func isExcepted(_ url: URLParts) -> Bool {
        let list = ["no_proxy", "NO_PROXY"].lazy.compactMap { variable($0) }.first { !$0.isEmpty } ?? ""
        return list.split(whereSeparator: { $0 == "," || $0 == " " || $0 == "\t" }).contains { entry in
            entry == "*" || names(String(entry).lowercased(), url)
        }
    }

    private func names(_ entry: String, _ url: URLParts) -> Bool {
        if let slash = entry.firstIndex(of: "/") {
            guard let range = NumericAddress(String(entry[..<slash])), let address = NumericAddress(url.host),
                let bits = Int(entry[entry.index(after: slash)...])
            else { return false }
            return address.isIn(range, bits: bits)
        }
        let (host, port) = split(entry)
        guard port == nil || port == "\(url.port)" else { return false }
        if let address = NumericAddress(host) { return address == NumericAddress(url.host) }
        let domain = host.hasPrefix("*.") ? host.dropFirst(2) : host.drop { $0 == "." }
        return !domain.isEmpty && (url.host == domain || url.host.hasSuffix("." + domain))
    }

    /// Splits an entry into host and port. An IPv6 address with a port is in brackets.
    private func split(_ entry: String) -> (host: String, port: String?) {
        if entry.hasPrefix("["), let end = entry.firstIndex(of: "]") {
            let rest = entry[entry.index(after: end)...]
            return (
                String(entry[entry.index(after: entry.startIndex)..<end]), rest.isEmpty ? nil : String(rest.dropFirst())
            )
        }
        let parts = entry.split(separator: ":", omittingEmptySubsequences: false)
        return parts.count == 2 ? (String(parts[0]), String(parts[1])) : (entry, nil)
    }
}
