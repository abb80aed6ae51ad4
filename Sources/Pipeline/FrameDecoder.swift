public import Events
import JSONText
public import Wire

/// Decodes the events of frames before a session meets them, on any thread: for a replay, which knows what comes.
public struct FrameDecoder: Sendable {
    private let backend: Configuration.BackendKind
    private var rooms = Twake.LikelyRooms()

    /// For sessions of this configuration.
    public init(_ configuration: Configuration) { backend = configuration.backend }

    /// The event of a frame that brings one and nothing else; nil for any other, and for what cannot be decoded: the session finds
    /// out what that is.
    public mutating func decode(_ message: WebSocketMessage) -> Event? {
        guard backend == .twake, let event = SocketIO.Event(plainFrame: message) else { return nil }
        guard let decoded = try? Twake.Event(array: event.array.bytes, likely: rooms) else { return nil }
        if case .resource(let resource) = decoded { rooms.note(resource.room) }
        return .twake(decoded)
    }
}
