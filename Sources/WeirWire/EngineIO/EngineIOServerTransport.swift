/// The server end of one Engine.IO session's transports: polling, WebSocket, and the upgrade between them. It behaves
/// like the JavaScript server (Engine.IO EIO-15 to EIO-34).
///
/// To the layer above, the session is a stream of packets, in the form that a WebSocket of the session's revision
/// carries. Below are waiting requests and WebSockets. The owner identifies them by numbers, and passes only those that
/// it has accepted (see `EngineIO.Refusal`).
///
/// A polling session keeps packets until a GET fetches them, and a GET waits until a packet is sent; it is then
/// answered at once with all kept packets. Of several packets sent in a row, the first therefore travels alone and the
/// others together, as with the JavaScript server. The owner must limit `pendingBytes`.
package struct EngineIOServerTransport: Sendable {
    /// The transport, an unfinished upgrade, or an end that the client does not know yet.
    enum State: Sendable {
        /// The session polls. Follows: probing, ending, closed.
        case polling
        /// The session polls while a WebSocket is being probed. The next noop is due at `noop`. Follows: polling,
        /// webSocket, ending, closed.
        case probing(SocketID, noop: Moment?, until: Moment)
        /// The session runs on this WebSocket. Follows: closed.
        case webSocket(SocketID)
        /// The server has ended a polling session. The next GET that finds no kept packet reports the end. Follows: closed.
        case ending(until: Moment, cause: String)
        /// The session does nothing more.
        case closed
    }

    /// The time between answers to a waiting GET while a WebSocket is being probed (Engine.IO EIO-27).
    static let noopInterval = Duration.milliseconds(100)

    let configuration: Configuration
    var state: State
    /// The waiting GET, if any.
    var poll: RequestID?
    /// The POST whose body is arriving or whose packets are being handled.
    var post: RequestID?
    /// The packets that no GET has fetched yet.
    var kept: [WebSocketMessage] = []
    /// The size in bytes of the packets that no GET has fetched yet.
    package internal(set) var pendingBytes = 0
    var reader: EngineIO.PayloadReader

    /// Creates a session that was opened by a WebSocket, or by a GET if `socket` is `nil`. The caller passes that GET
    /// to `poll(_:into:)` like any other.
    package init(_ configuration: Configuration, on socket: SocketID? = nil) {
        self.configuration = configuration
        state = socket.map { .webSocket($0) } ?? .polling
        reader = EngineIO.PayloadReader(configuration.revision, maximumPacket: configuration.maxPayload)
    }

    /// The transport on which the session currently runs.
    package var transport: Transport {
        switch state {
        case .polling, .probing, .ending, .closed: .polling
        case .webSocket: .webSocket
        }
    }

    /// When to call `advance(to:into:)` next; `nil` if no deadline is pending.
    package var deadline: Moment? {
        switch state {
        case .probing(_, let noop, let until): noop.map { min($0, until) } ?? until
        case .ending(let until, _): until
        case .polling, .webSocket, .closed: nil
        }
    }

    /// Sends a packet of the stream, or keeps it for the next GET.
    package mutating func send(_ packet: WebSocketMessage, into effects: inout [Effect]) {
        switch state {
        case .webSocket(let socket): effects.append(.send(onWebSocket(packet), on: socket))
        case .polling, .probing:
            kept.append(packet)
            pendingBytes += packet.bytes.count
            answerPoll(into: &effects)
        case .ending, .closed: return
        }
    }

    /// Ends the session from the server's side.
    package mutating func close(_ ending: EngineIO.Ending, at now: Moment, into effects: inout [Effect]) {
        switch (ending, state) {
        case (_, .closed), (.orderly, .ending): return
        case (.orderly(let cause), .polling), (.orderly(let cause), .probing):
            if case .probing(let socket, _, _) = state { effects.append(.closeSocket(socket)) }
            state = .ending(until: now + configuration.closeTimeout, cause: cause)
            if poll != nil { finish(cause, answeringPollWith: .close, into: &effects) }
        case (.orderly(let cause), .webSocket), (.lost(let cause), _):
            finish(cause, answeringPollWith: .close, into: &effects)
        }
    }

    /// Performs the steps that are due up to `now`.
    package mutating func advance(to now: Moment, into effects: inout [Effect]) {
        while let due = deadline, due <= now {
            switch state {
            case .probing(let socket, let noop?, let until) where noop < until:
                state = .probing(socket, noop: noop + Self.noopInterval, until: until)
                if poll != nil { answerPoll(with: [EngineIO.Packet(.noop).message], into: &effects) }
            case .probing(let socket, _, _):
                state = .polling
                effects.append(.closeSocket(socket))
            case .ending(_, let cause): finish(cause, answeringPollWith: .close, into: &effects)
            case .polling, .webSocket, .closed: return
            }
        }
    }

    // MARK: -

    /// Ends the session, and tells waiting peers: a GET with its last packet, a WebSocket with an empty close frame.
    mutating func finish(
        _ cause: String, answeringPollWith type: EngineIO.PacketType, into effects: inout [Effect]
    ) {
        switch state {
        case .webSocket(let socket), .probing(let socket, _, _): effects.append(.closeSocket(socket))
        case .polling, .ending, .closed: break
        }
        if poll != nil { answerPoll(with: [EngineIO.Packet(type).message], into: &effects) }
        if let post { effects.append(.respond(post, EngineIO.Response(status: 400))) }
        state = .closed
        post = nil
        kept = []
        pendingBytes = 0
        effects.append(.closed(cause: cause))
    }

    /// Returns binary data as text if the client requested that.
    private func onWebSocket(_ packet: WebSocketMessage) -> WebSocketMessage {
        guard configuration.isBase64, case .binary = packet else { return packet }
        return Base64Packet.text(of: packet.bytes, configuration.revision)
    }
}

