// Long-polling: one pending GET, and at most one POST (Engine.IO EIO-15).
extension EngineIOClientTransport {
    /// Sends the first GET. Its answer is the open packet.
    mutating func startPolling(at now: Moment, into effects: inout [Effect]) {
        state = .handshaking(until: now + configuration.handshakeTimeout)
        startGet(at: now, into: &effects)
    }

    func pollingTarget(_ request: RequestID) -> String {
        var rest = sid.isEmpty ? "" : "&sid=\(sid)"
        // A Python server of revision 3 checks the parameter on each request (Engine.IO EIO-25).
        if configuration.revision == .v3 { rest += "&b64=1" }
        return configuration.target("polling", with: rest + "&t=\(configuration.cacheBuster).\(request.number)")
    }

    private mutating func nextRequest() -> RequestID {
        requests += 1
        return RequestID(number: requests)
    }

    /// Whether a new GET may begin in this state.
    var isPollingFreely: Bool {
        switch state {
        case .polling, .upgrading(.opening, _, _), .upgrading(.probing, _, _): true
        case .idle, .openingWebSocket, .handshaking, .upgrading(.pausing, _, _), .webSocket, .closingWebSocket,
            .closing, .over:
            false
        }
    }

    mutating func startGet(at now: Moment, into effects: inout [Effect]) {
        getDue = nil
        let id = nextRequest()
        get = Exchange(id: id, begun: now)
        effects.append(.get(id, target: pollingTarget(id)))
    }

    mutating func enqueue(_ message: WebSocketMessage) {
        outgoing.append(message)
        outgoingBytes += message.bytes.count
    }

    /// Posts the queued messages, unless a POST is pending or not allowed in this state.
    mutating func startPost(at now: Moment, into effects: inout [Effect]) {
        switch state {
        case .polling, .closing, .upgrading(.opening, _, _), .upgrading(.probing, _, _): break
        case .idle, .openingWebSocket, .handshaking, .upgrading(.pausing, _, _), .webSocket, .closingWebSocket, .over:
            return
        }
        guard post == nil, !outgoing.isEmpty else { return }
        let taken = outgoing.prefix { writer.append($0) }
        outgoing.removeFirst(taken.count)
        outgoingBytes = outgoing.reduce(0) { $0 + $1.bytes.count }
        let body = writer.take()
        let id = nextRequest()
        post = Exchange(id: id, until: now + configuration.postTimeout, posted: body.count)
        effects.append(.post(id, target: pollingTarget(id), body: body, contentType: writer.contentType))
    }

    // MARK: Answers

    mutating func head(_ id: RequestID, _ status: Int, _ retryAfter: Int?) {
        if get?.id == id { get?.note(status, retryAfter) }
        if post?.id == id { post?.note(status, retryAfter) }
    }

    mutating func chunk(_ id: RequestID, _ bytes: ArraySlice<UInt8>, at now: Moment, into effects: inout [Effect]) {
        if get?.id == id {
            if get?.isRefused == false {
                if !bytes.isEmpty { get?.hasBody = true }
                return read(bytes, at: now, into: &effects)
            }
            get?.keepRefusal(bytes)
            // A response that exceeds this size may never end.
            if let get, get.hasSaidEnough { refused(get, cancelling: true, into: &effects) }
        } else if post?.id == id {
            post?.keepRefusal(bytes)
        }
    }

    mutating func ended(_ id: RequestID, at now: Moment, into effects: inout [Effect]) {
        if let exchange = get, exchange.id == id {
            guard !exchange.isRefused else { return refused(exchange, into: &effects) }
            read(nil, at: now, into: &effects)
            // The last packet is known to be complete only now.
            guard let exchange = get else { return }
            get = nil
            // The first answer contained no open packet.
            if case .handshaking = state { return fail(failure("the answer is empty"), into: &effects) }
            let free = exchange.begun + Self.noopPause
            noops = exchange.hasPackets || free <= now ? 0 : noops + 1
            if !exchange.hasBody { getDue = now + Self.emptyAnswerPause }
            if exchange.hasBody, noops > Self.mostNoops { getDue = free }
            getEnded(at: now, into: &effects)
        } else if let exchange = post, exchange.id == id {
            guard !exchange.isRefused else { return refused(exchange, into: &effects) }
            post = nil
            postEnded(at: now, into: &effects)
        }
    }

    private mutating func getEnded(at now: Moment, into effects: inout [Effect]) {
        switch state {
        case .polling, .upgrading(.opening, _, _), .upgrading(.probing, _, _):
            if getDue == nil { startGet(at: now, into: &effects) }
        case .upgrading(.pausing, _, _): finishPause(into: &effects)
        case .idle, .openingWebSocket, .handshaking, .webSocket, .closingWebSocket, .closing, .over: break
        }
    }

    private mutating func postEnded(at now: Moment, into effects: inout [Effect]) {
        switch state {
        case .closing(let close, _) where outgoing.isEmpty: end(close, into: &effects)
        case .polling, .closing, .upgrading(.opening, _, _), .upgrading(.probing, _, _):
            startPost(at: now, into: &effects)
        case .upgrading(.pausing, _, _): finishPause(into: &effects)
        case .idle, .openingWebSocket, .handshaking, .webSocket, .closingWebSocket, .over: break
        }
    }

