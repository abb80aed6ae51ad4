import CLibWebSockets
import Glibc
import Wire

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
