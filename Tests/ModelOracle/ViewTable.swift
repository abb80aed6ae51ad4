import WeirModel

/// A view that behaves like UIKit's collection view: it holds cells, knows no model, rejects inconsistent updates, and
/// requests new cells from its data source.
struct ViewTable {
    /// The ids and contents of the cells as drawn.
    private(set) var sections: [[Row]]

    init(_ state: State) { sections = state.sections.map(\.rows) }

    /// Performs one batch update. Returns the reasons for which the view would raise an exception.
    mutating func perform(_ form: ViewForm<Row>, source: State) -> [String] {
        let rejections = rejections(form, source)
        if !rejections.isEmpty { return rejections }
        let origins = origins(form, source)
        var next: [[Row]] = []
        for (section, rows) in source.sections.enumerated() {
            // The rows of an inserted section all come from the data source.
            guard let origin = origins[section] else {
                next.append(rows.rows)
                continue
            }
            next.append(cells(of: section, from: origin, form, source))
        }
        for update in form.updates { next[update.to.section][update.to.item] = source.row(at: update.to) ?? update.new }
        for path in form.reconfigured {
            next[path.section][path.item] = source.row(at: path) ?? next[path.section][path.item]
        }
        sections = next
        return []
    }

    /// Returns the cells of a section that stays. New cells have the positions that the form specifies; the remaining
    /// cells fill the rest in order.
    private func cells(of section: Int, from origin: Int, _ form: ViewForm<Row>, _ source: State) -> [Row] {
        let count = source.sections[section].rows.count
        var cells: [Row?] = Array(repeating: nil, count: count)
        for record in form.insertions where record.path.section == section {
            cells[record.path.item] = source.row(at: record.path)
        }
        for move in form.moves where move.to.section == section {
            cells[move.to.item] = sections[move.from.section][move.from.item]
        }
        let left = form.deletions.map(\.path) + form.moves.map(\.from)
        var rest = sections[origin].indices.filter { !left.contains(SectionPath(section: origin, item: $0)) }[...]
        for item in cells.indices where cells[item] == nil { cells[item] = sections[origin][rest.removeFirst()] }
        return cells.compactMap { $0 }
    }

    /// Returns the old index of each new section; `nil` for an inserted one.
    private func origins(_ form: ViewForm<Row>, _ source: State) -> [Int?] {
        let taken = form.sectionDeletions.map(\.index) + form.sectionMoves.map(\.from)
        let fresh = form.sectionInsertions.map(\.index)
        var rest = sections.indices.filter { !taken.contains($0) }[...]
        return source.sections.indices.map { section in
            if fresh.contains(section) { return nil }
            return form.sectionMoves.first { $0.to == section }?.from ?? rest.popFirst()
        }
    }

    /// Returns the view's rules that the update breaks: no position may occur twice, none may be in a deleted or
    /// inserted section, and the counts must match.
    private func rejections(_ form: ViewForm<Row>, _ source: State) -> [String] {
        var found: [String] = []
        let gone = form.sectionDeletions.map(\.index)
        let fresh = form.sectionInsertions.map(\.index)
        let left = form.deletions.map(\.path) + form.moves.map(\.from)
        let come = form.insertions.map(\.path) + form.moves.map(\.to)
        let sectionSources = gone + form.sectionMoves.map(\.from)
        let sectionTargets = fresh + form.sectionMoves.map(\.to)
        if repeats(left + form.updates.map(\.from)) { found.append("a row is deleted, reloaded or moved from twice") }
        if repeats(come + form.updates.map(\.to)) { found.append("a row is inserted, reloaded or moved to twice") }
        if repeats(sectionSources) || repeats(sectionTargets) { found.append("a section changes twice") }
        if !form.reconfigured.allSatisfy(form.moves.map(\.to).contains) {
            found.append("a row is reconfigured in place")
        }
        if (left + form.updates.map(\.from)).contains(where: { gone.contains($0.section) }) {
            found.append("a row of a deleted section is named")
        }
        if (come + form.updates.map(\.to)).contains(where: { fresh.contains($0.section) }) {
            found.append("a row of an inserted section is named")
        }
        if !sectionSources.allSatisfy(sections.indices.contains)
            || !sectionTargets.allSatisfy(source.sections.indices.contains)
        {
            return found + ["a section that does not exist"]
        }
        if source.sections.count != sections.count - gone.count + fresh.count { return found + ["section counts"] }
        for (section, origin) in origins(form, source).enumerated() {
            guard let origin else { continue }
            let count =
                sections[origin].count - left.count { $0.section == origin } + come.count { $0.section == section }
            if count != source.sections[section].rows.count { found.append("the row count of section \(section)") }
        }
        let exist =
            (left + form.updates.map(\.from)).allSatisfy { sections[$0.section].indices.contains($0.item) }
            && (come + form.updates.map(\.to)).allSatisfy { source.row(at: $0) != nil }
        return exist ? found : found + ["a row that does not exist"]
    }

    private func repeats<Value: Comparable>(_ values: [Value]) -> Bool {
        let sorted = values.sorted()
        return zip(sorted, sorted.dropFirst()).contains { $0 == $1 }
    }
}
