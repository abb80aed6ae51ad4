import Events
import JSONText
public import Wire

/// Decodes the events of frames before a session meets them, on any thread: for a replay, which knows what comes. What is told of an event
/// is made here, too, so that the session hands it on and the thread that made it frees it.
public struct FrameDecoder: Sendable {
    private let backend: Configuration.BackendKind
    private var rooms = Twake.LikelyRooms()

    /// For sessions of this configuration.
    public init(_ configuration: Configuration) { backend = configuration.backend }

    /// The event of a frame that brings one and nothing else; nil for any other, and for what cannot be decoded: the session finds
    /// out what that is.
    public mutating func decode(_ message: WebSocketMessage) -> EventReport? {
        guard backend == .twake, let source = SocketIO.Event(plain: message),
            let event = try? Twake.Event(array: source.array.bytes, likely: &rooms)
        else { return nil }
        return EventReport(event: .twake(event), source: source)
    }
}
