import CWeirLibWebSockets
import Glibc
import WeirWire

/// The object of a libwebsockets socket. Used on the loop's thread only.
///
/// A callback only notes what happened and calls `needsDelivery`. Handlers are called from `deliver`, outside of
/// libwebsockets.
class LoopSocket: @unchecked Sendable {
    // Unchecked: all state is used on the loop's thread only; references may be held elsewhere.

    let loop: EventLoop
    /// The value that libwebsockets keeps for the socket: a key in the loop's table, never a pointer.
    let handle: UInt
    /// The libwebsockets socket; `nil` before it is made and after it is gone.
    var wsi: OpaquePointer?
    /// Whether the loop will call `deliver`.
    fileprivate(set) var isQueued = false

    /// The place in the order of arrival of the oldest undelivered bytes; `nil` when it is unknown or no bytes wait.
    final var arrival: UInt64?

    init(loop: EventLoop) {
        loop.preconditionOnLoop()
        self.loop = loop
        handle = loop.core.makeHandle()
        loop.core.sockets[handle] = self
    }

    var isWaiting: Bool {
        get { isQueued }
        set { isQueued = newValue }
    }

    /// The handle in the form that libwebsockets keeps.
    var opaque: UnsafeMutableRawPointer? { UnsafeMutableRawPointer(bitPattern: handle) }

    /// Takes over a descriptor in libwebsockets' file role, which leaves reading and writing to the object. Returns
    /// `false` when libwebsockets refuses; the descriptor is then closed and the object forgotten.
    final func adopt(_ descriptor: Int32) -> Bool {
        var info = lws_adopt_desc_t()
        info.vh = loop.core.plainHost
        info.type = LWS_ADOPT_RAW_FILE_DESC
        info.fd.filefd = descriptor
        info.vh_prot_name = LibWebSockets.protocolName
        info.opaque = opaque
        wsi = loop.core.plainHost == nil ? nil : lws_adopt_descriptor_vhost_via_info(&info)
        if wsi != nil { return true }
        Glibc.close(descriptor)
        forget()
        return false
    }

    /// Handles a libwebsockets callback for this socket. The result goes to libwebsockets; nonzero closes. Overridden.
    func callback(_ call: SocketCall) -> Int32 { 0 }

    /// Calls the handlers with everything noted since the last delivery. Overridden.
    func deliver() {}

    /// Releases the handlers without calling them, because the loop ends. Overridden.
    func silence() {}

    /// Schedules `deliver` for the next delivery of the loop.
    final func needsDelivery() {
        guard !isQueued else { return }
        isQueued = true
        loop.core.waiting.append(self)
    }

    /// Requests a writeable callback from libwebsockets.
    final func needsWriting() {
        if let wsi { lws_callback_on_writable(wsi) }
    }

    /// Closes the socket at once, without a closing handshake. Not from inside a callback.
    final func cut() {
        guard let wsi else { return }
        self.wsi = nil
        lws_set_timeout(wsi, PENDING_TIMEOUT_USER_REASON_BASE, LWS_TO_KILL_SYNC)
    }

    /// Detaches the object from its socket, so that it gets no more callbacks.
    final func forget() {
        wsi = nil
        loop.core.sockets[handle] = nil
    }
}

/// The arguments of one libwebsockets callback.
struct SocketCall {
    let reason: lws_callback_reasons
    let wsi: OpaquePointer
    /// The callback's `user` argument: OpenSSL's verification context in the certificate callback, otherwise unused.
    let user: UnsafeMutableRawPointer?
    let data: UnsafeMutableRawPointer?
    let count: Int

    /// The bytes passed to the callback.
    var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: data, count: data == nil ? 0 : count)
    }
}

/// A listening socket in the loop. It accepts connections and passes each one to its owner. On the loop's thread.
final class ListeningSocket: LoopSocket, @unchecked Sendable {
    // Unchecked: see `LoopSocket`.
    private let accepted: (Int32) -> Void
    private var isOpen = true

    /// Takes over a listening descriptor. Returns `nil` when libwebsockets refuses it; the descriptor is then closed.
    init?(loop: EventLoop, descriptor: Int32, accepted: @escaping (Int32) -> Void) {
        self.accepted = accepted
        super.init(loop: loop)
        guard adopt(descriptor) else { return nil }
    }

    override func callback(_ call: SocketCall) -> Int32 {
        switch call.reason {
        case LWS_CALLBACK_RAW_RX_FILE: accept(from: lws_get_socket_fd(call.wsi))
        case LWS_CALLBACK_WSI_DESTROY: forget()
        default: break
        }
        return 0
    }

    /// Accepts a bounded number of connections, so that the other sockets of the turn are served too.
    private func accept(from descriptor: Int32) {
        for _ in 0..<16 {
            let connection = Glibc.accept(descriptor, nil, nil)
            guard connection >= 0 else {
                if errno == EMFILE || errno == ENFILE { rest() }
                return
            }
            _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
            guard isOpen, loop.core.sockets.count < EventLoop.maximumSockets - 16 else {
                Glibc.close(connection)
                continue
            }
            accepted(connection)
        }
    }

    /// Stops accepting for 100 ms. Without a free descriptor the socket stays readable, and the loop would spin.
    private func rest() {
        guard let wsi else { return }
        lws_rx_flow_control(wsi, 0)
        _ = loop.schedule(at: loop.now + .milliseconds(100)) { [weak self] in
            if let wsi = self?.wsi { lws_rx_flow_control(wsi, 1) }
        }
    }

    /// Stops listening. Must not be called in a callback.
    func close() {
        isOpen = false
        cut()
        forget()
    }
}

/// Makes a listening TCP socket. Returns its descriptor and port.
func listen(address: String, port: UInt16) throws(NetworkError) -> (descriptor: Int32, port: UInt16) {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
    var list: UnsafeMutablePointer<addrinfo>?
    let place = address.contains(":") ? "[\(address)]:\(port)" : "\(address):\(port)"
    let failure = getaddrinfo(address, String(port), &hints, &list)
    guard failure == 0, let entry = list?.pointee else {
        throw .cannotListen(address: place, message: String(cString: gai_strerror(failure)))
    }
    defer { freeaddrinfo(list) }
    let descriptor = socket(
        entry.ai_family, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw .cannotListen(address: place, message: systemMessage(errno)) }
    var one: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
    guard bind(descriptor, entry.ai_addr, entry.ai_addrlen) == 0, Glibc.listen(descriptor, 512) == 0 else {
        let message = systemMessage(errno)
        close(descriptor)
        throw .cannotListen(address: place, message: message)
    }
    return (descriptor, boundPort(descriptor))
}

/// Returns the port to which a socket is bound.
private func boundPort(_ descriptor: Int32) -> UInt16 {
    var storage = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &storage) { storage in
        storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = getsockname(descriptor, $0, &size) }
        // The port has the same offset for IPv4 and IPv6, and is in network order.
        return storage.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { UInt16(bigEndian: $0.pointee.sin_port) }
    }
}
