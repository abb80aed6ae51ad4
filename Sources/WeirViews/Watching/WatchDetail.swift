import WeirEvents
import WeirJSON
import WeirModel
import WeirPipeline
import WeirTerminal
import WeirWire

/// The state of the detail pane below the log. It shows one entry, or one group of the model.
struct WatchDetail: Hashable {
    /// The three views of an entry.
    enum Tab: Int, CaseIterable {
        case fields, raw, diff

        var title: String {
            switch self {
            case .fields: "fields"
            case .raw: "raw frame"
            case .diff: "diff"
            }
        }

        var next: Tab {
            switch self {
            case .fields: .raw
            case .raw: .diff
            case .diff: .fields
            }
        }
    }

    /// The object that the pane shows.
    enum Subject: Hashable {
        /// The selected entry; without a selection, the newest one.
        case entry(Tab)
        /// The rows of one group of the model.
        case group(WatchModel.Group)
    }

    var subject: Subject
    /// The number of lines scrolled out at the top.
    var offset = 0

    /// The maximum number of payload bytes shown.
    static let mostPayload = 65_536
    /// The maximum number of attachment bytes shown.
    static let mostDumped = 4096
    /// The maximum number of lines in the pane.
    static let mostLines = 2000
}

// The contents of the detail pane.
extension Watch {
    /// Returns all lines of the pane, wrapped to `width` columns.
    func detailLines(width: Int) -> [TerminalLine] {
        guard let detail else { return [] }
        var lines: [TerminalLine]
        switch detail.subject {
        case .group(let group): lines = rows(of: group)
        case .entry(let tab):
            guard let serial = cursor.entry ?? log.last(before: log.serials.upperBound), let entry = log[serial] else {
                return [TerminalLine("nothing is selected", settings.theme[.faint])]
            }
            switch tab {
            case .fields: lines = fields(of: entry)
            case .raw: lines = raw(of: entry)
            case .diff: lines = diff(of: entry)
            }
        }
        lines = Array(lines.prefix(WatchDetail.mostLines))
        return lines.flatMap { $0.wrapped(to: width) }
    }

    /// Returns the event that caused a report. An event is its own cause.
    private func cause(of stamped: StampedReport) -> EventReport? {
        if case .event(let event) = stamped.report { return event }
        let number: Int
        if case .diff(let diff) = stamped.report { number = diff.cause } else { number = stamped.stamp.n }
        guard number > 0 else { return nil }
        for serial in log.serials.reversed() {
            guard let entry = log[serial], entry.stamped.stamp.n == number,
                case .event(let event) = entry.stamped.report
            else { continue }
            return event
        }
        return nil
    }

    // MARK: - Fields

    private func fields(of entry: WatchLog.Entry) -> [TerminalLine] {
        let stamp = entry.stamped.stamp
        var lines = [field("time", TimeText.rfc3339(wall: stamp.wall)), field("record", String(stamp.n))]
        if let mark = entry.mark { lines.append(field("mark", mark)) }
        switch entry.stamped.report {
        case .event(let report):
            let event = report.event
            lines.append(field("kind", event.kind + (event.isKnown ? "" : " (unknown kind)")))
            lines.append(field("event", report.wireName))
            if report.namespace != "/" { lines.append(field("namespace", report.namespace)) }
            if let room = event.room { lines.append(field("room", room)) }
            if let actor = event.actor {
                lines.append(field("actor", printer.names.person(actor).map { "\($0) (\(actor))" } ?? actor))
            }
            let mentions = event.mentions
            if !mentions.isEmpty {
                lines.append(field("mentions", mentions.map(\.title).joined(separator: ", ")))
            }
            if let lag = entry.stamped.lag {
                lines.append(field("lag", TimeText.span(milliseconds: lag)))
            }
            if let id = report.ackID {
                lines.append(field("ack id", entry.isAnswered ? "#\(id), answered" : "#\(id)"))
            }
            lines.append(field("size", "\(report.payload.bytes.count) bytes"))
            lines += payloadFields(report.payload)
            if case .socketIO(let event) = report.source {
                for (index, bytes) in event.attachments.enumerated() {
                    lines.append(field("attachment \(index)", "\(bytes.count) bytes"))
                    lines += Self.dump(bytes).map { TerminalLine($0) }
                }
            }
        case .diff(let diff):
            lines.append(field("batch", "\(diff.sequence), caused by record \(diff.cause)"))
            for row in DiffRow.rows(of: diff.batch) {
                lines.append(heading(of: row))
                if let isRead = printer.names.isRead(row.item) { lines.append(field("  read", isRead ? "yes" : "no")) }
                for member in members(of: row.item) { append(member.value, "  " + member.key, to: &lines) }
            }
        case .gap(let gap):
            lines.append(field("gap", gap.cause.rawValue))
            lines += gap.refetching.map { field("refetching", $0) }
            if let missed = gap.missed { lines.append(field("missed", "\(missed)")) }
            if let hole = gap.hole { lines.append(field("missing", hole.sentence())) }
        case .connection, .room, .action, .emit, .refetch, .typing, .undecodable, .notice:
            lines += bodies(of: entry.stamped)
        }
        return lines
    }