    /// Resumes polling after a failed upgrade.
    mutating func resumePolling(at now: Moment, into effects: inout [Effect]) {
        if get == nil { startGet(at: now, into: &effects) }
        startPost(at: now, into: &effects)
    }

    // MARK: Packets

    /// Reads a piece of the GET's body, or its end if `piece` is `nil`.
    private mutating func read(_ piece: ArraySlice<UInt8>?, at now: Moment, into effects: inout [Effect]) {
        var packets: [WebSocketMessage] = []
        do throws(EngineIO.MalformedPayload) {
            if let piece { try reader.read(piece, into: &packets) } else { try reader.finish(into: &packets) }
            give(packets[...], at: now, into: &effects)
        } catch {
            give(packets[...], at: now, into: &effects)
            let words =
                error.reason == .packetTooLarge
                ? "a packet of the polling answer has \(configuration.maximumPacket + 1) bytes or more; the limit is "
                    + "\(configuration.maximumPacket)"
                : "the polling answer cannot be read (\(error.reason), byte \(error.offset))"
            switch state {
            case .handshaking: fail(failure(words), into: &effects)
            case .idle, .openingWebSocket, .polling, .upgrading, .webSocket, .closingWebSocket, .closing, .over:
                end(WebSocketClose(code: 1002, reason: words, retry: .atOnce), into: &effects)
            }
        }
    }

    private mutating func give(
        _ packets: ArraySlice<WebSocketMessage>, at now: Moment, into effects: inout [Effect]
    ) {
        guard let first = packets.first else { return }
        switch state {
        case .handshaking: opened(first, packets, at: now, into: &effects)
        case .polling, .upgrading(_, _, closing: nil): deliver(packets, into: &effects)
        case .upgrading, .closing, .idle, .openingWebSocket, .webSocket, .closingWebSocket, .over: break
        }
    }

    /// Delivers packets without the noops. A noop only ends a GET, and a WebSocket would not carry it.
    private mutating func deliver(_ packets: ArraySlice<WebSocketMessage>, into effects: inout [Effect]) {
        let close = packets.firstIndex { $0.isText("1") }
        let stream = packets[...(close ?? packets.endIndex - 1)].filter { !$0.isText("6") }
        if !stream.isEmpty {
            if !stream.allSatisfy({ $0.isText("2") || $0.isText("3") }) { get?.hasPackets = true }
            effects.append(.received(stream))
        }
        if close != nil { end(WebSocketClose(code: 1005), into: &effects) }
    }

    /// Handles the first packet of the first answer.
    private mutating func opened(
        _ first: WebSocketMessage, _ packets: ArraySlice<WebSocketMessage>, at now: Moment,
        into effects: inout [Effect]
    ) {
        if let other = reader.revision, other != configuration.revision {
            // A Socket.IO 2 server ignores the requested revision (Engine.IO EIO-14), so the session continues in the
            // server's.
            guard configuration.detectsRevision, other == .v3 else {
                var failure = failure("the server uses Engine.IO \(other.rawValue)")
                failure.retry = .never
                return fail(failure, into: &effects)
            }
            configuration.revision = other
            writer = EngineIO.PayloadWriter(other.postFraming)
        }
        do throws(SocketIO.Malformed) {
            guard case .text(let text) = first else {
                throw SocketIO.Malformed(message: "it begins with a binary packet")
            }
            let packet = try EngineIO.Packet(parsing: text)
            guard packet.type == .open else { throw SocketIO.Malformed(message: "it begins with another packet") }
            open(try EngineIO.Handshake(parsing: packet), at: now, into: &effects)
        } catch {
            return fail(failure("the answer is not Engine.IO's: \(error.message)"), into: &effects)
        }
        deliver(packets, into: &effects)
    }

    private mutating func open(_ handshake: EngineIO.Handshake, at now: Moment, into effects: inout [Effect]) {
        sid = handshake.sid.percentEncoded
        writer = EngineIO.PayloadWriter(writer.framing, maximumBytes: handshake.maxPayload ?? .max)
        state = .polling
        get?.hasPackets = true
        effects.append(.opened)
        if configuration.wantsUpgrade, handshake.upgrades.contains("websocket") {
            startUpgrade(at: now, into: &effects)
        }
    }
}

extension EngineIOClientTransport.Exchange {
    /// Whether the head of the response shows a refusal.
    var isRefused: Bool { status.map { !(200..<300).contains($0) } ?? true }

    mutating func note(_ status: Int, _ retryAfter: Int?) { (self.status, self.retryAfter) = (status, retryAfter) }

    /// Whether enough of the refusal's body was read.
    var hasSaidEnough: Bool { refusal.count >= EngineIO.ServerError.longestBody }

    /// Keeps the beginning of the body of a refusal.
    mutating func keepRefusal(_ bytes: ArraySlice<UInt8>) {
        refusal += bytes.prefix(EngineIO.ServerError.longestBody - refusal.count)
    }
}

extension WebSocketMessage {
    /// Returns whether this is a text message with exactly this content.
    package func isText(_ text: StaticString) -> Bool {
        guard case .text(let bytes) = self else { return false }
        return bytes.count == text.utf8CodeUnitCount
            && text.withUTF8Buffer { bytes.elementsEqual($0) }
    }
}
