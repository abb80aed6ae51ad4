import WeirJSON
import WeirModel
import WeirPipeline
package import WeirTerminal

/// The built-in formats for printing events.
public enum OutputFormat: String, Sendable, CaseIterable {
    /// A block of lines for each event, with its full text and every changed field.
    case pretty
    /// One line for each event and each change, cut at the width of the terminal.
    case compact
    /// One line for each message, edit and deletion, and for each member that joins or leaves. Only gaps are added.
    case chat
    /// One JSON object per line, in the format of `schemas/envelope.schema.json`.
    case json
    /// The packets' JSON arrays (the name, then the arguments), one per line, and nothing else. Safe on a terminal.
    case jsonl
    /// The packets' JSON arrays as received, one per line, and nothing else. Not safe on a terminal.
    case raw
    /// A table of events: a heading, then one row per event, in columns that never move.
    case table
}

/// The output form of a printer.
public enum PrintedForm: Sendable {
    /// One of the built-in formats.
    case format(OutputFormat)
    /// A template that gives one line for each event.
    case template(LineTemplate)
    /// A projection of the objects of `json`.
    case fields(EnvelopeFields)

    /// Whether the output contains gaps in a form for people.
    public var showsGaps: Bool {
        switch self {
        case .format(.compact), .format(.pretty), .format(.table), .format(.chat): true
        case .format(.json), .format(.jsonl), .format(.raw), .template, .fields: false
        }
    }
}

/// The state of a printer, by output form.
package enum Printing {
    case lines(EventLines)
    case table(EventTable)
    case chat(ChatLines)
    case envelopes(EnvelopePrinting)
    case payloads(inert: Bool)
    case template(LineTemplate, LineTemplate.Context)

    package init(_ form: PrintedForm, _ settings: LineSettings) {
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

    /// Changes the names that the printer knows. Payload formats keep no names.
    package mutating func change(_ body: (inout KnownNames) -> Void) {
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

    /// Returns the output for a batch.
    package mutating func bytes(of reports: [StampedReport], _ marks: [ViewMark], width: Int?, _ theme: TerminalTheme?)
        -> [UInt8]
    {
        var buffer = TerminalBuffer(theme)
        // The state moves out and back, so that printing does not copy it.
        switch exchange(&self, with: .payloads(inert: true)) {
        case .lines(var lines):
            lines.width = width
            for (report, mark) in zip(reports, marks) { lines.append(report, mark, to: &buffer) }
            self = .lines(lines)
        case .chat(var lines):
            lines.width = width
            for (report, mark) in zip(reports, marks) { lines.append(report, mark, to: &buffer) }
            self = .chat(lines)
        case .table(var table):
            for (report, mark) in zip(reports, marks) { table.append(report, mark, width: width, to: &buffer) }
            self = .table(table)
        case .envelopes(var envelopes):
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
        case .payloads(let inert):
            self = .payloads(inert: inert)
            return Self.payloads(reports, marks, inert: inert)
        }
        return buffer.bytes
    }

    /// Returns the payloads of the events, one per line. In JSON text, line breaks can occur only between tokens, so
    /// they can be replaced by spaces.
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

/// The state of the printer for `json`.
package struct EnvelopePrinting {
    private let fields: EnvelopeFields?
    fileprivate var names = KnownNames()
    /// The number of connection attempts so far, which numbers the connections.
    private var connection = 0

    package init(fields: EnvelopeFields? = nil) { self.fields = fields }

    package mutating func bytes(of reports: [StampedReport], _ marks: [ViewMark]) -> [UInt8] {
        var projected = JSONWriter()
        // The names move into the envelope and back, so that learning does not copy them.
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
