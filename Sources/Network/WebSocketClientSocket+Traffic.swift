import CLibWebSockets
import Wire

extension WebSocketClientSocket {
    /// Handles a libwebsockets callback. The result goes to libwebsockets; nonzero closes.
    func note(_ call: SocketCall) -> Int32 {
        switch call.reason {
        case LWS_CALLBACK_WSI_CREATE:
            // The TCP connection is established.
            phase = request.url.isSecure ? .tls : .handshake
        case LWS_CALLBACK_OPENSSL_PERFORM_SERVER_CERT_VERIFICATION:
            return verify(call)
        case LWS_CALLBACK_CLIENT_APPEND_HANDSHAKE_HEADER:
            return appendHeaders(call)
        case LWS_CALLBACK_CLIENT_CONNECTION_ERROR:
            connectionError(call)
        case LWS_CALLBACK_ESTABLISHED_CLIENT_HTTP:
            return answered(call.wsi)
        case LWS_CALLBACK_RECEIVE_CLIENT_HTTP:
            return readInBulk(call.wsi)
        case LWS_CALLBACK_RECEIVE_CLIENT_HTTP_READ:
            readFrames(call.bytes)
        case LWS_CALLBACK_COMPLETED_CLIENT_HTTP:
            // Only a response with an end gets here, and such a response does not accept an upgrade.
            return -1
        case LWS_CALLBACK_CLIENT_FILTER_PRE_ESTABLISH:
            keepCookies(call.wsi)
        case LWS_CALLBACK_CLIENT_ESTABLISHED:
            established()
        case LWS_CALLBACK_CLIENT_RECEIVE:
            return receive(call)
        case LWS_CALLBACK_CLIENT_WRITEABLE, LWS_CALLBACK_CLIENT_HTTP_WRITEABLE:
            return write(call.wsi)
        case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
            if case .open = state {
                peerClose = (try? WebSocketFrame.parseClose(Array(call.bytes))) ?? WebSocketClose(code: 1002)
            }
        case LWS_CALLBACK_CLIENT_CLOSED, LWS_CALLBACK_CLOSED_CLIENT_HTTP, LWS_CALLBACK_WSI_DESTROY:
            gone()
        default:
            break
        }
        return 0
    }

    /// Opens the socket after the server accepted the upgrade.
    func established() {
        state = .open
        for timer in timers { timer.cancel() }
        timers = []
        opened()
        if !isReading, let wsi { lws_rx_flow_control(wsi, 0) }
        if !outgoing.isEmpty { writeSoon() }
    }

    /// Handles the end of the libwebsockets socket, which may still be in this callback.
    func gone() {
        wsi = nil
        switch state {
        case .resolving, .ended: return
        case .connecting: attemptEnded()
        case .open: end(.closed(peerClose ?? WebSocketClose(code: 1006)))
        case .closing(let close), .awaitingAnswer(let close): end(.closed(ownClose(close)))
        case .answeringClose(let close): end(.closed(close))
        }
    }

    /// Returns a close that we began as it is reported: with the code that was sent.
    func ownClose(_ close: WebSocketClose) -> WebSocketClose {
        WebSocketClose(code: WebSocketFrame.sendableCode(close.code), reason: close.reason)
    }

    private func receive(_ call: SocketCall) -> Int32 {
        // Messages that arrive after we began to close are dropped.
        guard case .open = state else { return 0 }
        do throws(MessageBatch.Refusal) {
            try batch.append(call.bytes)
            // Zero-length pieces of a fragmented message end a frame, not the message.
            guard lws_is_final_fragment(call.wsi) != 0, lws_remaining_packet_payload(call.wsi) == 0 else { return 0 }
            try batch.finish(lws_frame_is_binary(call.wsi) != 0 ? .binary : .text)
            needsDelivery()
        } catch {
            let (most, rest) = (batch.maximumMessage, UInt64(lws_remaining_packet_payload(call.wsi)))
            let bytes = UInt64(most - batch.room + call.bytes.count) + rest
            violated(WebSocketViolation(error, of: bytes, most: most))
        }
        return 0
    }

    /// Writes once, when libwebsockets allows it. The frames are our own, many in one write.
    func write(_ wsi: OpaquePointer) -> Int32 {
        // libwebsockets calls this only after the kernel took the bytes it held.
        heldBytes = 0
        guard outgoing.isEmpty else {
            let result = outgoing.take(EventLoop.transferSize) { bytes in
                (lws_write(wsi, bytes.baseAddress, bytes.count, LWS_WRITE_HTTP), bytes.count)
            }
            guard result.0 >= 0 else { return -1 }
            if lws_partial_buffered(wsi) != 0 { heldBytes = result.1 }
            if !outgoing.isEmpty { writeSoon() } else if isToBeClosed { lws_callback_on_writable(wsi) }
            return 0
        }
        if case .answeringClose = state { return -1 }
        // libwebsockets calls again while it waits for the answer.
        guard case .closing(let close) = state else { return 0 }
        state = .awaitingAnswer(close)
        var reason = Array(WebSocketFrame.closeBody(close).dropFirst(2))
        let code = lws_close_status(UInt32(WebSocketFrame.sendableCode(close.code)))
        lws_close_reason(wsi, code, &reason, reason.count)
        // libwebsockets sends the close frame and waits for the answer.
        return -1
    }

    /// Whether a step remains after everything is written.
    private var isToBeClosed: Bool {
        switch state {
        case .closing, .answeringClose: true
        case .resolving, .connecting, .open, .awaitingAnswer, .ended: false
        }
    }
}
