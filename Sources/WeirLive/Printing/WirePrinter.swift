import WeirNetwork
import WeirPipeline
import WeirRecording
import WeirTerminal
import WeirThreads
import WeirWire

/// Prints the messages on the wire, in both directions. Each line contains the time, the direction, the transport, the
/// size and the text of one unit. Text from the peer is always escaped, even into a pipe.
package final class WirePrinter: Outlet {
    private let writer: DescriptorWriter
    private let theme: TerminalTheme?
    private let width: @Sendable () -> Int?
    private let lines: Monitor<WireLines>

    /// Creates a printer for a descriptor. Lines are cut at the width of a terminal, and complete elsewhere.
    package init(
        descriptor: Int32 = 1, colour: Bool, settings: LineSettings = LineSettings(), patience: WritePatience? = nil
    ) {
        writer = DescriptorWriter(descriptor: descriptor, name: "standard output", patience: patience)
        theme = colour ? TerminalDevice.theme : nil
        width = { TerminalDevice.width(of: descriptor) }
        lines = Monitor(WireLines(settings))
    }

    /// Always true, because wire units are all that it prints.
    package var needsWire: Bool { true }

    /// Does nothing, because reports are not wire units.
    package func write(_ reports: [StampedReport]) throws(OutletError) {}

    /// Prints the units with one write.
    package func write(units: [WireUnit]) throws(OutletError) {
        var buffer = TerminalBuffer(theme)
        buffer.limit = width()
        lines.change { lines in for unit in units { lines.append(unit, to: &buffer) } }
        if !buffer.bytes.isEmpty { try writer.write(buffer.bytes) }
    }

    /// Waits until the reader has taken all buffered output.
    package func finish() throws(OutletError) { try writer.finish() }
}

/// Formats wire units as lines. Pure.
struct WireLines {
    /// The maximum number of bytes shown of a binary unit.
    static let mostBinary = 256

    private let settings: LineSettings
    private var clock: ZoneClock
    private var last: Moment?

    init(_ settings: LineSettings) {
        self.settings = settings
        clock = ZoneClock(settings.zone)
    }

    /// Appends the line of one unit, after a date line when the day changes.
    mutating func append(_ unit: WireUnit, to buffer: inout TerminalBuffer) {
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
