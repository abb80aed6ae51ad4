import CWeirLibWebSockets
import Glibc
import WeirWire

/// Makes an OpenSSL context for clients. It trusts only the given authorities and presents the given certificate. The
/// caller frees it.
func makeTLSClientContext(_ settings: TLSClientSettings) throws(NetworkError) -> OpaquePointer {
    ERR_clear_error()
    guard let tls = SSL_CTX_new(TLS_client_method()) else {
        throw .cannotStart("OpenSSL: \(opensslReason() ?? "unknown reason")")
    }
    weir_tls_prepare(tls)
    do throws(NetworkError) {
        try load(settings.trust, into: tls)
        if let certificate = settings.certificate { try load(certificate, into: tls) }
    } catch {
        SSL_CTX_free(tls)
        throw error
    }
    return tls
}

private func load(_ trust: TLSTrust, into tls: OpaquePointer) throws(NetworkError) {
    switch trust {
    case .system:
        SSL_CTX_set_default_verify_paths(tls)
    case .file(let path):
        guard SSL_CTX_load_verify_file(tls, path) == 1 else { throw badFile(path) }
    }
}

private func load(_ certificate: ClientCertificate, into tls: OpaquePointer) throws(NetworkError) {
    // The callback is always ours, because OpenSSL's own would prompt at the terminal.
    SSL_CTX_set_default_passwd_cb(tls, givePassphrase)
    var question = PassphraseQuestion(passphrase: certificate.passphrase)
    let (chain, key): (Bool, Bool) = withUnsafeMutablePointer(to: &question) { question in
        // OpenSSL holds the pointer only during these calls.
        SSL_CTX_set_default_passwd_cb_userdata(tls, question)
        defer { SSL_CTX_set_default_passwd_cb_userdata(tls, nil) }
        guard SSL_CTX_use_certificate_chain_file(tls, certificate.certificate) == 1 else { return (false, false) }
        return (true, weir_tls_use_key(tls, certificate.key) == 1)
    }
    guard chain else { throw badFile(certificate.certificate) }
    guard key, SSL_CTX_check_private_key(tls) == 1 else { throw badKey(certificate, isEncrypted: question.wasAsked) }
}

/// The passphrase for OpenSSL's callback, and whether OpenSSL requested it.
private struct PassphraseQuestion {
    let passphrase: Secret?
    var wasAsked = false
}

/// Gives OpenSSL the passphrase of a PEM file. Returns its length; 0 makes the read fail.
private func givePassphrase(
    _ place: UnsafeMutablePointer<CChar>?, _ size: Int32, _ isForWriting: Int32, _ passphrase: UnsafeMutableRawPointer?
) -> Int32 {
    guard let place, let question = passphrase?.assumingMemoryBound(to: PassphraseQuestion.self) else { return 0 }
    question.pointee.wasAsked = true
    let text = (question.pointee.passphrase?.reveal() ?? "").utf8
    guard text.count <= Int(size) else { return 0 }
    for (index, byte) in text.enumerated() { place[index] = CChar(bitPattern: byte) }
    return Int32(text.count)
}

/// Returns the error for an unusable key. OpenSSL's own message describes its decoders, or the garbage that a wrong
/// passphrase decrypts to: one in 256 wrong passphrases appears to work.
private func badKey(_ certificate: ClientCertificate, isEncrypted: Bool) -> NetworkError {
    let reason = opensslReason() ?? "unknown reason"
    let message =
        switch reason {
        case "key values mismatch": "the key is not that of \(certificate.certificate)"
        case _ where isEncrypted:
            certificate.passphrase == nil
                ? "the key is encrypted, and no passphrase is set" : "wrong passphrase for the key"
        case "unsupported", "no start line": "the file contains no private key"
        default: reason
        }
    return .badTLSFile(path: certificate.key, message: message)
}

func badFile(_ path: String) -> NetworkError {
    .badTLSFile(path: path, message: opensslReason() ?? "unknown reason")
}

/// Returns OpenSSL's message for the first error on this thread since the last call, and clears its errors.
func opensslReason() -> String? {
    let code = ERR_peek_error()
    defer { ERR_clear_error() }
    // Bit 31 marks a system error number.
    if code >> 31 & 1 == 1 { return systemMessage(Int32(truncatingIfNeeded: code & 0x7fff_ffff)) }
    return ERR_reason_error_string(code).map { String(cString: $0) }
}

/// A virtual host for client sockets that share their TLS settings.
struct TLSClientHost {
    let host: OpaquePointer
    /// The OpenSSL context. It is freed with the libwebsockets context, after its sockets.
    let tls: OpaquePointer
}