    /// Returns a hex dump of the first bytes: sixteen bytes per line, between their offset and their ASCII text.
    static func dump(_ bytes: ArraySlice<UInt8>) -> [String] {
        let shown = bytes.prefix(WatchDetail.mostDumped)
        var lines = stride(from: 0, to: shown.count, by: 16).map { place in
            let row = shown.dropFirst(place).prefix(16)
            let hex = row.map { Hexadecimal.text(of: [$0]) }.joined(separator: " ")
            let text = row.map { 0x20...0x7E ~= $0 ? Character(Unicode.Scalar($0)) : "." }
            return "  \(Hexadecimal.text(of: UInt64(place)).suffix(8))  \(hex.padded(47))  \(String(text))"
        }
        if shown.count < bytes.count { lines.append("  … \(bytes.count - shown.count) more bytes") }
        return lines
    }

    private func field(_ name: String, _ value: String) -> TerminalLine {
        var line = TerminalLine(name, settings.theme[.key])
        line.append(String(repeating: " ", count: max(14 - line.columns, 2)))
        line.append(value)
        return line
    }

    /// Returns one line for each leaf value of the payload, with its path.
    private func payloadFields(_ payload: RawJSON) -> [TerminalLine] {
        guard let value = try? JSONValue(parsing: payload.bytes) else {
            return [field("payload", "cannot be read as JSON")]
        }
        var lines: [TerminalLine] = []
        append(value, "payload", to: &lines)
        return lines
    }

    private func append(_ value: JSONValue, _ path: String, to lines: inout [TerminalLine]) {
        guard lines.count < WatchDetail.mostLines else { return }
        switch value {
        case .object(let members) where !members.isEmpty:
            for member in members { append(member.value, path + "." + member.key, to: &lines) }
        case .array(let elements) where !elements.isEmpty:
            for (index, element) in elements.enumerated() { append(element, path + "[\(index)]", to: &lines) }
        case .null, .bool, .integer, .number, .string, .text, .object, .array:
            var writer = JSONWriter()
            writer.value(value)
            var line = TerminalLine(path, settings.theme[.key])
            line.append("  ")
            line.append(String(decoding: writer.bytes.prefix(WatchDetail.mostPayload), as: UTF8.self))
            lines.append(line)
        }
    }

    private func members(of item: Item) -> [JSONValue.Member] {
        var writer = JSONWriter()
        writer.beginObject()
        ItemFacts(item).writeFields(into: &writer)
        writer.endObject()
        guard case .object(let members)? = try? JSONValue(parsing: writer.bytes[...]) else { return [] }
        return members
    }

    // MARK: - Raw

    private func raw(of entry: WatchLog.Entry) -> [TerminalLine] {
        if case .undecodable(let report) = entry.stamped.report {
            return [TerminalLine(String(decoding: report.excerpt, as: UTF8.self))]
        }
        guard let event = cause(of: entry.stamped) else {
            return [TerminalLine("the frame of this line is no longer kept", settings.theme[.faint])]
        }
        guard event.payload.bytes.count <= WatchDetail.mostPayload,
            let value = try? JSONValue(parsing: event.payload.bytes)
        else { return [TerminalLine(text(ofPayload: event))] }
        return JSONLines.lines(of: value, most: WatchDetail.mostLines).map { parts in
            var line = TerminalLine()
            for part in parts { line.append(part.text, settings.theme[part.style]) }
            return line
        }
    }

    private func text(ofPayload event: EventReport) -> String {
        let bytes = event.payload.bytes
        var text = String(decoding: bytes.prefix(WatchDetail.mostPayload), as: UTF8.self)
        if bytes.count > WatchDetail.mostPayload { text += "… (\(bytes.count) bytes)" }
        return text
    }

