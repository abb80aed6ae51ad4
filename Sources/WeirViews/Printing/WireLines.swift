import WeirPipeline
package import WeirTerminal
public import WeirWire

/// One message on the wire in one direction: a message of the connection, an HTTP request or an HTTP response. Secrets
/// that a recording would hide are removed.
public struct WireUnit: Hashable, Sendable {
    /// The number, the session time and the wall clock of its record.
    public var stamp: Stamp
    /// Whether the client sent it. Otherwise the client received it.
    public var isSent: Bool
    /// The transport: `ws`, `polling` or `http`.
    public var channel: String
    /// The text before the bytes: the method and target of a request, the status of a response, or the reason of a failed
    /// request. For a message it is empty, unless the message was injected or dropped. Untrusted text.
    public var title: String
    /// The bytes, or as many as the recording keeps. Untrusted.
    public var bytes: ArraySlice<UInt8>
    /// Whether the bytes are binary and not text.
    public var isBinary: Bool
    /// The full size in bytes.
    public var size: Int

    /// Creates a unit with all its parts.
    package init(
        stamp: Stamp, isSent: Bool, channel: String, title: String, bytes: ArraySlice<UInt8>, isBinary: Bool, size: Int
    ) {
        (self.stamp, self.isSent, self.channel, self.title) = (stamp, isSent, channel, title)
        (self.bytes, self.isBinary, self.size) = (bytes, isBinary, size)
    }
}

/// Formats wire units as lines. Pure.
package struct WireLines {
    /// The maximum number of bytes shown of a binary unit.
    static let mostBinary = 256

    private let settings: LineSettings
    private var clock: ZoneClock
    private var last: Moment?

    package init(_ settings: LineSettings) {
        self.settings = settings
        clock = ZoneClock(settings.zone)
    }

    /// Appends the line of one unit, after a date line when the day changes.
    package mutating func append(_ unit: WireUnit, to buffer: inout TerminalBuffer) {
        if settings.time == .abs { clock.appendNewDate(unit.stamp.wall, to: &buffer) }
        appendTime(unit.stamp, to: &buffer)
        buffer.append(unit.isSent ? "→" : "←", unit.isSent ? .caution : .good)
        buffer.append(" " + unit.channel.padded(8), .faint)
        buffer.append(String(unit.size).leading(8) + "  ", .heading)
        if !unit.title.isEmpty { buffer.append(unit.title + (unit.bytes.isEmpty ? "" : "  "), .heading) }
        buffer.append(Self.text(of: unit))
        buffer.endLine()
    }

    private mutating func appendTime(_ stamp: Stamp, to buffer: inout TerminalBuffer) {
        let width = ZoneClock.columns(of: 12, settings.zone)
        let text: String
        switch settings.time {
        case .none: return
        case .abs: text = clock.time(stamp.wall, columns: width)
        case .rel: text = TimeText.elapsed(milliseconds: stamp.time.microseconds / 1000)
        case .delta: text = TimeText.elapsed(milliseconds: (stamp.time - (last ?? stamp.time)).microseconds / 1000)
        }
        last = stamp.time
        buffer.pad(to: width - text.utf8.count)
        buffer.append(text + "  ", .time)
    }

    private static func text(of unit: WireUnit) -> String {
        guard unit.isBinary else { return String(decoding: unit.bytes, as: UTF8.self) }
        return Hexadecimal.text(of: unit.bytes.prefix(mostBinary)) + (unit.bytes.count > mostBinary ? "…" : "")
    }
}
