import CLibWebSockets
import Wire

/// A virtual host whose client sockets trust certain authorities.
struct TLSClientHost {
    let host: OpaquePointer
    /// Freed with the libwebsockets context, after its sockets.
    let tls: OpaquePointer
}

extension EventLoop {
    /// The virtual host for client sockets with this trust, made when first needed. The file of a trust is read once per loop.
    ///
    /// The OpenSSL context is our own: libwebsockets would also trust the folder `../share`, whatever that is.
    func clientHost(for trust: TLSTrust) throws(NetworkError) -> OpaquePointer {
        if let known = core.clientHosts[trust] { return known.host }
        let tls = try makeTLSClientContext(trust)
        // The loop outlives the context. Index 0 is the one OpenSSL keeps for applications.
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
        core.clientHosts[trust] = TLSClientHost(host: made, tls: tls)
        return made
    }
}

/// Called by OpenSSL in handshakes: notes why one fails, since libwebsockets forgets that before it tells of the failure.
private func noteTLSProblem(_ connection: OpaquePointer?, _ place: Int32, _ result: Int32) {
    guard place == SSL_CB_CONNECT_EXIT, result <= 0, let owner = SSL_CTX_get_ex_data(SSL_get_SSL_CTX(connection), 0),
        let text = ERR_reason_error_string(ERR_peek_error())
    else { return }
    Unmanaged<EventLoop>.fromOpaque(owner).takeUnretainedValue().core.tlsProblem = String(cString: text)
}

/// An OpenSSL context for clients that trust `trust` and nothing else.
func makeTLSClientContext(_ trust: TLSTrust) throws(NetworkError) -> OpaquePointer {
    ERR_clear_error()
    guard let tls = SSL_CTX_new(TLS_client_method()) else {
        throw .cannotStart("OpenSSL: \(opensslReason() ?? "unknown reason")")
    }
    weir_tls_prepare(tls)
    switch trust {
    case .system:
        SSL_CTX_set_default_verify_paths(tls)
    case .file(let path):
        guard SSL_CTX_load_verify_file(tls, path) == 1 else {
            let reason = opensslReason() ?? "unknown reason"
            SSL_CTX_free(tls)
            throw .badTLSFile(path: path, message: reason)
        }
    }
    return tls
}

/// Checks that a server can use a certificate chain and key.
func check(_ identity: TLSIdentity) throws(NetworkError) {
    ERR_clear_error()
    guard let tls = SSL_CTX_new(TLS_server_method()) else {
        throw .cannotStart("OpenSSL: \(opensslReason() ?? "unknown reason")")
    }
    defer { SSL_CTX_free(tls) }
    guard SSL_CTX_use_certificate_chain_file(tls, identity.certificate) == 1 else {
        throw .badTLSFile(path: identity.certificate, message: opensslReason() ?? "unknown reason")
    }
    guard weir_tls_use_key(tls, identity.key) == 1, SSL_CTX_check_private_key(tls) == 1 else {
        throw .badTLSFile(path: identity.key, message: opensslReason() ?? "unknown reason")
    }
}

/// OpenSSL's words for the first error it noted on this thread since the last time it was asked; clears them.
func opensslReason() -> String? {
    let code = ERR_peek_error()
    defer { ERR_clear_error() }
    // Bit 31 marks an error number of the system.
    if code >> 31 & 1 == 1 { return systemMessage(Int32(truncatingIfNeeded: code & 0x7fff_ffff)) }
    return ERR_reason_error_string(code).map { String(cString: $0) }
}
