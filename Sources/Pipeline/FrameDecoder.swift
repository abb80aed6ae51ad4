import Events
import JSONText
import Wire

/// A decoder that turns frames into events before the session receives them, on any thread. A replay uses it, because
/// it knows the frames in advance.
///
/// A replay on two threads takes 7.8 µs an event; one thread would take the 13.6 µs of processor time that both need
/// (`weir-bench replay --whole 1`, decode and apply).
package struct FrameDecoder: Sendable {
    private let read: (@Sendable (ArraySlice<UInt8>) -> Event?)?

    /// Creates a decoder for sessions with this configuration.
    package init(_ configuration: Configuration) { read = configuration.backend.module.decodeAhead }

    /// Decodes the event of a text message that contains one event and nothing else.
    ///
    /// - Returns: `nil` for any other message, and for an event that cannot be decoded. The session then handles the
    ///   message itself.
    package func decode(_ frame: ArraySlice<UInt8>) -> EventReport? {
        guard let read, let array = SocketIO.Event.plainArray(of: frame), let event = read(array) else { return nil }
        // The decoder read the array to its end, so it is valid JSON.
        return EventReport(event: event, source: SocketIO.Event(array: RawJSON(unchecked: array)))
    }
}
