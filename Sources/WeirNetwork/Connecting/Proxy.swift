import CWeirCurl
import Glibc
import WeirThreads
public import WeirWire

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
    public init(parsing text: String) throws(URLProblem) {
        let url = try URLParts(parsing: text)
        guard url.scheme == "http" else {
            throw URLProblem(message: "\"\(text)\" is not a proxy that can be used: expected http://HOST:PORT")
        }
        guard url.target == "/" else {
            throw URLProblem(message: "\"\(text)\" is not a proxy that can be used: it has a path")
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

/// The proxy that the environment configures for a server, by the conventions that most tools share.
///
/// `https` and `wss` use `https_proxy`, `http` and `ws` use `http_proxy`; both fall back to `all_proxy`. Each variable
/// is read in lower case first, then in upper case, and ignored when empty. `HTTP_PROXY` is ignored if `REQUEST_METHOD`
/// is set, because a peer may then have set it (CGI). Servers in `no_proxy` are reached directly, and so are
/// `localhost` and the loopback addresses.
package struct ProxyEnvironment: Sendable {
    private let variable: @Sendable (String) -> String?

    /// Creates an environment in which `variable` returns the value of a variable.
    package init(_ variable: @escaping @Sendable (String) -> String?) {
        self.variable = variable
    }

    /// Returns the proxy for a server, with the credentials in its URL; `nil` to reach the server directly.
    package func proxy(for url: URLParts) throws(URLProblem) -> Proxy? {
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
    private func parse(_ text: String, _ name: String) throws(URLProblem) -> Proxy {
        var (scheme, rest) = ("http://", text[...])
        if let range = text.firstRange(of: "://") {
            scheme = text[..<range.upperBound].lowercased()
            rest = text[range.upperBound...]
        }
        while rest.hasSuffix("/") { rest = rest.dropLast() }
        let at = rest.lastIndex(of: "@")
        do throws(URLProblem) {
            var proxy = try Proxy(parsing: scheme + (at.map { rest[rest.index(after: $0)...] } ?? rest))
            if let at { proxy.credentials = Secret(rest[..<at].percentDecoded(plusIsSpace: false)) }
            return proxy
        } catch {
            throw URLProblem(
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

/// A socket connected to a server through a proxy. It is closed when the object is released.
final class ProxyTunnel: Sendable {
    let descriptor: Int32

    fileprivate init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }
}

/// Opens a tunnel to a server on a helper thread, with libcurl as in the HTTP client, and calls `completion` on that
/// thread.
///
/// libwebsockets has its own proxy client, but that client expects the proxy's response in one piece, reports neither
/// status nor text of a refusal, and truncates credentials at 128 bytes.
func openTunnel(
    to url: URLParts, through proxy: Proxy, timeout: Duration,
    completion: @escaping @Sendable (Result<ProxyTunnel, ConnectFailure>) -> Void
) {
    let started = startThread(named: "weir-tunnel") {
        completion(TunnelAttempt(url: url, proxy: proxy, timeout: timeout).run())
    }
    if !started {
        completion(.failure(ConnectFailure(phase: .proxy, message: "the system refuses a new thread")))
    }
}

/// One attempt to open a tunnel. Blocks.
private struct TunnelAttempt {
    let url: URLParts
    let proxy: Proxy
    let timeout: Duration

    func run() -> Result<ProxyTunnel, ConnectFailure> {
        guard CurlMulti.isPrepared, let easy = curl_easy_init() else { return failure("libcurl cannot be started") }
        // The tunnel survives the cleanup: our copy of the descriptor keeps the connection open.
        defer { curl_easy_cleanup(easy) }
        // libcurl only opens the tunnel. It must not speak TLS or HTTP through it.
        let target = URLParts(scheme: "http", host: url.host, port: url.port)
        weir_curl_set_text(easy, CURLOPT_URL, target.description)
        weir_curl_set_long(easy, CURLOPT_CONNECT_ONLY, 1)
        weir_curl_set_long(easy, CURLOPT_NOSIGNAL, 1)
        weir_curl_set_long(easy, CURLOPT_TIMEOUT_MS, Int(max(1, timeout.microseconds / 1000)))
        weir_curl_set_sink(easy, CURLOPT_WRITEFUNCTION) { _, size, count, _ in size * count }
        setProxy(easy, proxy)
        let code = curl_easy_perform(easy)
        guard code == CURLE_OK else { return .failure(explain(code, easy)) }
        var descriptor: curl_socket_t = -1
        guard weir_curl_get_socket(easy, CURLINFO_ACTIVESOCKET, &descriptor) == CURLE_OK, descriptor >= 0 else {
            return failure("the proxy \(proxy.authority) closed the tunnel")
        }
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        return copy >= 0 ? .success(ProxyTunnel(descriptor: copy)) : failure(systemMessage(errno))
    }

    private func explain(_ code: CURLcode, _ easy: UnsafeMutableRawPointer) -> ConnectFailure {
        let problem = proxyProblem(code, easy, proxy, place: url.authority)
        let words = problem?.message ?? "the proxy \(proxy.authority): \(String(cString: curl_easy_strerror(code)))"
        return ConnectFailure(
            phase: .proxy, httpStatus: problem?.status, message: "\(url.authority): \(words)",
            retry: problem?.retry ?? .later)
    }

    private func failure(_ message: String) -> Result<ProxyTunnel, ConnectFailure> {
        .failure(ConnectFailure(phase: .proxy, message: "\(url.authority): \(message)"))
    }
}

/// Configures libcurl to tunnel through a proxy, or to use none, whatever the environment contains.
func setProxy(_ easy: UnsafeMutableRawPointer, _ proxy: Proxy?) {
    guard let proxy else {
        weir_curl_set_text(easy, CURLOPT_PROXY, "")
        weir_curl_set_text(easy, CURLOPT_NOPROXY, "*")
        return
    }
    weir_curl_set_text(easy, CURLOPT_PROXY, "http://\(proxy.authority)")
    weir_curl_set_text(easy, CURLOPT_NOPROXY, "")
    weir_curl_set_long(easy, CURLOPT_HTTPPROXYTUNNEL, 1)
    // libcurl does not keep suppressed headers, and a refusal may contain Retry-After.
    weir_curl_set_long(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 0)
    weir_curl_set_long(easy, CURLOPT_PROXYAUTH, Int(weir_curl_auth_basic()))
    if let login = proxy.login {
        // libcurl treats both as percent-encoded, which its manual does not mention.
        let escaped = { (text: String) in
            text.split(separator: "%", omittingEmptySubsequences: false).joined(separator: "%25")
        }
        weir_curl_set_text(easy, CURLOPT_PROXYUSERNAME, escaped(login.user))
        weir_curl_set_text(easy, CURLOPT_PROXYPASSWORD, escaped(login.password))
    }
}

/// The reason why a proxy opened no tunnel.
struct ProxyProblem {
    var message: String
    /// The status of the proxy's response; `nil` if the proxy did not answer.
    var status: Int?
    /// When to try the proxy again.
    var retry = Reconnection.later
}

/// Returns the proxy's part in a failed exchange, or `nil` when the proxy did not cause the failure.
func proxyProblem(
    _ code: CURLcode, _ easy: UnsafeMutableRawPointer?, _ proxy: Proxy, place: String
) -> ProxyProblem? {
    let name = "the proxy \(proxy.authority)"
    var status = 0
    weir_curl_get_long(easy, CURLINFO_HTTP_CONNECTCODE, &status)
    if status >= 300 {
        let retry = Proxy.retry(afterStatus: status, asking: secondsAsked(easy))
        return ProxyProblem(
            message: proxy.refusal(status: status, of: place) + retry.words, status: status, retry: retry)
    }
    // The tunnel was opened, so the proxy did its part.
    guard status == 0 else { return nil }
    switch code {
    case CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_RESOLVE_HOST:
        return ProxyProblem(message: "\(name): its address is not known")
    case CURLE_COULDNT_CONNECT:
        var number = 0
        weir_curl_get_long(easy, CURLINFO_OS_ERRNO, &number)
        let words = number == 0 ? "cannot connect" : systemMessage(Int32(truncatingIfNeeded: number))
        return ProxyProblem(message: "\(name): \(words)")
    case CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING, CURLE_PROXY, CURLE_UNSUPPORTED_PROTOCOL,
        CURLE_WEIRD_SERVER_REPLY:
        return ProxyProblem(message: "\(name) ended the connection, or its answer is not HTTP")
    case CURLE_OPERATION_TIMEDOUT: return ProxyProblem(message: "no answer in time from \(name)")
    default: return nil
    }
}

/// Returns the seconds in the Retry-After header of the proxy's response.
private func secondsAsked(_ easy: UnsafeMutableRawPointer?) -> Int? {
    var header: UnsafeMutablePointer<curl_header>?
    guard curl_easy_header(easy, "Retry-After", 0, UInt32(CURLH_CONNECT), -1, &header) == CURLHE_OK,
        let value = header?.pointee.value
    else { return nil }
    return retryAfter(String(cString: value))
}
