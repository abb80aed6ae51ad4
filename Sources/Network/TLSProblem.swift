import CLibWebSockets
import Wire

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
