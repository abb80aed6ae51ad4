import CWeirLibWebSockets
import Glibc
import WeirThreads
import WeirWire

extension WebSocketClientSocket {
    /// The longest target and host, in bytes. libwebsockets writes the request line and the Host header into fixed
    /// buffers and truncates longer ones.
    private static let longestTarget = 2030
    private static let longestHost = 110

    /// Resolves the host and tries its addresses.
    func start() {
        guard case .resolving = state else { return }
        if let problem = requestProblem() {
            fail(ConnectFailure(phase: .handshake, message: problem))
            return
        }
        timers.append(
            loop.schedule(at: loop.now + request.timeout) { [weak self] in
                guard let self else { return }
                fail(
                    ConnectFailure(
                        phase: phase, message: "\(place): no answer within \(request.timeout.shortText)\(stage)"))
            })
        if let proxy = request.access.proxy { return tunnel(through: proxy) }
        let loop = self.loop
        resolve(request.url.host) { resolution in
            loop.run { [self] in resolved(resolution) }
        }
    }

    /// The server's name in messages.
    var place: String { request.url.authority }

    private var stage: String {
        switch phase {
        case .token, .resolve: " to the question for its address"
        case .connect: ", connecting"
        case .tls: " in the TLS handshake"
        case .proxy: " from the proxy"
        case .handshake: " to the upgrade request"
        }
    }

    private func requestProblem() -> String? {
        guard ["ws", "wss"].contains(request.url.scheme) else {
            return "the scheme \(request.url.scheme) is not ws or wss"
        }
        if let problem = request.access.problem(with: request.url) { return problem }
        guard request.url.canBeSent else { return "the URL has characters a URL may not have, or no host" }
        guard request.url.target.utf8.count <= Self.longestTarget else {
            return "\(place): the path and query are longer than \(Self.longestTarget) bytes"
        }
        guard place.utf8.count <= Self.longestHost else {
            return "the host name is longer than \(Self.longestHost) bytes"
        }
        var size = 0
        for (name, value) in headers {
            size += name.utf8.count + value.utf8.count + 4
            guard isHeaderName(name), isHeaderValue(value) else {
                return "the header \(name) has characters a header may not have"
            }
            guard !isOfHandshake(name) else { return "the header \(name) belongs to the handshake itself" }
        }
        return size <= 1 << 15 ? nil : "the headers are longer than 32 KiB"
    }

    private func isOfHandshake(_ name: String) -> Bool {
        let name = name.lowercased()
        return ["host", "upgrade", "connection"].contains(name) || name.hasPrefix("sec-websocket-")
    }

    private func resolved(_ resolution: Resolution) {
        guard case .resolving = state else { return }
        switch resolution {
        case .failed(let reason):
            fail(ConnectFailure(phase: .resolve, message: "\(request.url.host): \(reason)"))
        case .addresses(let addresses):
            connect(to: addresses)
        }
    }

    /// Tries the first address, with its share of the time.
    private func connect(to addresses: [String]) {
        phase = .connect
        state = .connecting(addresses)
        guard let address = addresses.first else {
            fail(ConnectFailure(phase: .resolve, message: "\(request.url.host): no address"))
            return
        }
        guard let host = virtualHost() else { return }
        if addresses.count > 1 {
            let share = request.timeout / addresses.count
            timers.append(loop.schedule(at: loop.now + share) { [weak self] in self?.addressTimedOut(address) })
        }
        wsi = makeConnection(to: address, on: host)
        if wsi == nil { attemptEnded() }
    }

    /// Returns the virtual host for the socket. If it cannot be made, fails the attempt and returns `nil`.
    func virtualHost() -> OpaquePointer? {
        do throws(NetworkError) {
            return request.url.isSecure ? try loop.clientHost(for: request.access.tls) : loop.core.plainHost
        } catch {
            fail(ConnectFailure(phase: .tls, message: error.description))
            return nil
        }
    }

