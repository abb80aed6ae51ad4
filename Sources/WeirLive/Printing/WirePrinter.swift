import WeirNetwork
import WeirTerminal
import WeirThreads

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
