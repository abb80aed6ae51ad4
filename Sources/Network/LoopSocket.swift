import CLibWebSockets
import Glibc

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