    /// Starts a libwebsockets connection to a numeric address. `port` defaults to the server's port.
    func makeConnection(to address: String, port: UInt16? = nil, on host: OpaquePointer) -> OpaquePointer? {
        var info = lws_client_connect_info()
        info.context = loop.core.context
        info.vhost = host
        info.port = Int32(port ?? request.url.port)
        info.ssl_connection = Int32(LCCSCF_HTTP_NO_FOLLOW_REDIRECT.rawValue)
        if request.url.isSecure { info.ssl_connection |= Int32(LCCSCF_USE_SSL.rawValue) }
        info.local_protocol_name = LibWebSockets.protocolName
        info.alpn = LibWebSockets.http11
        info.ietf_version_or_minus_one = -1
        info.retry_and_idle_policy = LibWebSockets.noIdlePolicy
        info.opaque_user_data = opaque
        if isOwnFraming { info.method = LibWebSockets.get }
        return address.withCString { address in
            request.url.target.withCString { target in
                // The name is used for the Host header, for SNI and for the certificate.
                place.withCString { name in
                    info.address = address
                    info.path = target
                    info.host = name
                    return lws_client_connect_via_info(&info)
                }
            }
        }
    }

    private func addressTimedOut(_ address: String) {
        guard case .connecting(let addresses) = state, addresses.first == address, phase == .connect else { return }
        cut()
        attemptEnded()
    }

    /// Notes that the attempt is over. The next step waits for the end of the turn, outside of callbacks.
    func attemptEnded() {
        attemptIsOver = true
        needsDelivery()
    }

    /// Continues after an address failed: it refused the connection, or its response was not acceptable. Not from
    /// inside a callback.
    func addressFailed() {
        guard case .connecting(let addresses) = state, let address = addresses.first else { return }
        wsi = nil
        if isHandshakeUnknown {
            fallBack(addresses)
            return
        }
        if phase == .connect, addresses.count > 1 {
            connect(to: Array(addresses.dropFirst()))
            return
        }
        if let refusal, phase != .connect {
            fail(refusal)
            return
        }
        guard phase == .connect else {
            fail(ConnectFailure(phase: phase, message: "\(place): the connection was lost"))
            return
        }
        explain(address)
    }

    /// Retries with libwebsockets' own role, because our framing does not know this version of libwebsockets.
    private func fallBack(_ addresses: [String]) {
        isHandshakeUnknown = false
        interim = nil
        guard request.framing == .auto else {
            fail(ConnectFailure(phase: .handshake, message: "our own framing cannot use this libwebsockets"))
            return
        }
        isOwnFraming = false
        refusal = nil
        guard let proxy = request.access.proxy else { return connect(to: addresses) }
        state = .resolving
        tunnel(through: proxy)
    }

    /// Connects once more on a helper thread to find the reason, which libwebsockets does not report.
    private func explain(_ address: String) {
        let (loop, port) = (self.loop, request.url.port)
        let started = startThread(named: "weir-explain") { [self] in
            let reason = connectProblem(address: address, port: port) ?? "cannot connect"
            loop.run { [self] in fail(ConnectFailure(phase: .connect, message: "\(place): \(reason)")) }
        }
        if !started { fail(ConnectFailure(phase: .connect, message: "\(place): cannot connect")) }
    }

    // MARK: From callbacks

    /// Writes the request's headers. libwebsockets passes the number of bytes that fit.
    func appendHeaders(_ call: SocketCall) -> Int32 {
        phase = .handshake
        guard mayBeSent else { return -1 }
        guard let place = call.data?.assumingMemoryBound(to: UnsafeMutablePointer<UInt8>.self) else { return 0 }
        var text: [UInt8] = []
        if isOwnFraming {
            guard let handshake = beginHandshake(&place.pointee) else {
                isHandshakeUnknown = true
                return -1
            }
            text += Array(handshake.headers.utf8)
        }
        for (name, value) in headers { text += Array("\(name): \(value)\r\n".utf8) }
        guard text.count <= call.count else { return -1 }
        text.withUnsafeBufferPointer { bytes in
            if let start = bytes.baseAddress { place.pointee.update(from: start, count: bytes.count) }
        }
        place.pointee += text.count
        return 0
    }

