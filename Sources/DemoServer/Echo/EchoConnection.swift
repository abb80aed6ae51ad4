import JSONText
import Wire

/// An effect of an echo connection. Effects are performed in order.
enum EchoEffect: Hashable, Sendable {
    /// Sends a packet of the session's stream.
    case send(WebSocketMessage)
    /// Ends the session. The machine takes no more input.
    case close(EngineIO.Ending)
}

/// A client of the echo server: a machine that takes packets and the time. It also takes the server's recovery store
/// for disconnected clients, if the server has one.
protocol EchoConnection: Sendable {
    /// The time at which `advance` must be called next.
    var deadline: Moment? { get }
    /// The sessions to store for recovery when the client is disconnected.
    var recoverableSessions: [SocketIORecoveryStore.Session] { get }
    /// Starts the session, which sends the open packet.
    mutating func start(at now: Moment, _ memory: inout SocketIORecoveryStore?) -> [EchoEffect]
    /// Handles a packet from the client.
    mutating func receive(
        _ packet: WebSocketMessage, at now: Moment, _ memory: inout SocketIORecoveryStore?
    ) -> [EchoEffect]
    /// Performs everything that is due up to `now`.
    mutating func advance(to now: Moment, _ memory: inout SocketIORecoveryStore?) -> [EchoEffect]
}

/// A bare Engine.IO echo: every message is returned unchanged.
struct EngineIOEcho: EchoConnection {
    private enum State {
        /// The session is open. → closed
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

    /// The sessions to recover: always none, since Engine.IO has no recovery.
    var recoverableSessions: [SocketIORecoveryStore.Session] { [] }

    mutating func start(at now: Moment, _ memory: inout SocketIORecoveryStore?) -> [EchoEffect] {
        [.send(handshake.openPacket)]
    }

    mutating func receive(
        _ packet: WebSocketMessage, at now: Moment, _ memory: inout SocketIORecoveryStore?
    ) -> [EchoEffect] {
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

    mutating func advance(to now: Moment, _ memory: inout SocketIORecoveryStore?) -> [EchoEffect] {
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
