import Events
import JSONText
import Wire

/// Decodes the events of frames before a session meets them, on any thread: for a replay, which knows what comes.
///
/// A replay on two threads takes 7.8 µs an event; one thread would take the 13.6 µs of processor time that both need (`weir-bench replay
/// --whole 1`, decode and apply).
package struct FrameDecoder: Sendable {
    private let read: (@Sendable (ArraySlice<UInt8>) -> Event?)?

    /// For sessions of this configuration.
    package init(_ configuration: Configuration) { read = configuration.backend.module.decodeAhead }

    /// The event of a text message that brings one and nothing else. Nil for any other, and for one that cannot be decoded: the session finds
    /// out what that is.
    package func decode(_ frame: ArraySlice<UInt8>) -> EventReport? {
        guard let read, let array = SocketIO.Event.plainArray(of: frame), let event = read(array) else { return nil }
        // It was read to its end, so it is JSON.
        return EventReport(event: event, source: SocketIO.Event(array: RawJSON(unchecked: array)))
    }
}
