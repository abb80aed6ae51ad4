import CLibWebSockets
import Wire

/// Why a TLS connection fails.
struct TLSProblem {
    /// OpenSSL's handle of the connection, to tell it from others.
    var connection: OpaquePointer?
    /// OpenSSL's words, or those of the alert.
    var text: String
    /// Whether the server said so.
    var isAlert: Bool
}

/// Called by OpenSSL in handshakes: notes why one fails, since libwebsockets forgets that before it tells of the failure.
///
/// Before a handshake's first message it takes back a server name that may not be sent.
///
/// An alert is noted whenever it comes: in TLS 1.3 a server refuses our certificate after the handshake, as we see it.
func noteTLSProblem(_ connection: OpaquePointer?, _ place: Int32, _ result: Int32) {
    if place == SSL_CB_HANDSHAKE_START { return dropAddressAsServerName(connection) }
    guard let owner = SSL_CTX_get_ex_data(SSL_get_SSL_CTX(connection), 0) else { return }
    let core = Unmanaged<EventLoop>.fromOpaque(owner).takeUnretainedValue().core
    if place == SSL_CB_READ_ALERT {
        // The level, then the description; level 2 ends the connection (RFC 8446, 6).
        guard result >> 8 == 2 else { return }
        core.tlsProblem = TLSProblem(connection: connection, text: alertText(result), isAlert: true)
    } else if place == SSL_CB_CONNECT_EXIT, result <= 0 {
        // What OpenSSL makes of an alert says no more than the alert.
        if let known = core.tlsProblem, known.isAlert, known.connection == connection { return }
        guard let text = ERR_reason_error_string(ERR_peek_error()) else { return }
        core.tlsProblem = TLSProblem(connection: connection, text: String(cString: text), isAlert: false)
    }
}

/// A server name is a DNS name, never an address (RFC 6066, 3). libwebsockets sends an IPv4 address, and "[" for an IPv6 address,
/// since it cuts the host at its first colon. The check of the certificate keeps its own copy of the host.
private func dropAddressAsServerName(_ connection: OpaquePointer?) {
    guard let name = weir_tls_server_name(connection).map({ String(cString: $0) }) else { return }
    if name.hasPrefix("[") || NumericAddress(name) != nil { weir_tls_send_no_server_name(connection) }
}

/// OpenSSL 3.0 has no words for an alert newer than TLS 1.2.
private func alertText(_ alert: Int32) -> String {
    alert & 0xff == 116 ? "certificate required" : String(cString: SSL_alert_desc_string_long(alert)).lowercased()
}

/// What OpenSSL's words for an answer that is no TLS mean for the user; nil for other words.
func notTLS(_ words: String) -> String? {
    guard ["wrong version number", "packet length too long", "http request"].contains(where: words.contains) else {
        return nil
    }
    return
        "TLS: the server speaks none at this port (\(words.split(separator: ":").last ?? "")); write http:// instead of https://"
}

/// What a TLS alert means for the user; `reason` holds the alert's name in lower case.
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