    /// Notes why libwebsockets gives up the connection. libwebsockets then destroys its socket.
    func connectionError(_ call: SocketCall) {
        guard refusal == nil else { return }
        noteLateAlert(call)
        let status = Int(lws_http_client_http_response(call.wsi))
        let words = String(decoding: call.bytes.prefix { $0 != 0 }, as: UTF8.self)
        let isRefused = status != 0 && status != 101
        let seconds = isRefused ? WebSocketHandshake.header(.retryAfter, of: call.wsi).flatMap { retryAfter($0) } : nil
        let retry = Reconnection(afterSeconds: seconds)
        let isHTTP = lws_hdr_total_length(call.wsi, WSI_TOKEN_HTTP) > 0
        let text = phase == .tls ? tlsReason(call) : reason(words, status: isRefused ? status : nil, isHTTP: isHTTP)
        refusal = ConnectFailure(
            phase: phase, httpStatus: isRefused ? status : nil, message: "\(place): \(text)\(retry.words)", retry: retry
        )
    }

    private func reason(_ words: String, status: Int?, isHTTP: Bool) -> String {
        switch phase {
        case .token, .resolve, .connect, .tls, .proxy: return words
        case .handshake: break
        }
        if let status { return "the server refuses the WebSocket with HTTP status \(status)" }
        if words.hasPrefix("problems parsing"), isHTTP {
            return "the head of the answer is larger than \(Limits.head) bytes, or has too many headers"
        }
        if words.hasPrefix("HS: URI") || words.hasPrefix("problems parsing") { return "the answer is not HTTP" }
        if words.hasPrefix("HS: ") { return "the answer to the upgrade is wrong (\(words.dropFirst(4)))" }
        return "the server closed the connection in the handshake; it may not be an HTTP server"
    }
}

extension Duration {
    /// The duration as a short text for messages, such as `20 s` or `1.5 s`.
    var shortText: String {
        let milliseconds = microseconds / 1000
        guard milliseconds % 1000 != 0 else { return "\(milliseconds / 1000) s" }
        return milliseconds < 1000 ? "\(milliseconds) ms" : "\(milliseconds / 1000).\(milliseconds % 1000 / 100) s"
    }
}

// Proxies and cookies.
extension WebSocketClientSocket {
    /// Opens a tunnel through a proxy, then connects in it.
    func tunnel(through proxy: Proxy) {
        phase = .proxy
        let loop = self.loop
        openTunnel(to: request.url, through: proxy, timeout: request.timeout) { result in
            loop.run { [self] in tunnelled(result) }
        }
    }

    private func tunnelled(_ result: Result<ProxyTunnel, ConnectFailure>) {
        guard case .resolving = state else { return }
        switch result {
        case .failure(let failure): fail(failure)
        case .success(let tunnel): connect(in: tunnel)
        }
    }

    /// Connects through an open tunnel. libwebsockets accepts no existing descriptor for a client; it always connects
    /// by itself. So it starts connecting to a port of our own, and before it polls again, its descriptor is replaced
    /// by the tunnel's.
    private func connect(in tunnel: ProxyTunnel) {
        guard let host = virtualHost() else { return }
        do throws(NetworkError) {
            let target = try listen(address: "127.0.0.1", port: 0)
            defer { Glibc.close(target.descriptor) }
            state = .connecting(["127.0.0.1"])
            wsi = makeConnection(to: "127.0.0.1", port: target.port, on: host)
            guard let wsi, dup2(tunnel.descriptor, lws_get_socket_fd(wsi)) >= 0 else {
                fail(ConnectFailure(phase: .proxy, message: "\(place): the tunnel cannot be used"))
                return
            }
            _ = fcntl(lws_get_socket_fd(wsi), F_SETFD, FD_CLOEXEC)
        } catch {
            fail(ConnectFailure(phase: .proxy, message: error.description))
        }
    }

    /// Stores the cookies of the response to the upgrade.
    func keepCookies(_ wsi: OpaquePointer) {
        guard let jar = request.access.cookies else { return }
        var value = [CChar](repeating: 0, count: 2 * CookieStore.maximumSize)
        for index in 0..<Int32(CookieStore.maximumCount) {
            guard lws_hdr_fragment_length(wsi, WSI_TOKEN_HTTP_SET_COOKIE, index) > 0 else { return }
            let count = lws_hdr_copy_fragment(
                wsi, &value, Int32(value.count), WSI_TOKEN_HTTP_SET_COOKIE, index)
            // A cookie that does not fit is too long to store.
            guard count > 0 else { continue }
            let text = value.prefix(Int(count)).map(UInt8.init(bitPattern:))
            jar.take(String(decoding: text, as: UTF8.self), from: request.url)
        }
    }
}

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
