import CWeirLibWebSockets
import Glibc
import WeirWire

/// An accepted connection that reads and writes bytes, over TLS when its virtual host has a certificate. On the loop's
/// thread.
///
/// It uses libwebsockets' raw role: bytes are sent as written, many frames at once, and are delivered as read.
class StreamSocket: LoopSocket, @unchecked Sendable {
    // Unchecked: see `LoopSocket`.

    /// The progress of ending the connection.
    private enum Ending {
        case none
        /// Once everything is written, we send no more and wait a moment for the peer to end.
        case afterWriting
        /// We send no more, and received bytes are dropped.
        case lingering
    }

    private var outgoing = OutgoingBytes()
    /// The bytes that libwebsockets holds because the kernel did not take them.
    private var heldBytes = 0
    private var ending = Ending.none
    /// Whether the owner wants to read.
    private var wantsBytes = true
    /// Whether libwebsockets polls for input.
    private var isPolled = true

    /// Takes over an accepted descriptor. Returns `nil` when libwebsockets refuses it; the descriptor is then closed.
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

    /// Handles received bytes, which are valid during the call only. Inside a callback. Overridden.
    func received(_ bytes: UnsafeRawBufferPointer) {}

    /// Notes that the connection is gone. Inside a callback, or from `drop`. Overridden.
    func gone() {}

    /// The number of bytes queued and not yet passed to the kernel.
    final var pendingBytes: Int { outgoing.count + heldBytes }

    /// Queues the bytes that `add` appends, unless the connection is ending.
    final func write(_ add: (inout OutgoingBytes) -> Void) {
        guard case .none = ending, wsi != nil else { return }
        add(&outgoing)
        needsWriting()
    }

    /// Pauses (`false`) or resumes (`true`) reading.
    final func setReading(_ reading: Bool) {
        wantsBytes = reading
        applyReading()
    }

    /// Ends the connection once everything is written, so that the peer can read all of it.
    final func endAfterWriting() {
        guard case .none = ending else { return }
        ending = .afterWriting
        needsWriting()
    }

    /// Cuts the connection. Must not be called in a callback.
    final func drop() {
        guard wsi != nil else { return }
        cut()
        gone()
        forget()
    }

    final override func callback(_ call: SocketCall) -> Int32 {
        switch call.reason {
        case LWS_CALLBACK_RAW_RX:
            // libwebsockets sets a time limit for the first bytes; our own timers replace it.
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

    /// Stops sending and waits for the peer. Closing with unread bytes would make the kernel discard output that the
    /// peer has not read yet.
    private func linger(_ wsi: OpaquePointer) {
        ending = .lingering
        shutdown(lws_get_socket_fd(wsi), Int32(SHUT_WR))
        _ = loop.schedule(at: loop.now + .seconds(1)) { [weak self] in self?.drop() }
    }

    /// Updates whether the socket is polled. In the raw role libwebsockets does not read while it holds bytes to write,
    /// and it would spin on a readable socket.
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
