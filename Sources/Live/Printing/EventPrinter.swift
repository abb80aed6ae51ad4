import JSONText
import Network
public import Pipeline
public import SectionedModel
import Terminal

/// What a printer makes of reports.
public enum PrintedForm: Sendable {
    /// One of the formats.
    case format(OutputFormat)
    /// A line for each event.
    case template(LineTemplate)
    /// Some members of the objects of `json`.
    case fields(EnvelopeFields)

    /// Whether gaps are among what is printed, for people to see.
    public var showsGaps: Bool {
        switch self {
        case .format(.compact), .format(.pretty), .format(.table), .format(.chat): true
        case .format(.json), .format(.jsonl), .format(.raw), .template, .fields: false
        }
    }
}

/// Prints events on a descriptor, usually standard output, in one of the formats; one write(2) a batch.
///
/// Standard output carries events, the changes of the model and the gaps, and nothing else: `pretty` and `compact`
/// print those three, `chat` the messages among them, `table` events and gaps, `json` also the changes of the connection and the rooms and what could not be decoded,
/// `jsonl` and `raw` the events' packets alone. Everything else is `StatusPrinter`'s. What is printed depends on the reports alone, never
/// on a clock.
public final class EventPrinter: Outlet {
    private let writer: DescriptorWriter
    private let theme: TerminalTheme?
    private let width: Int?
    private let followsTerminal: Bool
    /// Kept from batch to batch; only the outlet thread touches it.
    private let printing: Monitor<Printing>

    /// Prints on `descriptor`, which stays the caller's. `width` cuts the lines of `compact` and `table`; with `followsTerminal`
    /// the terminal is asked before each batch, so that lines fit a window whose size changes.
    public init(
        _ form: PrintedForm, descriptor: Int32 = 1, colour: Bool, width: Int?, followsTerminal: Bool = false,
        settings: LineSettings = LineSettings(), patience: WritePatience? = nil
    ) {
        self.writer = DescriptorWriter(descriptor: descriptor, name: "standard output", patience: patience)
        theme = colour ? TerminalDevice.theme : nil
        self.width = width
        self.followsTerminal = followsTerminal
        printing = Monitor(Printing(form, settings))
    }

    /// Prints in one of the formats.
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

    /// Prints what is shown with one write. What is hidden may still say what somebody is called.
    public func write(_ reports: [StampedReport], _ marks: [ViewMark]) throws(OutletError) {
        let columns = followsTerminal ? TerminalDevice.width(of: writer.descriptor) ?? width : width
        let bytes = printing.change { $0.bytes(of: reports, marks, width: columns, theme) }
        if !bytes.isEmpty { try writer.write(bytes) }
    }

    /// Learns what is called how.
    public func begin(with model: SectionedCollection<Item>, of user: String?) {
        printing.change { $0.change { $0.learn(from: model, of: user) } }
    }

    /// Waits until what was kept for the reader is written.
    public func finish() throws(OutletError) { try writer.finish() }
}

/// What a printer remembers from batch to batch, by what it prints.
enum Printing {
    case lines(EventLines)
    case table(EventTable)
    case chat(ChatLines)
    case envelopes(EnvelopePrinting)
    case payloads(inert: Bool)
    case template(LineTemplate, LineTemplate.Context)

    init(_ form: PrintedForm, _ settings: LineSettings) {
        self =
            switch form {
            case .template(let template): .template(template, LineTemplate.Context(clock: ZoneClock(settings.zone)))
            case .fields(let fields): .envelopes(EnvelopePrinting(fields: fields))
            case .format(.compact): .lines(EventLines(isCompact: true, width: nil, settings))
            case .format(.pretty): .lines(EventLines(isCompact: false, width: nil, settings))
            case .format(.chat): .chat(ChatLines(settings))
            case .format(.json): .envelopes(EnvelopePrinting())
            case .format(.jsonl): .payloads(inert: true)
            case .format(.raw): .payloads(inert: false)
            case .format(.table): .table(EventTable(settings))
            }
    }

