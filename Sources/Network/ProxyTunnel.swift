import CCurl
import Glibc
import Wire

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
