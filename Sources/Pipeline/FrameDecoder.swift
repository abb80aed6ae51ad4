import Events
import JSONText
public import Wire

/// Decodes the events of frames before a session meets them, on any thread: for a replay, which knows what comes. What is told of an event
/// is made here, too, so that the session hands it on and the thread that made it frees it.
public struct FrameDecoder: Sendable {
    private let backend: Configuration.BackendKind
    private let preparesDiffLog: Bool
    private var rooms = Twake.LikelyRooms()

    /// For sessions of this configuration. With `preparesDiffLog`, what a diff log has of an event is written ahead, too, as far as that does not
    /// depend on the model.
    public init(_ configuration: Configuration, preparesDiffLog: Bool = false) {
        backend = configuration.backend
        self.preparesDiffLog = preparesDiffLog
    }

    /// The event of a frame that brings one and nothing else; nil for any other, and for what cannot be decoded: the session finds
    /// out what that is.
    public mutating func decode(_ message: WebSocketMessage) -> EventReport? {
        guard backend == .twake, let source = SocketIO.Event(plain: message),
            let event = try? Twake.Event(array: source.array.bytes, likely: &rooms)
        else { return nil }
        if preparesDiffLog { event.prepareForDiffLog() }
        return EventReport(event: .twake(event), source: source)
    }
}
