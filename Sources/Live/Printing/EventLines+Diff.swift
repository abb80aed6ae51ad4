import Events
import JSONText
import Pipeline
import SectionedModel
import Wire
import Terminal

extension EventLines {
    /// Appends the lines of one batch, such as `+ message  #General  Ana Lima: hello`.
    func append(_ rows: [DiffRow], cause: Int, to buffer: inout TerminalBuffer) {
        guard isCompact else {
            for row in rows { append(row, cause: cause, to: &buffer) }
            return
        }
        var start = 0
        while start < rows.count {
            let end = EventLines.endOfRun(rows, from: start)
            let shown = end - start > EventLines.mostRows ? start + EventLines.mostRows - 1 : end
            for row in rows[start..<shown] { append(row, cause: cause, to: &buffer) }
            if shown < end { appendRest(of: rows[start], count: end - shown, to: &buffer) }
            start = end
        }
    }

    /// Returns the end of the run of rows with the same operation, kind and section.
    private static func endOfRun(_ rows: [DiffRow], from start: Int) -> Int {
        var end = start + 1
        while end < rows.count, rows[end].operation == rows[start].operation,
            rows[end].item.id.kind == rows[start].item.id.kind,
            rows[end].item.sectionKey == rows[start].item.sectionKey
        {
            end += 1
        }
        return end
    }

    private func append(_ row: DiffRow, cause: Int, to buffer: inout TerminalBuffer) {
        let facts = ItemFacts(row.item)
        let isForUser = row.operation != .delete && names.isUser(among: row.item.entity.value.mentions)
        buffer.pad(to: Self.indent)
        buffer.append(row.operation.sign + " " + row.item.id.kind.rawValue, row.operation.style)
        if settings.showsIDs { buffer.append("  " + (isCompact ? row.item.id.shortText : row.item.id.text), .faint) }
        if let place = place(of: row) { buffer.append("  " + place, .faint) }
        buffer.append("  ")
        if isForUser { appendMentionMark(to: &buffer) }
        buffer.isHighlighted = isForUser || isPointedOut
        if let label = names.label(of: row.item, facts) {
            buffer.append(label)
        } else if !settings.showsIDs {
            buffer.append(row.item.id.shortText)
        }
        buffer.isHighlighted = false
        let differences = row.differences(facts)
        if isCompact, !differences.isEmpty {
            buffer.append("  " + differences.map(\.key).joined(separator: ", "), .faint)
        }
        if settings.showsIDs { buffer.append("  n:\(cause)", .faint) }
        buffer.endLine()
        if !isCompact { appendFields(differences, to: &buffer) }
    }

    private func appendRest(of first: DiffRow, count: Int, to buffer: inout TerminalBuffer) {
        buffer.pad(to: Self.indent)
        buffer.append("\(first.operation.sign) \(count) more of \(first.item.id.kind.rawValue)", first.operation.style)
        buffer.append("  " + section(of: first.item), .faint)
        buffer.endLine()
    }

    private func appendFields(_ differences: [ItemFacts.Difference], to buffer: inout TerminalBuffer) {
        for difference in differences {
            buffer.pad(to: Self.indent + 2)
            buffer.append(difference.key + "  ", .key)
            buffer.append(EventLines.text(of: difference.old) + " → " + EventLines.text(of: difference.new))
            buffer.endLine()
        }
    }

    /// Returns the place of a row, and its old place when it moved. Returns `nil` for a section without a parent, which
    /// is named after its rows, unless ids are shown.
    private func place(of row: DiffRow) -> String? {
        let section = section(of: row.item)
        guard row.operation == .move, let from = row.from, let to = row.to, let old = row.old else {
            return row.item.sectionKey.parent == nil && !settings.showsIDs ? nil : section
        }
        if old.sectionKey == row.item.sectionKey { return "\(section) \(from.item) → \(to.item)" }
        return "from \(self.section(of: old)) to \(section)"
    }

    private func section(of item: Item) -> String {
        if !settings.showsIDs { return names.place(of: item) }
        return isCompact ? item.sectionKey.shortText : item.sectionKey.text
    }

    /// Returns a field's value as JSON text; `nothing` for a missing field.
    private static func text(of value: RawJSON?) -> String {
        value.map { String(decoding: $0.bytes, as: UTF8.self) } ?? "nothing"
    }
}
