import Events
import JSONText
import Wire

/// A Socket.IO server without a known schema. Every event is shown, and none is routed.
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
    /// The registration for any Socket.IO server.
    static let untyped = BackendModule(
        name: "socketio", usualPath: "/socket.io/", reversedDomain: "io.socket", makeBackend: { _ in UntypedBackend() },
        eventKinds: ["event"])
}

extension Configuration.BackendKind {
    /// A Socket.IO server without a known schema.
    public static let socketio = Self(.untyped)
}