extension EngineIOServerTransport {
    /// The identifier of a request that waits for its answer. The owner chooses it.
    package struct RequestID: Hashable, Sendable {
        /// The owner's number for the request.
        package var number: Int
        /// Creates the identifier of the request with this number.
        package init(_ number: Int) { self.number = number }
    }

    /// The identifier of a WebSocket. The owner chooses it.
    package struct SocketID: Hashable, Sendable {
        /// The owner's number for the WebSocket.
        package var number: Int
        /// Creates the identifier of the WebSocket with this number.
        package init(_ number: Int) { self.number = number }
    }

    /// The settings of a session's transport, fixed when it is created.
    package struct Configuration: Hashable, Sendable {
        /// The revision that the client requested.
        package var revision: EngineIO.Revision
        /// Whether the client requested Base64 instead of binary data, with `b64`.
        package var isBase64: Bool
        /// The maximum size of a body, in bytes.
        package var maxPayload: Int
        /// How long a client may take to upgrade.
        package var upgradeTimeout: Duration
        /// How long an ended session waits for the client's next request.
        package var closeTimeout: Duration
        /// Creates a configuration. The default times are those of the JavaScript server.
        package init(
            revision: EngineIO.Revision, isBase64: Bool = false, maxPayload: Int = 1_000_000,
            upgradeTimeout: Duration = .seconds(10), closeTimeout: Duration = .seconds(30)
        ) {
            self.revision = revision
            self.isBase64 = isBase64
            self.maxPayload = maxPayload
            self.upgradeTimeout = upgradeTimeout
            self.closeTimeout = closeTimeout
        }
    }

    /// The driver performs the effects in this order.
    package enum Effect: Hashable, Sendable {
        /// The client sent a packet of the stream.
        case received(WebSocketMessage)
        /// Answer a request with this response.
        case respond(RequestID, EngineIO.Response)
        /// Send a message on a WebSocket.
        case send(WebSocketMessage, on: SocketID)
        /// Close a WebSocket with an empty close frame.
        case closeSocket(SocketID)
        /// The session is over, and the machine has finished. Reported once. The cause is for logs.
        case closed(cause: String)
    }

    /// The transports on which a session can run.
    package enum Transport: Hashable, Sendable {
        case polling, webSocket
    }
}

