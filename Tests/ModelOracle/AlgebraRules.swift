package import WeirModel

/// Checks the forms into which a batch can be converted. A separate interpreter verifies each against the two states.
package struct AlgebraRules {
    let batch: Batch<Row>
    let old: State
    let new: State

    /// Creates the rules for a batch between two states.
    package init(batch: Batch<Row>, old: State, new: State) {
        self.batch = batch
        self.old = old
        self.new = new
    }

    /// The errors found, one sentence for each wrong form.
    package var problems: [String] {
        viewProblems + stepProblems
    }

    private var viewProblems: [String] {
        var view = ViewTable(old)
        var found = view.perform(batch.viewForm(), source: new).map { "view form: " + $0 }
        if found.isEmpty, view.sections != new.sections.map(\.rows) { found.append("the view shows another state") }
        let plain = batch.viewForm { $0.content == $1.content }
        view = ViewTable(old)
        found += view.perform(plain, source: new).map { "plain view form: " + $0 }
        guard found.isEmpty else { return found }
        let drawn = view.sections.map { $0.map { [$0.id, $0.content] } }
        if drawn != new.sections.map({ $0.rows.map { [$0.id, $0.content] } }) {
            found.append("the view that draws contents only shows another state")
        }
        return found
    }

    private var stepProblems: [String] {
        var sections = old.sections.map { (key: $0.key, rows: $0.rows) }
        for step in batch.steps {
            switch step {
            case .removeRow(let path, let row):
                if sections[path.section].rows.remove(at: path.item) != row { return ["a step removes another row"] }
            case .removeSection(let index, let key):
                let section = sections.remove(at: index)
                if section.key != key || !section.rows.isEmpty { return ["a step removes another section"] }
            case .moveSection(let from, let to, let key):
                let section = sections.remove(at: from)
                if section.key != key { return ["a step moves another section"] }
                sections.insert(section, at: to)
            case .insertSection(let index, let key): sections.insert((key, []), at: index)
            case .insertRow(let path, let row): sections[path.section].rows.insert(row, at: path.item)
            case .updateRow(let path, let row):
                if sections[path.section].rows[path.item].id != row.id { return ["a step updates another row"] }
                sections[path.section].rows[path.item] = row
            }
        }
        let isRight = sections.map(\.key) == new.sections.map(\.key) && sections.map(\.rows) == new.sections.map(\.rows)
        return isRight ? [] : ["the steps lead to another state"]
    }
}
