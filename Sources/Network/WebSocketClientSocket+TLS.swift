import CLibWebSockets
import Wire

// Verification of the server. Called from callbacks.
extension WebSocketClientSocket {
    /// Verifies the certificate chain, one certificate per call. OpenSSL's error, if any, is in `verification`. A
    /// result other than 0 refuses the server.
    func verify(_ call: SocketCall) -> Int32 {
        guard let verification = call.user.map(OpaquePointer.init) else { return 1 }
        if call.count != 0 { return checkPins(verification) }
        let code = X509_STORE_CTX_get_error(verification)
        if code == X509_V_ERR_HOSTNAME_MISMATCH, request.url.host.contains(":"),
            let certificate = X509_STORE_CTX_get_current_cert(verification),
            X509_check_ip_asc(certificate, request.url.host, 0) == 1
        {
            // libwebsockets cuts the host at its first colon, and so verifies "[" for an IPv6 address.
            X509_STORE_CTX_set_error(verification, X509_V_OK)
            return 0
        }
        certificateProblem = certificateProblem ?? String(cString: X509_verify_cert_error_string(Int(code)))
        return 0
    }

    /// Checks a certificate that OpenSSL accepted. The server's own comes last, and its key must be a pinned one.
    private func checkPins(_ verification: OpaquePointer) -> Int32 {
        let pins = request.access.pins
        guard !pins.isEmpty, X509_STORE_CTX_get_error_depth(verification) == 0 else { return 0 }
        let key = X509_STORE_CTX_get_current_cert(verification).flatMap(PublicKeyPin.init(of:))
        isPinKept = key.map(pins.contains) ?? false
        if isPinKept { return 0 }
        certificateProblem = pins.refusal(of: key)
        X509_STORE_CTX_set_error(verification, X509_V_ERR_APPLICATION_VERIFICATION)
        return 1
    }

    /// Whether the request may be sent. With pins, a connection that `verify` did not check is refused.
    var mayBeSent: Bool {
        guard !request.access.pins.isEmpty, !isPinKept else { return true }
        certificateProblem = certificateProblem ?? "the server's public key was not checked"
        phase = .tls
        return false
    }

    /// Returns a message that describes why TLS failed.
    func tlsReason(_ call: SocketCall) -> String {
        if let certificateProblem { return "TLS: \(certificateProblem)" }
        guard let problem = tlsProblem(call) else { return "TLS: the server ended the connection in the handshake" }
        return problem.isAlert
            ? tlsRefusal(problem.text, certificate: request.access.certificate)
            : notTLS(problem.text) ?? "TLS: \(problem.text)"
    }

    /// Returns the problem that OpenSSL reported for this connection, and clears it.
    private func tlsProblem(_ call: SocketCall) -> TLSProblem? {
        guard let problem = loop.core.tlsProblem, problem.connection == lws_get_ssl(call.wsi) else { return nil }
        loop.core.tlsProblem = nil
        return problem
    }

    /// Notes an alert that arrives after the handshake. In TLS 1.3 a server refuses our certificate only then.
    func noteLateAlert(_ call: SocketCall) {
        guard phase == .handshake, let problem = loop.core.tlsProblem, problem.isAlert,
            problem.connection == lws_get_ssl(call.wsi)
        else { return }
        phase = .tls
    }
}
