import SectionedModel

/// Every lookup of a collection against the spelled-out state.
struct LookupRules {
    let rows: Rows
    let state: State

    var problems: [String] {
        var found: [String] = []
        if State(rows) != state { found.append("rows differ") }
        if rows.sectionCount != state.sections.count { found.append("section counts differ") }
        for section in state.sections where rows.elementCount(in: section.key) != section.rows.count {
            found.append("count of section \(section.key) differs")
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
