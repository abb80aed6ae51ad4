import JSONText
import Network
import Pipeline
import Synchronization
import Terminal

/// Prints events on a descriptor, usually standard output, in one of four formats; one write(2) a batch.
///
/// Standard output carries events, the changes of the model and the gaps, and nothing else: `pretty` and `compact`
/// print those three, `json` also the changes of the connection and the rooms and what could not be decoded, `raw` the
/// events' packets alone. Everything else is `StatusPrinter`'s. What is printed depends on the reports alone, never on
/// a clock.
public final class EventPrinter: Outlet {
    private let format: OutputFormat
    private let writer: DescriptorWriter
    private let colour: Bool
    private let width: Int?
    private let followsTerminal: Bool
    /// Connections begun so far. Atomic because outlets are `Sendable`; only the outlet thread touches it.
    private let connection = Atomic<Int>(0)
    /// Kept from batch to batch; only the outlet thread touches it.
    private let lines: Monitor<EventLines>

    /// Prints on `descriptor`, which stays the caller's. `width` cuts the lines of `compact`; with `followsTerminal`
    /// the terminal is asked before each batch, so that lines fit a window whose size changes.
    public init(
        format: OutputFormat, descriptor: Int32 = 1, colour: Bool, width: Int?, followsTerminal: Bool = false,
        settings: LineSettings = LineSettings()
    ) {
        self.format = format
        self.writer = DescriptorWriter(descriptor: descriptor, name: "standard output")
        self.colour = colour
        self.width = width
        self.followsTerminal = followsTerminal
        lines = Monitor(EventLines(isCompact: format == .compact, width: width, settings))
    }

    /// Prints the reports with one write.
    public func write(_ reports: [StampedReport]) throws(OutletError) {
        let bytes: [UInt8] =
            switch format {
            case .pretty, .compact: lines(reports)
            case .json: envelopes(reports)
            case .raw: payloads(reports)
            }
        if !bytes.isEmpty { try writer.write(bytes) }
    }

    /// Nothing is kept back, so there is nothing to do.
    public func finish() throws(OutletError) {}

    private func lines(_ reports: [StampedReport]) -> [UInt8] {
        let columns = followsTerminal ? TerminalDevice.width(of: writer.descriptor) ?? width : width
        return lines.change { lines in
            lines.width = columns
            var buffer = TerminalBuffer(colour: colour)
            for report in reports { lines.append(report, to: &buffer) }
            return buffer.bytes
        }
    }

    private func envelopes(_ reports: [StampedReport]) -> [UInt8] {
        var envelope = Envelope()
        for report in reports {
            if case .connection(.connecting) = report.report { connection.add(1, ordering: .relaxed) }
            envelope.append(report, connection: connection.load(ordering: .relaxed))
        }
        return envelope.writer.bytes
    }

    /// Line breaks can stand between the tokens of a JSON text, never inside one; a space keeps one event on one line.
    private func payloads(_ reports: [StampedReport]) -> [UInt8] {
        var bytes: [UInt8] = []
        for report in reports {
            guard case .event(let event) = report.report else { continue }
            let start = bytes.count
            bytes.append(contentsOf: event.payload.bytes)
            for index in start..<bytes.count
            where bytes[index] == UInt8(ascii: "\n") || bytes[index] == UInt8(ascii: "\r") {
                bytes[index] = UInt8(ascii: " ")
            }
            bytes.append(UInt8(ascii: "\n"))
        }
        return bytes
    }
}
