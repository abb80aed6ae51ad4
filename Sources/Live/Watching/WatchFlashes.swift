import Pipeline
import SectionedModel
import Wire

/// The recent changes of the model, for highlighting. Pure and bounded.
struct WatchFlashes: Sendable {
    /// How long a change stays highlighted.
    static let duration: Duration = .milliseconds(1500)
    /// The maximum number of highlighted rows.
    static let most = 1000

    /// The recent changes in one section.
    struct Change: Hashable, Sendable {
        var inserted = 0
        var deleted = 0
        var changed = 0
        fileprivate(set) var until = Moment.zero
    }

    private var sections: [Item.Section: Change] = [:]
    private var rows: [Item.ID: Moment] = [:]
    /// The time at which the first highlight ends; `nil` without highlights.
    private(set) var deadline: Moment?

    subscript(section: Item.Section) -> Change? { sections[section] }
    subscript(row: Item.ID) -> Bool { rows[row] != nil }

    mutating func note(_ changes: [DiffRow], at now: Moment) {
        let until = now + Self.duration
        for row in changes {
            var change = sections[row.item.sectionKey] ?? Change()
            switch row.operation {
            case .insert: change.inserted += 1
            case .delete: change.deleted += 1
            case .move, .update: change.changed += 1
            }
            change.until = until
            sections[row.item.sectionKey] = change
            if rows.count < Self.most || rows[row.item.id] != nil { rows[row.item.id] = until }
        }
        if deadline == nil, !changes.isEmpty { deadline = until }
    }

    mutating func forget(before now: Moment) {
        guard let deadline, deadline <= now else { return }
        sections = sections.filter { $0.value.until > now }
        rows = rows.filter { $0.value > now }
        self.deadline = [sections.values.map(\.until).min(), rows.values.min()].compactMap { $0 }.min()
    }
}
