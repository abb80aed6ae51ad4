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
        guard backend == .twake, let array = SocketIO.Event.array(ofPlain: message) else { return nil }
        return (try? Twake.Event(array: array, likely: &rooms)).map { .twake($0) }
    }
}
