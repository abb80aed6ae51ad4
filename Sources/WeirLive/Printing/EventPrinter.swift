public import WeirModel
import WeirNetwork
public import WeirPipeline
import WeirTerminal
import WeirThreads

/// Prints events to a descriptor, usually standard output, in one of the formats. It calls write(2) once per batch.
///
/// Standard output contains only events, changes of the model and gaps. `pretty` and `compact` print all three. `chat`
/// prints the messages among them. `table` prints events and gaps. `json` also prints changes of the connection and of
/// rooms, and data that could not be decoded. `jsonl` and `raw` print only the packets of events. `StatusPrinter`
/// prints everything else. The output depends only on the reports, never on a clock.
public final class EventPrinter: Outlet {
    private let writer: DescriptorWriter
    private let theme: TerminalTheme?
    private let width: Int?
    private let followsTerminal: Bool
    /// The state that lasts from batch to batch. Only the outlet thread uses it.
    private let printing: Monitor<Printing>

    /// Creates a printer for `descriptor`, which the caller continues to own.
    ///
    /// - Parameters:
    ///   - width: The length at which `compact`, `chat` and `table` cut lines; `nil` for no limit.
    ///   - followsTerminal: Whether to read the terminal's width before each batch, so that lines fit a window that is
    ///     resized.
    package init(
        _ form: PrintedForm, descriptor: Int32 = 1, colour: Bool, width: Int?, followsTerminal: Bool = false,
        settings: LineSettings = LineSettings(), patience: WritePatience? = nil
    ) {
        self.writer = DescriptorWriter(descriptor: descriptor, name: "standard output", patience: patience)
        theme = colour ? TerminalDevice.theme : nil
        self.width = width
        self.followsTerminal = followsTerminal
        printing = Monitor(Printing(form, settings))
    }

    /// Creates a printer for one of the built-in formats.
    public convenience init(
        format: OutputFormat, descriptor: Int32 = 1, colour: Bool, width: Int?, followsTerminal: Bool = false,
        settings: LineSettings = LineSettings()
    ) {
        self.init(
            .format(format), descriptor: descriptor, colour: colour, width: width, followsTerminal: followsTerminal,
            settings: settings)
    }

    /// Prints the reports with one write.
    public func write(_ reports: [StampedReport]) throws(OutletError) {
        try write(reports, Array(repeating: ViewMark(), count: reports.count))
    }

    /// Prints the shown reports with one write. Hidden reports may still contain names.
    public func write(_ reports: [StampedReport], _ marks: [ViewMark]) throws(OutletError) {
        let columns = followsTerminal ? TerminalDevice.width(of: writer.descriptor) ?? width : width
        let bytes = printing.change { $0.bytes(of: reports, marks, width: columns, theme) }
        if !bytes.isEmpty { try writer.write(bytes) }
    }

    /// Learns the names in the model.
    public func begin(with model: SectionedCollection<Item>, of user: String?) {
        printing.change { $0.change { $0.learn(from: model, of: user) } }
    }

    /// Waits until the reader has taken all buffered output.
    public func finish() throws(OutletError) { try writer.finish() }
}
