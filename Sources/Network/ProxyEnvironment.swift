import Wire

/// The proxy the environment names for a server, by the conventions most tools share.
///
/// For `https` and `wss` `https_proxy`, else for `http` and `ws` `http_proxy`; then `all_proxy`; each in lower case first, then in
/// upper case, empty ones passed over. `HTTP_PROXY` is not read where `REQUEST_METHOD` is set: there a peer may have set it (CGI).
/// Servers in `no_proxy` are reached directly, and so are `localhost` and the loopback addresses.
public struct ProxyEnvironment: Sendable {
    private let variable: @Sendable (String) -> String?

    /// An environment whose variables `variable` gives.
    public init(_ variable: @escaping @Sendable (String) -> String?) {
        self.variable = variable
    }

    /// The proxy for a server; nil to reach it directly. The credentials of a URL are taken over.
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

    /// The text may hold a password: no error repeats it.
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

    /// Whether `no_proxy` names the server: `*`; a domain, which stands for itself and what is in it; an address; a range of
    /// addresses such as `10.0.0.0/8`; each but the range also with a port.
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

    /// Host and port of an entry; an IPv6 address with a port stands in brackets.
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
