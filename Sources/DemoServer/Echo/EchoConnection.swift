import JSONText
import Wire

/// What an echo wants done, in this order.
enum EchoEffect: Hashable, Sendable {
    /// Send a packet of the session's stream.
    case send(WebSocketMessage)
    /// End the session; the machine is finished.
    case close(EngineIO.Ending)
}

/// One client of the echo server: a machine that is given packets and the time, and the server's memory of clients that were cut off, if
/// it has one.
protocol EchoConnection: Sendable {
    /// When `advance` wants to be called next.
    var deadline: Moment? { get }
    /// What the memory is to keep of a client whose session is gone.
    var recoverableSessions: [SocketIORecoveryStore.Session] { get }
    /// Sends the open packet.
    mutating func start(at now: Moment, _ memory: inout SocketIORecoveryStore?) -> [EchoEffect]
    /// A packet came.
    mutating func receive(
        _ packet: WebSocketMessage, at now: Moment, _ memory: inout SocketIORecoveryStore?
    ) -> [EchoEffect]
    /// Does what is due up to `now`.
    mutating func advance(to now: Moment, _ memory: inout SocketIORecoveryStore?) -> [EchoEffect]
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

    /// Engine.IO has nothing to recover.
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
