import Events
import JSONText
import Wire

/// A Socket.IO server of which no schema is known: every event is shown, nothing is routed.
struct UntypedBackend: Backend {
    func connectPayload(token: Secret?) -> RawJSON? {
        token.map { token in .object { $0.member("token", token.reveal()) } }
    }

    func decode(_ event: WireEvent) throws(DecodingFailure) -> Event {
        if case .json(let message) = event {
            return .socketIO(UntypedEvent(name: message.name, arguments: [message.payload]))
        }
        guard case .socketIO(let event) = event else { throw .foreign(event.name) }
        return .socketIO(UntypedEvent(name: event.name, arguments: event.sized.arguments))
    }
}

extension BackendModule {
    /// Any Socket.IO server.
    static let untyped = BackendModule(
        name: "socketio", usualPath: "/socket.io/", reversedDomain: "io.socket", makeBackend: { _ in UntypedBackend() },
        eventKinds: ["event"])
}

extension Configuration.BackendKind {
    /// A Socket.IO server of which no schema is known.
    public static let socketio = Self(.untyped)
}