    // MARK: - Diff

    /// Returns the changes that an entry made to the model, row by row, with the fields that differ.
    private func diff(of entry: WatchLog.Entry) -> [TerminalLine] {
        let reports = diffs(of: entry)
        guard !reports.isEmpty else {
            return [TerminalLine("no changes of the model", settings.theme[.faint])]
        }
        var lines: [TerminalLine] = []
        for row in reports.flatMap({ DiffRow.rows(of: $0.batch) }) {
            lines.append(heading(of: row))
            for difference in row.differences(ItemFacts(row.item)) {
                var line = TerminalLine("  " + difference.key + "  ", settings.theme[.key])
                line.append(difference.old.map(\.text) ?? "nothing", settings.theme[.bad])
                line.append(" → ")
                line.append(difference.new.map(\.text) ?? "nothing", settings.theme[.good])
                lines.append(line)
            }
        }
        return lines
    }

    /// Returns the batches that an entry's record caused. They follow the entry within 200 entries.
    func diffs(of entry: WatchLog.Entry) -> [DiffReport] {
        if case .diff(let diff) = entry.stamped.report { return [diff] }
        guard entry.stamped.stamp.n > 0 else { return [] }
        var reports: [DiffReport] = []
        for serial in entry.serial..<min(entry.serial + 200, log.serials.upperBound) {
            guard let other = log[serial], case .diff(let diff) = other.stamped.report,
                diff.cause == entry.stamped.stamp.n
            else { continue }
            reports.append(diff)
        }
        return reports
    }

    private func heading(of row: DiffRow) -> TerminalLine {
        var line = TerminalLine("\(row.operation.sign) ", settings.theme[row.operation.style])
        line.append(
            "\(row.item.id.kind.rawValue) \(ShortName.shorteningIDs(row.item.id.text))", settings.theme[.heading])
        if let label = printer.names.label(of: row.item, ItemFacts(row.item)) { line.append("  " + label) }
        line.append("  in \(name(of: row.item.sectionKey))", settings.theme[.faint])
        return line
    }

    // MARK: - Groups

    /// Returns one line for each row of a group, in order.
    private func rows(of group: WatchModel.Group) -> [TerminalLine] {
        guard let model = modelPane.model, let index = model.index(of: group) else {
            return [TerminalLine("these rows no longer exist", settings.theme[.faint])]
        }
        return model.rows(at: index, most: WatchDetail.mostLines).map { item in
            let isNew = modelPane.flashes[item.id]
            var line = TerminalLine(isNew ? "▸ " : "  ", settings.theme[.caution])
            if let said = item.saidAt {
                var clock = clock
                line.append(
                    TimeText.clock(wall: clock.local(said.milliseconds * 1000)).prefix(5) + "  ", settings.theme[.time])
            }
            let label = printer.names.label(of: item, ItemFacts(item)) ?? item.id.shortText
            line.append(label, TerminalAppearance(isNew ? [.bold] : []))
            if let delivery = item.delivery { line.append("  \(delivery.rawValue)", settings.theme[.caution]) }
            if settings.lines.showsIDs { line.append("  " + item.id.shortText, settings.theme[.faint]) }
            return line
        }
    }

    /// Returns the display name of a group.
    func name(of group: WatchModel.Group) -> String {
        switch group {
        case .section(let section): name(of: section)
        case .named(let name): name
        }
    }

    /// Returns the display name of a section. The messages of a channel use the channel's label.
    func name(of section: Item.Section) -> String {
        if settings.lines.showsIDs { return ShortName.shorteningIDs(section.text) }
        // The rows of a thread contain its channel.
        let first = section.name == "thread" ? modelPane.model?.base.elements(in: section).first : nil
        return first.map { printer.names.place(of: $0) } ?? printer.names.label(of: section)
    }

    /// The text that a copy puts on the clipboard: the raw payload or the printed lines of the current entry, escaped.
    var textToCopy: String? {
        guard let serial = cursor.entry ?? log.last(before: log.serials.upperBound), let entry = log[serial] else {
            return nil
        }
        if case .entry(.raw)? = detail?.subject, let event = cause(of: entry.stamped) {
            return TerminalText.escaped(text(ofPayload: event))
        }
        return bodies(of: entry.stamped).map(\.text).joined(separator: "\n")
    }
}

extension RawJSON {
    fileprivate var text: String { String(decoding: bytes, as: UTF8.self) }
}
