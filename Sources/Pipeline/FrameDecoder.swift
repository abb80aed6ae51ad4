public import Events
import JSONText
public import Wire

/// Decodes the events of frames before a session meets them, on any thread: for a replay, which knows what comes.
public struct FrameDecoder: Sendable {
    private let backend: Configuration.BackendKind
    /// The room of the event before, whose name then costs no new string.
    private var room = ""

    /// For sessions of this configuration.
    public init(_ configuration: Configuration) { backend = configuration.backend }

    /// The event of a frame that brings one and nothing else; nil for any other, and for what cannot be decoded: the session finds
    /// out what that is.
    public mutating func decode(_ message: WebSocketMessage) -> Event? {
        guard backend == .twake, let event = SocketIO.Event(plainFrame: message) else { return nil }
        guard let decoded = try? Twake.Event(array: event.array.bytes, likelyRoom: room) else { return nil }
        if case .resource(let resource) = decoded { room = resource.room }
        return .twake(decoded)
    }
}
