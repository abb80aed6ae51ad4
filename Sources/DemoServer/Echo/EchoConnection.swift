import JSONText
import Wire

/// What an echo wants done, in this order.
enum EchoEffect: Hashable, Sendable {
    /// Send a packet of the session's stream.
    case send(WebSocketMessage)
    /// End the session; the machine is finished.
    case close(EngineIO.Ending)
}

/// One client of the echo server: a machine that is given packets and the time.
protocol EchoConnection: Sendable {
    /// When `advance` wants to be called next.
    var deadline: Moment? { get }
    /// Sends the open packet.
    mutating func start() -> [EchoEffect]
    /// A packet came.
    mutating func receive(_ packet: WebSocketMessage, at now: Moment) -> [EchoEffect]
    /// Does what is due up to `now`.
    mutating func advance(to now: Moment) -> [EchoEffect]
}

/// Bare Engine.IO: every message goes back as it came.
struct EngineIOEcho: EchoConnection {
    private enum State {
        /// Follows: closed.
        case open(EngineIOServer)
        case closed
    }

    private let revision: EngineIO.Revision
    private let handshake: EngineIO.Handshake
    private var state: State

    init(_ opening: SessionOpening, _ options: EndpointOptions, openedAt now: Moment) {
        revision = opening.revision
        handshake = options.socketIO(opening).handshake
        state = .open(EngineIOServer(opening.revision, handshake, openedAt: now))
    }

    var deadline: Moment? {
        switch state {
        case .open(let engine): engine.deadline
        case .closed: nil
        }
    }

    mutating func start() -> [EchoEffect] { [.send(handshake.openPacket)] }

    mutating func receive(_ packet: WebSocketMessage, at now: Moment) -> [EchoEffect] {
        guard case .open(var engine) = state else { return [] }
        do throws(SocketIO.Malformed) {
            let received = try engine.receive(packet, at: now)
            state = .open(engine)
            switch received {
            case .message, .binary: return [.send(packet)]
            case .answer(let answer): return [.send(answer)]
            case .nothing: return []
            }
        } catch {
            return close(.lost("parse error: \(error.message)"))
        }
    }

    mutating func advance(to now: Moment) -> [EchoEffect] {
        var effects: [EchoEffect] = []
        while case .open(var engine) = state, engine.deadline <= now {
            guard let ping = engine.fire() else { return effects + close(.lost("ping timeout")) }
            state = .open(engine)
            effects.append(.send(ping))
        }
        return effects
    }

    private mutating func close(_ ending: EngineIO.Ending) -> [EchoEffect] {
        state = .closed
        return [.close(ending)]
    }
}

/// Socket.IO: `message` is said back, `message-with-ack` acknowledged.
struct SocketIOEcho: EchoConnection {
    private var server: SocketIOServer

    init(_ opening: SessionOpening, _ options: EndpointOptions, openedAt now: Moment) {
        server = SocketIOServer(options.socketIO(opening, namespaces: ["/", "/custom"]), openedAt: now)
    }

    var deadline: Moment? { server.deadline }

    mutating func start() -> [EchoEffect] { run { $0.start(into: &$1) } }

    mutating func receive(_ packet: WebSocketMessage, at now: Moment) -> [EchoEffect] {
        run { $0.receive(packet, at: now, into: &$1) }
    }

    mutating func advance(to now: Moment) -> [EchoEffect] { run { $0.advance(to: now, into: &$1) } }

    /// Does a step, and what follows from its effects.
    private mutating func run(
        _ step: (inout SocketIOServer, inout [SocketIOServer.Effect]) -> Void
    ) -> [EchoEffect] {
        var below: [SocketIOServer.Effect] = []
        step(&server, &below)
        return below.flatMap { effect -> [EchoEffect] in
            switch effect {
            case .send(let packet): return [.send(packet)]
            case .close(let ending): return [.close(ending)]
            case .connected(let namespace, let auth):
                // The JavaScript server knows a client without a payload by an empty one.
                let auth = auth ?? RawJSON(unchecked: ArraySlice("{}".utf8))
                return run { $0.emit("auth", arguments: auth, namespace: namespace, into: &$1) }
            case .event(let event): return answer(event)
            case .recoveryAsked, .acknowledged, .unacknowledged, .disconnected: return []
            }
        }
    }

    private mutating func answer(_ event: SocketIO.Event) -> [EchoEffect] {
        let list = event.argumentList
        switch (event.name, event.ackID) {
        case ("message", _):
            return run {
                $0.emit(
                    "message-back", arguments: list, attachments: event.attachments, namespace: event.namespace,
                    into: &$1)
            }
        case ("message-with-ack", let id?):
            let arguments = RawJSON(unchecked: ([UInt8(ascii: "[")] + (list?.bytes ?? []) + [UInt8(ascii: "]")])[...])
            return run {
                $0.acknowledge(
                    id, arguments: arguments, attachments: event.attachments, namespace: event.namespace, into: &$1)
            }
        default: return []
        }
    }
}

extension SocketIO.Event {
    /// The arguments as they were sent, a comma-separated list of JSON values; nil when there are none.
    var argumentList: RawJSON? {
        guard let first = arguments.first, let last = arguments.last else { return nil }
        return RawJSON(unchecked: array.bytes[first.lowerBound..<last.upperBound])
    }
}
