extension EngineIOServerTransport {
    /// Handles a GET: answers it with the kept packets, or lets it wait.
    public mutating func poll(_ request: RequestID, into effects: inout [Effect]) {
        switch state {
        case .polling, .probing, .ending: break
        case .webSocket: return effects.append(.respond(request, EngineIO.Refusal.badRequest.response))
        case .closed: return effects.append(.respond(request, EngineIO.Refusal.sessionUnknown.response))
        }
        guard poll == nil else {
            finish("two requests of a client wait at the same time", answeringPollWith: .close, into: &effects)
            return effects.append(.respond(request, EngineIO.Response(status: 400)))
        }
        poll = request
        if case .ending(_, let cause) = state, kept.isEmpty {
            answerPoll(with: [EngineIO.Packet(.noop).message, EngineIO.Packet(.close).message], into: &effects)
            return finish(cause, answeringPollWith: .close, into: &effects)
        }
        answerPoll(into: &effects)
    }

    /// Handles the head of a POST. Its body follows with `receive(_:contentType:of:into:)`.
    public mutating func beginPost(_ request: RequestID, into effects: inout [Effect]) {
        switch state {
        case .polling, .probing, .ending: break
        case .webSocket: return effects.append(.respond(request, EngineIO.Refusal.badRequest.response))
        case .closed: return effects.append(.respond(request, EngineIO.Refusal.sessionUnknown.response))
        }
        guard post == nil else {
            finish("two bodies of a client arrive at the same time", answeringPollWith: .close, into: &effects)
            return effects.append(.respond(request, EngineIO.Response(status: 400)))
        }
        post = request
    }

    /// Handles the complete body of the pending POST. Its packets are received; `endPost(into:)` answers it after they
    /// are handled.
    public mutating func receive(
        _ body: ArraySlice<UInt8>, contentType: String?, of request: RequestID, into effects: inout [Effect]
    ) {
        guard post == request else { return }
        guard body.count <= configuration.maxPayload else {
            post = nil
            return effects.append(.respond(request, EngineIO.Response(status: 413)))
        }
        // Revision 4 allows only text (Engine.IO EIO-18).
        if configuration.revision == .v4, contentType == "application/octet-stream" {
            return finish("a binary body", answeringPollWith: .close, into: &effects)
        }
        var packets: [WebSocketMessage] = []
        var malformed: EngineIO.MalformedPayload?
        do throws(EngineIO.MalformedPayload) {
            try reader.read(body, into: &packets)
            try reader.finish(into: &packets)
        } catch {
            malformed = error
        }
        for packet in packets {
            if packet.isClose { return receiveClose(request, into: &effects) }
            if !isEnding { effects.append(.received(packet)) }
        }
        if let malformed { finish("parse error: \(malformed.reason)", answeringPollWith: .close, into: &effects) }
    }

    /// Answers the pending POST after its packets are handled, if the session still exists.
    public mutating func endPost(into effects: inout [Effect]) {
        guard let post else { return }
        self.post = nil
        effects.append(.respond(post, Self.received))
    }

    /// Handles a client that gave up a request: one that waits for its answer, or whose body is arriving.
    public mutating func aborted(_ request: RequestID, into effects: inout [Effect]) {
        if poll == request {
            poll = nil
            finish("poll connection closed prematurely", answeringPollWith: .close, into: &effects)
        } else if post == request {
            post = nil
            finish("data request connection closed prematurely", answeringPollWith: .close, into: &effects)
        }
    }

    // MARK: -

    /// The JavaScript server's answer to a POST. The type is HTML, since some browsers offer plain text as a download.
    private static let received = EngineIO.Response(
        status: 200, contentType: "text/html", body: Array("ok".utf8), isUncached: true)

    private var isEnding: Bool {
        if case .ending = state { return true }
        return false
    }

    /// Handles the client's `1`: the POST is answered normally, and a waiting GET ends with a noop (Engine.IO EIO-30).
    private mutating func receiveClose(_ request: RequestID, into effects: inout [Effect]) {
        post = nil
        finish("transport close", answeringPollWith: .noop, into: &effects)
        effects.append(.respond(request, Self.received))
    }

    /// Answers the waiting GET with the kept packets, if both exist.
    mutating func answerPoll(into effects: inout [Effect]) {
        guard poll != nil, !kept.isEmpty else { return }
        let packets = kept
        kept = []
        pendingBytes = 0
        answerPoll(with: packets, into: &effects)
    }

    mutating func answerPoll(with packets: [WebSocketMessage], into effects: inout [Effect]) {
        guard let poll else { return }
        self.poll = nil
        var writer = EngineIO.PayloadWriter(framing(of: packets), maximumPackets: .max)
        for packet in packets { _ = writer.append(packet) }
        let type = writer.framing == .binary ? "application/octet-stream" : "text/plain; charset=UTF-8"
        effects.append(
            .respond(poll, EngineIO.Response(status: 200, contentType: type, body: writer.take(), isUncached: true)))
    }

    /// Returns the framing of an answer. Revision 3 uses the binary framing only if a packet is binary and the client
    /// did not request Base64 (Engine.IO EIO-25).
    private func framing(of packets: [WebSocketMessage]) -> EngineIO.PayloadWriter.Framing {
        switch configuration.revision {
        case .v4: .separated
        case .v3: !configuration.isBase64 && packets.contains(where: \.isBinary) ? .binary : .counted(escaped: false)
        }
    }
}

extension WebSocketMessage {
    /// Whether this is Engine.IO's close packet, `1`.
    fileprivate var isClose: Bool {
        if case .text(let bytes) = self { bytes.first == EngineIO.PacketType.close.digit } else { false }
    }

    fileprivate var isBinary: Bool {
        if case .binary = self { true } else { false }
    }
}
