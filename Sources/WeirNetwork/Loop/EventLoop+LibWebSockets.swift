import CWeirLibWebSockets
import Glibc
import WeirWire

extension EventLoop {
    /// The size of the largest read and of the largest write, in bytes.
    static let transferSize = 1 << 16

    /// The number of sockets a loop can hold. Looking up a descriptor is linear in the number of open sockets.
    static let maximumSockets = 4096

    /// Creates the libwebsockets context. On the loop's thread.
    func makeContext() throws(NetworkError) {
        LibWebSockets.prepare()
        var info = lws_context_creation_info()
        info.options = UInt64(LWS_SERVER_OPTION_EXPLICIT_VHOSTS)
        info.fd_limit_per_thread = UInt32(EventLoop.maximumSockets)
        info.pt_serv_buf_size = UInt32(EventLoop.transferSize + 4096)
        // The bound for the response to an upgrade. libwebsockets counts a few more bytes for each header, and omits
        // the names it knows.
        info.max_http_header_data2 = UInt32(Limits.head)
        // The loop's own timers decide. These are only an upper bound.
        info.timeout_secs = 3600
        info.alpn = LibWebSockets.http11
        // Not retained: the loop outlives its context, since the loop's thread retains the loop.
        info.user = Unmanaged.passUnretained(self).toOpaque()
        guard let context = lws_create_context(&info) else {
            core.descriptors.close()
            throw .cannotStart("libwebsockets cannot make a context")
        }
        core.context = context
        core.plainHost = makeHost(named: "plain") { $0.port = CONTEXT_PORT_NO_LISTEN }
        // libwebsockets serves sockets in the order of its table. The order of arrival must be read before any
        // connection (`ArrivalOrder`).
        guard let host = core.plainHost, adopt(core.descriptors.arrivals, on: host),
            adopt(core.descriptors.event, on: host), adopt(core.descriptors.timer, on: host)
        else {
            destroyContext()
            throw .cannotStart("libwebsockets does not take the loop's descriptors")
        }
    }

    /// Closes every socket and destroys the context. On the loop's thread, outside of callbacks.
    func destroyContext() {
        lws_context_destroy(core.context)
        core.context = nil
        core.plainHost = nil
        for host in core.clientHosts.values { SSL_CTX_free(host.tls) }
        core.clientHosts = [:]
    }

    /// Makes a virtual host, or returns `nil` if libwebsockets cannot. The name must be new; its copy is never freed.
    func makeHost(named name: String, _ configure: (inout lws_context_creation_info) -> Void) -> OpaquePointer? {
        var info = lws_context_creation_info()
        info.vhost_name = UnsafePointer(strdup(name))
        info.protocols = LibWebSockets.protocols
        info.retry_and_idle_policy = LibWebSockets.noIdlePolicy
        info.connect_timeout_secs = 3600
        info.alpn = LibWebSockets.http11
        // An empty address keeps libwebsockets from using `http_proxy` of the environment.
        info.http_proxy_address = LibWebSockets.noProxy
        configure(&info)
        return lws_create_vhost(core.context, &info)
    }

    private func adopt(_ descriptor: Int32, on host: OpaquePointer) -> Bool {
        var file = lws_sock_file_fd_type()
        file.filefd = descriptor
        return lws_adopt_descriptor_vhost(host, LWS_ADOPT_RAW_FILE_DESC, file, LibWebSockets.protocolName, nil) != nil
    }
}

/// libwebsockets' initialisation, once per process, and constants that it keeps pointers to.
enum LibWebSockets {
    /// Initialises libwebsockets and OpenSSL once. libwebsockets registers its OpenSSL indices again with every context
    /// that requests the global initialisation, and a second registration breaks handshakes on other threads. So one
    /// temporary context requests it, and no other does.
    static func prepare() { _ = isPrepared }

    private static let isPrepared: Bool = {
        // Errors are reported to callbacks. The reasons that the log would add (TLS) are read from OpenSSL directly.
        lws_set_log_level(0, nil)
        var info = lws_context_creation_info()
        info.options = UInt64(LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT | LWS_SERVER_OPTION_EXPLICIT_VHOSTS)
        info.fd_limit_per_thread = 16
        if let context = lws_create_context(&info) { lws_context_destroy(context) }
        return true
    }()

