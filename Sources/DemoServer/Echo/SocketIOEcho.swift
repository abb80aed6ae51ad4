import JSONText
import Wire

/// A Socket.IO echo: `message` is returned, and `message-with-ack` is acknowledged.
struct SocketIOEcho: EchoConnection {
    private var server: SocketIOServer

    /// Creates a connection. `recoverySecret` is unique to it; `nil` on a server without recovery.
    init(_ opening: SessionOpening, _ options: EndpointOptions, recoverySecret: Secret?, openedAt now: Moment) {
        server = SocketIOServer(
            options.socketIO(opening, namespaces: ["/", "/custom"], recoverySecret: recoverySecret), openedAt: now)
    }

    var deadline: Moment? { server.deadline }
    var recoverableSessions: [SocketIORecoveryStore.Session] { server.recoverableSessions }

    mutating func start(at now: Moment, _ memory: inout SocketIORecoveryStore?) -> [EchoEffect] {
        run(at: now, &memory) { $0.start(into: &$1) }
    }

    mutating func receive(
        _ packet: WebSocketMessage, at now: Moment, _ memory: inout SocketIORecoveryStore?
    ) -> [EchoEffect] {
        run(at: now, &memory) { $0.receive(packet, at: now, into: &$1) }
    }

    mutating func advance(to now: Moment, _ memory: inout SocketIORecoveryStore?) -> [EchoEffect] {
        run(at: now, &memory) { $0.advance(to: now, into: &$1) }
    }

    /// Runs a step of the machine and handles its effects.
    private mutating func run(
        at now: Moment, _ memory: inout SocketIORecoveryStore?,
        _ step: (inout SocketIOServer, inout [SocketIOServer.Effect]) -> Void
    ) -> [EchoEffect] {
        var below: [SocketIOServer.Effect] = []
        step(&server, &below)
        var effects: [EchoEffect] = []
        for effect in below {
            switch effect {
            case .send(let packet): effects.append(.send(packet))
            case .close(let ending): effects.append(.close(ending))
            case .connected(let namespace, let auth):
                // The JavaScript server represents a missing payload by an empty object.
                let auth = auth ?? RawJSON(unchecked: ArraySlice("{}".utf8))
                effects += emit(.init("auth", arguments: auth, namespace: namespace), at: now, &memory)
            case .event(let event): effects += answer(event, at: now, &memory)
            case .recoveryAsked(let namespace, let pid, let offset, let auth):
                let restored = memory?.restore(pid: pid, offset: offset, namespace: namespace, at: now)
                effects += run(at: now, &memory) {
                    $0.recover(restored, namespace: namespace, auth: auth, into: &$1)
                }
            case .joinAsked, .acknowledged, .unacknowledged, .disconnected: break
            }
        }
        return effects
    }

    private mutating func answer(
        _ event: SocketIO.Event, at now: Moment, _ memory: inout SocketIORecoveryStore?
    ) -> [EchoEffect] {
        let list = event.argumentList
        switch (event.name, event.ackID) {
        case ("message", _):
            return emit(
                .init(
                    "message-back", arguments: list, attachments: event.attachments, namespace: event.namespace),
                at: now, &memory)
        case ("message-with-ack", let id?):
            let arguments = RawJSON(unchecked: ([UInt8(ascii: "[")] + (list?.bytes ?? []) + [UInt8(ascii: "]")])[...])
            return run(at: now, &memory) {
                $0.acknowledge(
                    id, arguments: arguments, attachments: event.attachments, namespace: event.namespace, into: &$1)
            }
        default: return []
        }
    }

    /// Sends an event to this client only, and stores it for recovery.
    private mutating func emit(
        _ emission: SocketIO.Emission, at now: Moment, _ memory: inout SocketIORecoveryStore?
    ) -> [EchoEffect] {
        let namespace = emission.namespace ?? "/"
        var emission = emission
        if let client = server.socketID(in: namespace) {
            emission = memory?.record(emission, to: [client], at: now) ?? emission
        }
        return run(at: now, &memory) {
            $0.emit(
                emission.name, arguments: emission.arguments, attachments: emission.attachments, namespace: namespace,
                into: &$1)
        }
    }
}
