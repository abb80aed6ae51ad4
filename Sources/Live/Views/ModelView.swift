import Pipeline
import Recording
import SectionedModel
import Terminal
import Wire

/// The view `model`: the sections of the model, the number of rows in each, and the rows that changed last. Changes of
/// the last second are highlighted.
struct ModelView: LiveView {
    private struct Row: Sendable {
        var id: Item.ID
        var time: Moment
        var operation: DiffRow.Operation
        var label: String
        var fields: String
    }

    private struct Section: Sendable {
        var key: Item.Section?
        var rows = 0
        var changes = 0
        var last = Moment.zero
        var recent: [Row] = []
    }

    private static let kept = 6
    private static let mostLabel = 120
    private var sections = NamedBook(Section())

    mutating func take(_ stamped: StampedReport, _ names: KnownNames) {
        guard case .diff(let diff) = stamped.report else { return }
        let rows = DiffRow.rows(of: diff.batch)
        for row in rows {
            count(row)
            // In a large batch, inserted rows are counted but not listed.
            if rows.count <= 64 || row.operation != .insert { note(row, names, at: stamped.stamp.time) }
        }
    }

    private mutating func count(_ row: DiffRow) {
        switch row.operation {
        case .insert: sections.change(row.item.sectionKey.text) { $0.rows += 1 }
        case .delete: sections.change(row.item.sectionKey.text) { $0.rows -= 1 }
        case .move:
            if let old = row.old, old.sectionKey != row.item.sectionKey {
                sections.change(old.sectionKey.text) { $0.rows -= 1 }
                sections.change(row.item.sectionKey.text) { $0.rows += 1 }
            }
        case .update: break
        }
    }

    private mutating func note(_ row: DiffRow, _ names: KnownNames, at time: Moment) {
        let facts = ItemFacts(row.item)
        let label = String(
            decoding: (names.label(of: row.item, facts) ?? "").utf8.prefix(Self.mostLabel), as: UTF8.self)
        let fields = row.differences(facts).prefix(6).map(\.key).joined(separator: ", ")
        let new = Row(id: row.item.id, time: time, operation: row.operation, label: label, fields: fields)
        sections.change(row.item.sectionKey.text) { section in
            section.key = row.item.sectionKey
            section.changes += 1
            section.last = time
            section.recent.removeAll { $0.id == new.id }
            section.recent.insert(new, at: 0)
            if section.recent.count > Self.kept { section.recent.removeLast() }
        }
    }

    func draw(_ place: ViewPlace, to buffer: inout TerminalBuffer) {
        let sorted = sections.sorted { $0.last.microseconds }.filter { $0.entry.rows > 0 || $0.entry.changes > 0 }
        // The sections that changed last also list rows. These rows share the lines that the section headings leave
        // free.
        let shown = sorted.prefix(max(min(place.rows, 1_000_000) / 4, 1))
        let share = shown.isEmpty ? 0 : (max(place.rows - 1, 1) - shown.count) / shown.count
        for (name, section) in shown {
            buffer.append(
                place.showsIDs ? ShortName.shorteningIDs(name) : section.key.map { place.names.label(of: $0) } ?? name,
                .heading)
            buffer.append("  \(section.rows) rows, \(section.changes) changes", .faint)
            buffer.endLine()
            for row in section.recent.prefix(min(share, Self.kept)) { append(row, place, to: &buffer) }
        }
        if sorted.count > shown.count || sections.hasOthers {
            buffer.append("\(sorted.count - shown.count) more sections", .faint)
            buffer.endLine()
        }
    }

    private func append(_ row: Row, _ place: ViewPlace, to buffer: inout TerminalBuffer) {
        let age = place.now - row.time
        let isFresh = age < .seconds(1)
        buffer.append("  \(row.operation.sign) ", row.operation.style)
        let hasID = place.showsIDs || row.label.isEmpty
        if hasID { buffer.append(row.id.shortText, .faint) }
        let label = TerminalText.truncated(row.label, to: 60)
        buffer.append((hasID && !label.isEmpty ? "  " : "") + label, isFresh ? .heading : .plain)
        if !row.fields.isEmpty { buffer.append("  " + row.fields, isFresh ? row.operation.style : .faint) }
        let ago = TimeText.span(milliseconds: max(age.microseconds, 0) / 1000)
        buffer.append("  \(ago)", .faint)
        buffer.endLine()
    }
}
