import Events
import JSONText
import Wire

/// Decodes the events of frames before a session meets them, on any thread: for a replay, which knows what comes.
public struct FrameDecoder: Sendable {
    private let backend: Configuration.BackendKind

    /// For sessions of this configuration.
    public init(_ configuration: Configuration) { backend = configuration.backend }

    /// Decodes the event of a text message that brings one and nothing else. Any other is given back, and one that cannot be decoded: the
    /// session finds out what that is.
    public func decode(_ frame: consuming ArraySlice<UInt8>) -> DecodedFrame {
        guard backend == .twake, SocketIO.Event.isPlain(frame) else { return .undecoded(frame) }
        let source = SocketIO.Event(knownPlain: frame)
        guard let event = try? Twake.Event(text: source.text, arrayAt: source.arrayStart) else {
            return .undecoded(source.text)
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
