import CLibWebSockets
import Wire

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