    /// Changes what is known of names.
    mutating func change(_ body: (inout KnownNames) -> Void) {
        switch self {
        case .lines(var lines):
            body(&lines.names)
            self = .lines(lines)
        case .table(var table):
            body(&table.lines.names)
            self = .table(table)
        case .chat(var lines):
            body(&lines.names)
            self = .chat(lines)
        case .envelopes(var envelopes):
            body(&envelopes.names)
            self = .envelopes(envelopes)
        case .template(let template, var context):
            body(&context.names)
            self = .template(template, context)
        case .payloads: break
        }
    }

    /// The lines of a batch.
    mutating func bytes(of reports: [StampedReport], _ marks: [ViewMark], width: Int?, _ theme: TerminalTheme?)
        -> [UInt8]
    {
        var buffer = TerminalBuffer(theme)
        switch self {
        case .lines(var lines):
            self = .payloads(inert: true)
            lines.width = width
            for (report, mark) in zip(reports, marks) { lines.append(report, mark, to: &buffer) }
            self = .lines(lines)
            return buffer.bytes
        case .chat(var lines):
            self = .payloads(inert: true)
            lines.width = width
            for (report, mark) in zip(reports, marks) { lines.append(report, mark, to: &buffer) }
            self = .chat(lines)
            return buffer.bytes
        case .table(var table):
            self = .payloads(inert: true)
            for (report, mark) in zip(reports, marks) { table.append(report, mark, width: width, to: &buffer) }
            self = .table(table)
            return buffer.bytes
        case .envelopes(var envelopes):
            self = .payloads(inert: true)
            let bytes = envelopes.bytes(of: reports, marks)
            self = .envelopes(envelopes)
            return bytes
        case .template(let template, var context):
            let bytes = zip(reports, marks).flatMap { report, mark in
                context.names.learn(from: report.report)
                return !mark.isShown ? [] : template.line(of: report, &context)
            }
            self = .template(template, context)
            return bytes
        case .payloads(let inert): return Self.payloads(reports, marks, inert: inert)
        }
    }

    /// Line breaks can stand between the tokens of a JSON text, never inside one; a space keeps one event on one line.
    private static func payloads(_ reports: [StampedReport], _ marks: [ViewMark], inert: Bool) -> [UInt8] {
        var writer = JSONWriter()
        for (report, mark) in zip(reports, marks) where mark.isShown {
            guard case .event(let event) = report.report else { continue }
            if inert {
                writer.inertRaw(event.payload)
            } else {
                writer.raw(RawJSON(unchecked: onOneLine(event.payload.bytes)))
            }
            writer.endLine()
        }
        return writer.bytes
    }

    private static func onOneLine(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard text.contains(where: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) else { return text }
        return text.map { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") ? UInt8(ascii: " ") : $0 }[...]
    }
}

/// What the printer of `json` remembers.
struct EnvelopePrinting {
    private let fields: EnvelopeFields?
    fileprivate var names = KnownNames()
    /// Connections begun so far.
    private var connection = 0

    init(fields: EnvelopeFields? = nil) { self.fields = fields }

    mutating func bytes(of reports: [StampedReport], _ marks: [ViewMark]) -> [UInt8] {
        var projected = JSONWriter()
        // What is known is in one place at a time, so that it is not copied when more is learnt.
        var envelope = Envelope(knowing: exchange(&names, with: KnownNames()))
        for (report, mark) in zip(reports, marks) {
            if case .connection(.connecting) = report.report { connection += 1 }
            envelope.append(report, mark, connection: connection)
            guard let fields else { continue }
            if !envelope.writer.isEmpty {
                fields.append(RawJSON(unchecked: envelope.writer.bytes[...]), to: &projected)
            }
            envelope.reset()
        }
        names = envelope.names
        return fields == nil ? envelope.writer.bytes : projected.bytes
    }
}