extension EventLoop {
    /// Returns the virtual host for client sockets with these settings, made on first use. The files are read once per
    /// loop.
    ///
    /// The OpenSSL context is our own, because libwebsockets would also trust the folder `../share`, whatever it
    /// contains.
    func clientHost(for settings: TLSClientSettings) throws(NetworkError) -> OpaquePointer {
        if let known = core.clientHosts[settings] { return known.host }
        let tls = try makeTLSClientContext(settings)
        // The loop outlives the context. OpenSSL reserves index 0 for applications.
        SSL_CTX_set_ex_data(tls, 0, Unmanaged.passUnretained(self).toOpaque())
        SSL_CTX_set_info_callback(tls, noteTLSProblem)
        let made = makeHost(named: "client-\(core.clientHosts.count)") { info in
            info.port = CONTEXT_PORT_NO_LISTEN
            info.options = UInt64(LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT)
            info.provided_client_ssl_ctx = tls
        }
        guard let made else {
            SSL_CTX_free(tls)
            throw .cannotStart("libwebsockets cannot make a virtual host for TLS")
        }
        core.clientHosts[settings] = TLSClientHost(host: made, tls: tls)
        return made
    }
}

/// Checks that a server can use a certificate chain and its key.
func check(_ identity: TLSIdentity) throws(NetworkError) {
    ERR_clear_error()
    guard let tls = SSL_CTX_new(TLS_server_method()) else {
        throw .cannotStart("OpenSSL: \(opensslReason() ?? "unknown reason")")
    }
    defer { SSL_CTX_free(tls) }
    guard SSL_CTX_use_certificate_chain_file(tls, identity.certificate) == 1 else {
        throw badFile(identity.certificate)
    }
    guard weir_tls_use_key(tls, identity.key) == 1, SSL_CTX_check_private_key(tls) == 1 else {
        throw badFile(identity.key)
    }
}

/// The cause of a failed TLS connection.
struct TLSProblem {
    /// OpenSSL's handle of the connection, to distinguish it from other connections.
    var connection: OpaquePointer?
    /// OpenSSL's message, or the name of the alert.
    var text: String
    /// Whether the server sent the cause as an alert.
    var isAlert: Bool
}

/// Notes why a handshake fails, because libwebsockets loses the cause before it reports the failure. OpenSSL calls this
/// during handshakes.
///
/// Before the first message of a handshake, it removes a server name that must not be sent.
///
/// An alert is noted at any time: in TLS 1.3, from the client's view, a server refuses our certificate after the
/// handshake.
func noteTLSProblem(_ connection: OpaquePointer?, _ place: Int32, _ result: Int32) {
    if place == SSL_CB_HANDSHAKE_START { return dropAddressAsServerName(connection) }
    guard let owner = SSL_CTX_get_ex_data(SSL_get_SSL_CTX(connection), 0) else { return }
    let core = Unmanaged<EventLoop>.fromOpaque(owner).takeUnretainedValue().core
    if place == SSL_CB_READ_ALERT {
        // The level, then the description; level 2 ends the connection (RFC 8446, 6).
        guard result >> 8 == 2 else { return }
        core.tlsProblem = TLSProblem(connection: connection, text: alertText(result), isAlert: true)
    } else if place == SSL_CB_CONNECT_EXIT, result <= 0 {
        // OpenSSL's error for an alert adds nothing to the alert.
        if let known = core.tlsProblem, known.isAlert, known.connection == connection { return }
        guard let text = ERR_reason_error_string(ERR_peek_error()) else { return }
        core.tlsProblem = TLSProblem(connection: connection, text: String(cString: text), isAlert: false)
    }
}

/// Removes a server name that is an address. A server name is always a DNS name (RFC 6066, 3). libwebsockets sends an
/// IPv4 address, and "[" for an IPv6 address, since it cuts the host at its first colon. The certificate check keeps
/// its own copy of the host.
private func dropAddressAsServerName(_ connection: OpaquePointer?) {
    guard let name = weir_tls_server_name(connection).map({ String(cString: $0) }) else { return }
    if name.hasPrefix("[") || NumericAddress(name) != nil { weir_tls_send_no_server_name(connection) }
}

/// Returns the name of an alert. OpenSSL 3.0 has no names for alerts newer than TLS 1.2.
private func alertText(_ alert: Int32) -> String {
    alert & 0xff == 116 ? "certificate required" : String(cString: SSL_alert_desc_string_long(alert)).lowercased()
}

/// Explains OpenSSL's error for a response that is not TLS. Returns `nil` for other errors.
func notTLS(_ words: String) -> String? {
    guard ["wrong version number", "packet length too long", "http request"].contains(where: words.contains) else {
        return nil
    }
    return
        "TLS: the server does not use TLS on this port (\(words.split(separator: ":").last ?? "")); write http:// instead of https://"
}

/// Explains a TLS alert to the user. `reason` contains the alert's name in lower case.
func tlsRefusal(_ reason: String, certificate: ClientCertificate?) -> String {
    let aboutUs = [
        "certificate required", "certificate unknown", "bad certificate", "unknown ca", "certificate expired",
        "certificate revoked", "unsupported certificate", "access denied", "handshake failure",
    ]
    guard let words = aboutUs.first(where: { reason.contains($0) }) else {
        return "TLS: the server ended the connection (\(reason))"
    }
    if let certificate { return "TLS: the server refuses the client certificate \(certificate.certificate) (\(words))" }
    return words == "certificate required"
        ? "TLS: the server wants a client certificate, and none is given"
        : "TLS: the server ended the handshake (\(words)); it may want a client certificate"
}
