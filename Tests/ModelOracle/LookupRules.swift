import WeirModel

/// Checks every lookup of a collection against the explicit state.
struct LookupRules {
    let rows: SectionedSnapshot<Row>
    let state: State

    var problems: [String] {
        var found: [String] = []
        if State(rows) != state { found.append("rows differ") }
        if rows.sectionCount != state.sections.count { found.append("section counts differ") }
        for (index, section) in state.sections.enumerated() {
            let agrees =
                rows.elementCount(in: section.key) == section.rows.count
                && rows.elementCount(at: index) == section.rows.count && rows.sectionKey(at: index) == section.key
                && rows.sectionIndex(of: section.key) == index && rows.rank(of: section.key) == section.rank
            if !agrees { found.append("section \(section.key) differs") }
        }
        var rest = state.sections[...]
        var next = 0
        var count = 0
        rows.forEachElement { path, row in
            count += 1
            while next == rest.first?.rows.count {
                rest.removeFirst()
                next = 0
            }
            let expected = SectionPath(section: rest.startIndex, item: next)
            if path != expected || rest.first?.rows[next] != row { found.append("iteration differs at \(path)") }
            if rows.path(of: row.id) != path || rows.element(at: path) != row { found.append("\(path) differs") }
            next += 1
        }
        if rows.count != count || count != state.sections.reduce(0, { $0 + $1.rows.count }) {
            found.append("counts differ")
        }
        if let broken = rows.brokenInvariant() { found.append("broken: \(broken)") }
        return found + absences
    }

    private var absences: [String] {
        var found: [String] = []
        for section in -1...state.sections.count {
            let count = state.sections.indices.contains(section) ? state.sections[section].rows.count : 0
            for item in [-1, count] where rows.element(at: SectionPath(section: section, item: item)) != nil {
                found.append("something is at section \(section), item \(item)")
            }
        }
        if rows.path(of: -1) != nil { found.append("an id that never was has a path") }
        return found
    }
}