extension EngineIOServerTransport {
    /// Handles a GET: answers it with the kept packets, or lets it wait.
    package mutating func poll(_ request: RequestID, into effects: inout [Effect]) {
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
    package mutating func beginPost(_ request: RequestID, into effects: inout [Effect]) {
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
    package mutating func receive(
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
    package mutating func endPost(into effects: inout [Effect]) {
        guard let post else { return }
        self.post = nil
        effects.append(.respond(post, Self.received))
    }

    /// Handles a client that gave up a request: one that waits for its answer, or whose body is arriving.
    package mutating func aborted(_ request: RequestID, into effects: inout [Effect]) {
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

extension EngineIOServerTransport {
    /// Handles a new WebSocket that names the session. It is probed, or closed if the session already has one
    /// (Engine.IO EIO-29).
    package mutating func open(_ socket: SocketID, at now: Moment, into effects: inout [Effect]) {
        switch state {
        case .polling: state = .probing(socket, noop: nil, until: now + configuration.upgradeTimeout)
        case .probing, .webSocket, .ending, .closed: effects.append(.closeSocket(socket))
        }
    }

    /// Handles a message from a WebSocket.
    package mutating func receive(
        _ message: WebSocketMessage, on socket: SocketID, at now: Moment, into effects: inout [Effect]
    ) {
        switch state {
        case .webSocket(socket): receive(message, into: &effects)
        case .probing(socket, _, let until): probed(message, on: socket, until: until, at: now, into: &effects)
        case .polling, .probing, .webSocket, .ending, .closed: return
        }
    }

    /// Handles the loss of a WebSocket. If it was only being probed, the session continues to poll.
    package mutating func closed(_ socket: SocketID, into effects: inout [Effect]) {
        switch state {
        case .webSocket(socket):
            state = .closed
            finish("transport close", answeringPollWith: .close, into: &effects)
        case .probing(socket, _, _): state = .polling
        case .polling, .probing, .webSocket, .ending, .closed: return
        }
    }

    // MARK: -

    private mutating func receive(_ message: WebSocketMessage, into effects: inout [Effect]) {
        guard case .text(let bytes) = message, bytes.first == UInt8(ascii: "b") else {
            return effects.append(.received(message))
        }
        if let packet = Base64Packet.packet(of: bytes, configuration.revision) {
            effects.append(.received(packet))
        } else {
            finish("parse error: a binary packet that is not base64", answeringPollWith: .close, into: &effects)
        }
    }

    /// Handles a message on a WebSocket to which the session has not moved: the probe, then the upgrade. Anything else
    /// ends the attempt.
    private mutating func probed(
        _ message: WebSocketMessage, on socket: SocketID, until: Moment, at now: Moment, into effects: inout [Effect]
    ) {
        if message == .text("2probe") {
            state = .probing(socket, noop: now + Self.noopInterval, until: until)
            effects.append(.send(.text("3probe"), on: socket))
        } else if case .text(let bytes) = message, bytes.first == EngineIO.PacketType.upgrade.digit {
            upgrade(to: socket, into: &effects)
        } else {
            state = .polling
            effects.append(.closeSocket(socket))
        }
    }

    /// Moves the session to the WebSocket. The packets that no GET has fetched are sent first.
    private mutating func upgrade(to socket: SocketID, into effects: inout [Effect]) {
        state = .webSocket(socket)
        // The client has ended its requests before it upgrades. One that still waits is released (Engine.IO EIO-30).
        if poll != nil { answerPoll(with: [EngineIO.Packet(.close).message], into: &effects) }
        let packets = kept
        kept = []
        pendingBytes = 0
        for packet in packets { send(packet, into: &effects) }
    }
}

/// A binary packet as a text frame: `b` and Base64, with the type digit between them in revision 3 (Engine.IO EIO-9).
enum Base64Packet {
    /// Returns the text frame of a packet of the stream.
    static func text(of packet: ArraySlice<UInt8>, _ revision: EngineIO.Revision) -> WebSocketMessage {
        switch revision {
        case .v4: .text(([UInt8(ascii: "b")] + Base64.encode(packet))[...])
        case .v3:
            .text(
                ([UInt8(ascii: "b"), EngineIO.PacketType.message.digit] + Base64.encode(packet.dropFirst()))[...])
        }
    }

    /// Returns the packet in a text frame, or `nil` if the frame is invalid.
    static func packet(of text: ArraySlice<UInt8>, _ revision: EngineIO.Revision) -> WebSocketMessage? {
        var data = text.dropFirst()
        var type: [UInt8] = []
        if revision == .v3 {
            guard data.popFirst() == EngineIO.PacketType.message.digit else { return nil }
            type = [EngineIO.PacketType.message.rawValue]
        }
        return Base64.decode(data.span).map { .binary((type + $0)[...]) }
    }
}
