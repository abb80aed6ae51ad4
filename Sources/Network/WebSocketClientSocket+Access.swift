import CLibWebSockets
import Glibc
import Wire

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