    /// The name of the only protocol that the contexts register.
    nonisolated(unsafe) static let protocolName = UnsafePointer(strdup("weir")!)
    nonisolated(unsafe) static let http11 = UnsafePointer(strdup("http/1.1")!)
    nonisolated(unsafe) static let get = UnsafePointer(strdup("GET")!)
    nonisolated(unsafe) static let noProxy = UnsafePointer(strdup("")!)
    // Unsafe, all six: allocated once, never written again, never freed.
    nonisolated(unsafe) static let protocols: UnsafePointer<lws_protocols> = {
        let list = UnsafeMutablePointer<lws_protocols>.allocate(capacity: 2)
        var ours = lws_protocols()
        ours.name = protocolName
        ours.callback = serviceSocket
        ours.rx_buffer_size = EventLoop.transferSize
        ours.tx_packet_size = EventLoop.transferSize
        list.initialize(to: ours)
        (list + 1).initialize(to: lws_protocols())
        return UnsafePointer(list)
    }()
    /// A policy without pings and hang-ups: libwebsockets would take a paused socket for dead.
    nonisolated(unsafe) static let noIdlePolicy: UnsafePointer<lws_retry_bo_t> = {
        let policy = UnsafeMutablePointer<lws_retry_bo_t>.allocate(capacity: 1)
        policy.initialize(to: lws_retry_bo_t())
        return UnsafePointer(policy)
    }()
}

/// The only callback that libwebsockets calls. It finds the object of the socket and passes the call to it.
let serviceSocket:
    @convention(c) @Sendable (
        OpaquePointer?, lws_callback_reasons, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, Int
    ) -> Int32 = { wsi, reason, user, data, count in
        guard let wsi, isOfSocket(reason), let context = lws_get_context(wsi), let owner = lws_context_user(context)
        else { return 0 }
        let loop = Unmanaged<EventLoop>.fromOpaque(owner).takeUnretainedValue()
        if reason == LWS_CALLBACK_RAW_RX_FILE, lws_get_opaque_user_data(wsi) == nil {
            loop.descriptorIsReadable(wsi)
            return 0
        }
        guard let opaque = lws_get_opaque_user_data(wsi), let socket = loop.core.sockets[UInt(bitPattern: opaque)]
        else { return 0 }
        return socket.callback(SocketCall(reason: reason, wsi: wsi, user: user, data: data, count: count))
    }

/// Returns whether a callback concerns a real socket. Other callbacks pass a placeholder.
private func isOfSocket(_ reason: lws_callback_reasons) -> Bool {
    switch reason {
    case LWS_CALLBACK_RAW_ADOPT, LWS_CALLBACK_RAW_RX, LWS_CALLBACK_RAW_WRITEABLE, LWS_CALLBACK_RAW_CLOSE,
        LWS_CALLBACK_RAW_RX_FILE, LWS_CALLBACK_RAW_WRITEABLE_FILE, LWS_CALLBACK_RAW_CLOSE_FILE,
        LWS_CALLBACK_WSI_CREATE, LWS_CALLBACK_WSI_DESTROY,
        LWS_CALLBACK_CLIENT_CONNECTION_ERROR, LWS_CALLBACK_CLIENT_APPEND_HANDSHAKE_HEADER,
        LWS_CALLBACK_CLIENT_FILTER_PRE_ESTABLISH, LWS_CALLBACK_CLIENT_ESTABLISHED,
        LWS_CALLBACK_CLIENT_RECEIVE, LWS_CALLBACK_CLIENT_WRITEABLE, LWS_CALLBACK_CLIENT_CLOSED,
        LWS_CALLBACK_ESTABLISHED_CLIENT_HTTP, LWS_CALLBACK_RECEIVE_CLIENT_HTTP,
        LWS_CALLBACK_RECEIVE_CLIENT_HTTP_READ, LWS_CALLBACK_COMPLETED_CLIENT_HTTP, LWS_CALLBACK_CLOSED_CLIENT_HTTP,
        LWS_CALLBACK_CLIENT_HTTP_WRITEABLE,
        LWS_CALLBACK_WS_PEER_INITIATED_CLOSE, LWS_CALLBACK_OPENSSL_PERFORM_SERVER_CERT_VERIFICATION:
        true
    default: false
    }
}
