package import WeirModel

/// The explicit state of a model: its sections in order, with their rows in order.
package struct State: Equatable, Sendable {
    /// A section with its rows.
    package struct Section: Equatable, Sendable {
        /// The key of the section.
        package var key: Int
        /// The rank, which takes precedence over the key in the order.
        package var rank: Int64 = 0
        /// The rows of the section; there is at least one.
        package var rows: [Row]
    }
    /// The sections in the model's order.
    package var sections: [Section] = []

    /// Creates the reference model: sorts all rows, then divides them into sections.
    package init(of rows: some Sequence<Row>, ranks: [Int: Int64] = [:]) {
        let placed = rows.map { (rank: ranks[$0.sectionKey] ?? 0, row: $0) }
        for (rank, row) in placed.sorted(by: State.precedes) {
            if sections.last?.key != row.sectionKey {
                sections.append(Section(key: row.sectionKey, rank: rank, rows: []))
            }
            sections[sections.count - 1].rows.append(row)
        }
    }

    private static func precedes(_ a: (rank: Int64, row: Row), _ b: (rank: Int64, row: Row)) -> Bool {
        if a.rank != b.rank { return a.rank < b.rank }
        if a.row.sectionKey != b.row.sectionKey { return a.row.sectionKey < b.row.sectionKey }
        if a.row.sortKey != b.row.sortKey { return a.row.sortKey < b.row.sortKey }
        return a.row.id < b.row.id
    }

    /// Creates the state that a collection shows.
    package init(_ rows: Rows) { self.init(rows.snapshot) }

    /// Creates the state that a snapshot shows.
    package init(_ snapshot: SectionedSnapshot<Row>) {
        sections = snapshot.sectionKeys.map { key in
            Section(key: key, rank: snapshot.rank(of: key), rows: snapshot.elements(in: key))
        }
    }

    /// The paths of all rows, by id.
    package var paths: [Int: SectionPath] {
        var paths: [Int: SectionPath] = [:]
        forEach { paths[$1.id] = $0 }
        return paths
    }

    /// All rows of all sections, in order.
    package var rows: [Row] { sections.flatMap(\.rows) }

    /// Returns the row at a path, or `nil` when there is none.
    package func row(at path: SectionPath) -> Row? {
        guard path.section >= 0, path.section < sections.count else { return nil }
        let rows = sections[path.section].rows
        return path.item >= 0 && path.item < rows.count ? rows[path.item] : nil
    }

    func forEach(_ body: (SectionPath, Row) -> Void) {
        for section in 0..<sections.count {
            for item in 0..<sections[section].rows.count {
                body(SectionPath(section: section, item: item), sections[section].rows[item])
            }
        }
    }
}
