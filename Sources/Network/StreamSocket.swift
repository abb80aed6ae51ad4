import CLibWebSockets
import Glibc
import Wire

/// An accepted connection: bytes in, bytes out, TLS when its virtual host has a certificate. On the loop's thread.
///
/// libwebsockets' raw role: what we write is what is sent, many frames at once, and what is read is given as read.
class StreamSocket: LoopSocket, @unchecked Sendable {
    // Unchecked: see `LoopSocket`.

    /// How the connection ends.
    private enum Ending {
        case none
        /// When all is written, we send no more and wait a moment for the peer to end.
        case afterWriting
        /// We send no more; what comes is dropped.
        case lingering
    }

    private var outgoing = OutgoingBytes()
    /// Bytes libwebsockets holds since the kernel did not take them.
    private var heldBytes = 0
    private var ending = Ending.none
    /// Whether the owner wants bytes.
    private var wantsBytes = true
    /// Whether libwebsockets polls for bytes.
    private var isPolled = true

    /// Takes over an accepted descriptor; nil when libwebsockets does not take it (it is closed then).
    init?(loop: EventLoop, host: OpaquePointer?, descriptor: Int32) {
        super.init(loop: loop)
        guard let host else {
            Glibc.close(descriptor)
            forget()
            return nil
        }
        var one: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        var info = lws_adopt_desc_t()
        info.vh = host
        info.type = lws_adoption_type(LWS_ADOPT_SOCKET.rawValue | LWS_ADOPT_ALLOW_SSL.rawValue)
        info.fd.sockfd = descriptor
        info.vh_prot_name = LibWebSockets.protocolName
        info.opaque = opaque
        // libwebsockets closes the descriptor itself when it fails.
        wsi = lws_adopt_descriptor_vhost_via_info(&info)
        if wsi == nil {
            forget()
            return nil
        }
    }

    /// Bytes arrived; they are valid during the call only. Inside a callback. Overridden.
    func received(_ bytes: UnsafeRawBufferPointer) {}

    /// The connection is gone. Inside a callback. Overridden.
    func gone() {}

    /// Bytes queued and not yet given to the kernel.
    final var pendingBytes: Int { outgoing.count + heldBytes }

    /// Queues bytes.
    final func write(_ add: (inout OutgoingBytes) -> Void) {
        guard case .none = ending, wsi != nil else { return }
        add(&outgoing)
        needsWriting()
    }

    /// Says whether bytes are wanted.
    final func setReading(_ reading: Bool) {
        wantsBytes = reading
        applyReading()
    }

    /// Ends the connection when all is written, so that the peer can read all of it.
    final func endAfterWriting() {
        guard case .none = ending else { return }
        ending = .afterWriting
        needsWriting()
    }

    /// Cuts the connection. Outside of callbacks.
    final func drop() {
        guard wsi != nil else { return }
        cut()
        gone()
        forget()
    }

    final override func callback(_ call: SocketCall) -> Int32 {
        switch call.reason {
        case LWS_CALLBACK_RAW_RX:
            // libwebsockets set a time limit for the first bytes; ours are elsewhere.
            lws_set_timeout(call.wsi, NO_PENDING_TIMEOUT, 0)
            if case .none = ending { received(call.bytes) }
        case LWS_CALLBACK_RAW_WRITEABLE:
            return writeable(call.wsi)
        case LWS_CALLBACK_RAW_CLOSE, LWS_CALLBACK_WSI_DESTROY:
            guard wsi != nil else { return 0 }
            gone()
            forget()
        default: break
        }
        return 0
    }

    private func writeable(_ wsi: OpaquePointer) -> Int32 {
        heldBytes = 0
        if !outgoing.isEmpty {
            let result = outgoing.take(EventLoop.transferSize) { bytes in
                (lws_write(wsi, bytes.baseAddress, bytes.count, LWS_WRITE_HTTP), bytes.count)
            }
            guard result.0 >= 0 else { return -1 }
            if lws_partial_buffered(wsi) != 0 { heldBytes = result.1 }
            lws_callback_on_writable(wsi)
        } else if case .afterWriting = ending {
            linger(wsi)
        }
        applyReading()
        return 0
    }

    /// Closing with bytes unread would make the kernel cut off what the peer has not read yet.
    private func linger(_ wsi: OpaquePointer) {
        ending = .lingering
        shutdown(lws_get_socket_fd(wsi), Int32(SHUT_WR))
        _ = loop.schedule(at: loop.now + .seconds(1)) { [weak self] in self?.drop() }
    }

    /// In the raw role libwebsockets does not read while it holds bytes to write, and would spin on a readable socket.
    private func applyReading() {
        let isWanted = (wantsBytes || isLingering) && heldBytes == 0
        guard isWanted != isPolled, let wsi else { return }
        isPolled = isWanted
        lws_rx_flow_control(wsi, isWanted ? 1 : 0)
    }

    private var isLingering: Bool {
        if case .lingering = ending { return true }
        return false
    }

    override func silence() {
        wsi = nil
    }
}
