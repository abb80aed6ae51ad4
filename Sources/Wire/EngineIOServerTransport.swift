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
public struct EngineIOServerTransport: Sendable {
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
    public internal(set) var pendingBytes = 0
    var reader: EngineIO.PayloadReader

    /// Creates a session that was opened by a WebSocket, or by a GET if `socket` is `nil`. The caller passes that GET
    /// to `poll(_:into:)` like any other.
    public init(_ configuration: Configuration, on socket: SocketID? = nil) {
        self.configuration = configuration
        state = socket.map { .webSocket($0) } ?? .polling
        reader = EngineIO.PayloadReader(configuration.revision, maximumPacket: configuration.maxPayload)
    }

    /// The transport on which the session currently runs.
    public var transport: Transport {
        switch state {
        case .polling, .probing, .ending, .closed: .polling
        case .webSocket: .webSocket
        }
    }

    /// When to call `advance(to:into:)` next; `nil` if no deadline is pending.
    public var deadline: Moment? {
        switch state {
        case .probing(_, let noop, let until): noop.map { min($0, until) } ?? until
        case .ending(let until, _): until
        case .polling, .webSocket, .closed: nil
        }
    }

    /// Sends a packet of the stream, or keeps it for the next GET.
    public mutating func send(_ packet: WebSocketMessage, into effects: inout [Effect]) {
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
    public mutating func close(_ ending: EngineIO.Ending, at now: Moment, into effects: inout [Effect]) {
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
    public mutating func advance(to now: Moment, into effects: inout [Effect]) {
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
