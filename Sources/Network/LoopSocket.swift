import CLibWebSockets
import Glibc

/// The object behind a libwebsockets socket. Touched on the loop's thread only.
///
/// A callback only notes what happened and asks to be `delivered`; handlers are called from `deliver`, outside of libwebsockets.
class LoopSocket: @unchecked Sendable {
    // Unchecked: all state is touched on the loop's thread only; references may be held elsewhere.

    let loop: EventLoop
    /// What libwebsockets keeps for us: an index into the loop's table, never a pointer.
    let handle: UInt
    /// The socket; nil before it is made and when it is gone.
    var wsi: OpaquePointer?
    /// Whether the loop will call `deliver`.
    fileprivate(set) var isQueued = false

    /// The place in the order of arrival of the oldest of what was not delivered; nil where that is not known, or nothing waits.
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

    /// The handle as libwebsockets keeps it.
    var opaque: UnsafeMutableRawPointer? { UnsafeMutableRawPointer(bitPattern: handle) }

    /// Takes a descriptor over in libwebsockets' file role, which leaves reading and writing to us. When it is not taken, it is closed, and
    /// the object forgotten.
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

    /// A libwebsockets callback for this socket; the result is libwebsockets' (nonzero closes). Overridden.
    func callback(_ call: SocketCall) -> Int32 { 0 }

    /// Calls the handlers with what was noted. Overridden.
    func deliver() {}

    /// The loop ends: no handler is called any more, and what they hold is let go. Overridden.
    func silence() {}

    /// Asks for `deliver` at the end of the turn.
    final func needsDelivery() {
        guard !isQueued else { return }
        isQueued = true
        loop.core.waiting.append(self)
    }

    /// Asks for a writeable callback.
    final func needsWriting() {
        if let wsi { lws_callback_on_writable(wsi) }
    }

    /// Closes the socket now, without any farewell. Not from inside a callback.
    final func cut() {
        guard let wsi else { return }
        self.wsi = nil
        lws_set_timeout(wsi, PENDING_TIMEOUT_USER_REASON_BASE, LWS_TO_KILL_SYNC)
    }

    /// The object will not be called for its socket any more.
    final func forget() {
        wsi = nil
        loop.core.sockets[handle] = nil
    }
}

/// The arguments of one libwebsockets callback.
struct SocketCall {
    let reason: lws_callback_reasons
    let wsi: OpaquePointer
    /// The callback's `user`: OpenSSL's verification context in the certificate callback, else nothing.
    let user: UnsafeMutableRawPointer?
    let data: UnsafeMutableRawPointer?
    let count: Int

    /// The bytes the callback brings.
    var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: data, count: data == nil ? 0 : count)
    }
}
