/// The server's end of the transports of one Engine.IO session: polling, WebSocket, and the way from one to the other, as the JavaScript
/// server goes it (`reference/socketio.md` 1.4–1.8).
///
/// Above it the session is a stream of packets, the messages as a WebSocket of the session's revision carries them. Below it are
/// requests that wait for their answer and WebSockets, which the owner knows by numbers and has checked with `admission(of:)`.
///
/// A polling session keeps what is sent until a request asks for it, and a request waits until something is sent: then it is
/// answered at once with all there is. So of many packets sent in a row the first travels alone and the rest together, as they do
/// from the JavaScript server. `pendingBytes` is the owner's to bound.
public struct EngineIOServerTransport: Sendable {
    /// Nothing, an upgrade that was not finished, or an end that the client has not heard of.
    enum State: Sendable {
        /// Requests come and go. Follows: probing, ending, closed.
        case polling
        /// So they do, and a WebSocket is being tried; its next noop is due at `noop`. Follows: polling, webSocket, ending, closed.
        case probing(SocketID, noop: Moment?, until: Moment)
        /// Follows: closed.
        case webSocket(SocketID)
        /// The server has ended a session that polls: the next request that finds nothing kept is told. Follows: closed.
        case ending(until: Moment, cause: String)
        /// Nothing more will happen.
        case closed
    }

    /// How often a waiting request is answered while a WebSocket is being tried (1.6).
    static let noopInterval = Duration.milliseconds(100)

    let configuration: Configuration
    var state: State
    /// The GET that waits.
    var poll: RequestID?
    /// The POST whose body arrives or whose packets are being looked at.
    var post: RequestID?
    /// What no request has asked for yet.
    var kept: [WebSocketMessage] = []
    /// Bytes of packets that no request has asked for yet.
    public internal(set) var pendingBytes = 0
    var reader: EngineIO.PayloadReader

    /// A session that was opened by a GET, which is `answer`ed like any other, or by a WebSocket.
    public init(_ configuration: Configuration, on socket: SocketID? = nil) {
        self.configuration = configuration
        state = socket.map { .webSocket($0) } ?? .polling
        reader = EngineIO.PayloadReader(configuration.revision, maximumPacket: configuration.maxPayload)
    }

    /// What the session rides on.
    public var transport: Transport {
        switch state {
        case .polling, .probing, .ending, .closed: .polling
        case .webSocket: .webSocket
        }
    }

    /// When `advance(to:into:)` wants to be called next.
    public var deadline: Moment? {
        switch state {
        case .probing(_, let noop, let until): noop.map { min($0, until) } ?? until
        case .ending(let until, _): until
        case .polling, .webSocket, .closed: nil
        }
    }

    /// Sends a packet of the stream.
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

    /// Does what is due up to `now`.
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

    /// The session is over: whoever waits is told, by a GET's last packet or an empty close frame.
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

    /// Binary data as text for a client that asked for it.
    private func onWebSocket(_ packet: WebSocketMessage) -> WebSocketMessage {
        guard configuration.isBase64, case .binary = packet else { return packet }
        return Base64Packet.text(of: packet.bytes, configuration.revision)
    }
}
