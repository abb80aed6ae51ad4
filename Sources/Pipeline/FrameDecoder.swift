import Events
import JSONText
import Wire

/// Decodes the events of frames before a session meets them, on any thread: for a replay, which knows what comes. What is told of an event
/// is made here, too, so that the session hands it on and the thread that made it frees it.
public struct FrameDecoder: Sendable {
    private let backend: Configuration.BackendKind
    private let preparesDiffLog: Bool
    private var rooms = Twake.LikelyRooms()

    /// For sessions of this configuration. With `preparesDiffLog`, what a diff log has of an event is written and digested ahead, too, as far
    /// as that does not depend on the model.
    public init(_ configuration: Configuration, preparesDiffLog: Bool = false) {
        backend = configuration.backend
        self.preparesDiffLog = preparesDiffLog
    }

    /// Decodes the event of a text message that brings one and nothing else. Any other is given back, and one that cannot be decoded: the
    /// session finds out what that is.
    public mutating func decode(_ frame: consuming ArraySlice<UInt8>) -> DecodedFrame {
        guard backend == .twake, SocketIO.Event.isPlain(frame) else { return .undecoded(frame) }
        let source = SocketIO.Event(knownPlain: frame)
        guard let event = try? Twake.Event(text: source.text, arrayAt: source.arrayStart, likely: &rooms) else {
            return .undecoded(source.text)
        }
        if preparesDiffLog {
            event.prepareForDiffLog()
            event.prepareDigests()
        }
        return .event(EventReport(event: .twake(event), source: source))
    }
}

/// What a `FrameDecoder` made of a text message.
public enum DecodedFrame: Sendable {
    /// The event it brings, and nothing else.
    case event(EventReport)
    /// Nothing: the text as it came.
    case undecoded(ArraySlice<UInt8>)
}
