import CCurl
import Glibc
import Wire

extension CurlExchange {
    /// Configures how libcurl reaches the server: proxy, trust, client certificate and pinned keys.
    func setAccess(_ easy: UnsafeMutableRawPointer) {
        let access = request.access
        setProxy(easy, access.proxy)
        weir_curl_set_long(easy, CURLOPT_SSL_VERIFYPEER, 1)
        weir_curl_set_long(easy, CURLOPT_SSL_VERIFYHOST, 2)
        weir_curl_set_long(easy, CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        switch access.trust {
        case .system:
            // OpenSSL reads these variables itself for WebSockets; libcurl does not.
            for (variable, option) in [("SSL_CERT_FILE", CURLOPT_CAINFO), ("SSL_CERT_DIR", CURLOPT_CAPATH)] {
                if let path = getenv(variable), path.pointee != 0 { weir_curl_set_text(easy, option, path) }
            }
        case .file(let path):
            weir_curl_set_text(easy, CURLOPT_CAINFO, path)
            weir_curl_set_text(easy, CURLOPT_CAPATH, nil)
        }
        if let certificate = access.certificate {
            weir_curl_set_text(easy, CURLOPT_SSLCERT, certificate.certificate)
            weir_curl_set_text(easy, CURLOPT_SSLKEY, certificate.key)
            // Without a passphrase, OpenSSL would prompt at the terminal.
            weir_curl_set_text(easy, CURLOPT_KEYPASSWD, certificate.passphrase?.reveal() ?? "")
        }
        if !access.pins.isEmpty {
            let pins = access.pins.map(\.description).joined(separator: ";")
            weir_curl_set_text(easy, CURLOPT_PINNEDPUBLICKEY, pins)
        }
    }

    /// Returns the failure if `code` is about the proxy or TLS, otherwise `nil`. `words` is libcurl's error text.
    func accessRefusal(_ code: CURLcode, _ words: String) -> HTTPFailure? {
        if let proxy = request.access.proxy,
            let problem = proxyProblem(code, easy, proxy, place: request.url.authority)
        {
            var refusal = failure(.proxy, problem.message)
            (refusal.status, refusal.retry) = (problem.status, problem.retry)
            return refusal
        }
        // A response to us with a head that large ends earlier, by our own bound.
        if let proxy = request.access.proxy, words.hasPrefix("Too large response headers") {
            return failure(.proxy, "the proxy \(proxy.authority): \(words)")
        }
        switch code {
        case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
            return failure(.tls, "TLS: \(request.access.pins.refusal(of: nil))")
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CIPHER,
            CURLE_SSL_CERTPROBLEM, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS:
            return failure(.tls, alert(words) ?? words)
        case CURLE_RECV_ERROR, CURLE_SEND_ERROR:
            // In TLS 1.3 a server refuses our certificate after the handshake.
            return alert(words).map { failure(.tls, $0) }
        default: return nil
        }
    }

    /// Returns the meaning of a TLS alert in libcurl's error text, or `nil` when the text contains none.
    private func alert(_ words: String) -> String? {
        guard words.contains(" alert ") else { return nil }
        let reason = words.split(separator: ":").last.map(String.init) ?? words
        return tlsRefusal(reason, certificate: request.access.certificate)
    }
}
