import WeirModel

/// A table view as far as a model is concerned: it collects the callbacks between will and did, then performs them at
/// once by the rules of batch updates. It keeps the reported entities and never reads the model.
final class TestTable<Entity: ModelEntity>: ModelObserver {
    struct Section: Equatable {
        var name: String
        var rows: [Entity]
    }

    private(set) var sections: [Section] = []
    /// The rules that the callbacks violated.
    private(set) var problems: [String] = []
    /// The number of reported changes.
    private(set) var changes = 0
    /// The types of the last change's callbacks, in order.
    private(set) var calls: [String] = []
    private(set) var isIdle = true

    private var sectionsOut: [Int] = []
    private var sectionsMoved: [(from: Int, to: Int)] = []
    private var sectionsIn: [(at: Int, section: Section)] = []
    private var rowsOut: [SectionPath] = []
    private var rowsIn: [(at: SectionPath, row: Entity)] = []
    private var updates: [(at: SectionPath, row: Entity)] = []

    func reload(from model: some EntityReading<Entity>) {
        sections = model.sections.map { Section(name: $0.name, rows: $0.entities) }
    }

    func modelWillChangeContent() {
        if !isIdle { problems.append("will within a change") }
        isIdle = false
        changes += 1
        calls = []
    }

    func model(
        didChange infos: [SectionInfo<Entity>], atSectionIndexes indexes: [Int]?, for type: ModelChangeType,
        newSectionIndexes newIndexes: [Int]?
    ) {
        calls.append("section \(type)")
        expect(!infos.isEmpty && !isIdle, "sections without a change")
        switch (type, indexes, newIndexes) {
        case (.delete, let old?, nil):
            expect(ascends(old) && zip(old, infos).allSatisfy { sections[$0].name == $1.name }, "section deletes")
            expect(zip(old, infos).allSatisfy { sections[$0].rows.count == $1.numberOfEntities }, "rows of deletes")
            sectionsOut += old
        case (.insert, nil, let new?):
            expect(ascends(new), "section inserts")
            sectionsIn += zip(new, infos).map { ($0, Section(name: $1.name, rows: $1.entities)) }
        case (.move, let old?, let new?):
            expect(ascends(new) && zip(old, infos).allSatisfy { sections[$0].name == $1.name }, "section moves")
            sectionsMoved += Array(zip(old, new)).map { ($0.0, $0.1) }
        case (.insert, _, _), (.delete, _, _), (.move, _, _), (.update, _, _):
            problems.append("a \(type) of sections with the wrong indices")
        }
    }

    func model(
        didChange entities: [Entity], at paths: [SectionPath]?, for type: ModelChangeType, newPaths: [SectionPath]?
    ) {
        calls.append("row \(type)")
        expect(!entities.isEmpty && !isIdle, "rows without a change")
        switch (type, paths, newPaths) {
        case (.delete, let old?, nil):
            expect(ascends(old) && zip(old, entities).allSatisfy { id($0) == $1.uniqueValue }, "row deletes")
            rowsOut += old
        case (.insert, nil, let new?):
            expect(ascends(new), "row inserts")
            rowsIn += zip(new, entities).map { ($0, $1) }
        case (.move, let old?, let new?):
            expect(ascends(new) && zip(old, entities).allSatisfy { id($0) == $1.uniqueValue }, "row moves")
            rowsOut += old
            rowsIn += zip(new, entities).map { ($0, $1) }
        case (.update, let old?, nil):
            expect(ascends(old) && zip(old, entities).allSatisfy { id($0) == $1.uniqueValue }, "row updates")
            updates += zip(old, entities).map { ($0, $1) }
        case (.insert, _, _), (.delete, _, _), (.move, _, _), (.update, _, _):
            problems.append("a \(type) of rows with the wrong paths")
        }
    }

    func modelDidChangeContent() {
        if isIdle { problems.append("did without will") }
        isIdle = true
        for (path, row) in updates { sections[path.section].rows[path.item] = row }
        for path in rowsOut.sorted(by: >) { sections[path.section].rows.remove(at: path.item) }
        for (from, to) in sectionsMoved { sectionsIn.append((to, sections[from])) }
        for index in (sectionsOut + sectionsMoved.map(\.from)).sorted(by: >) { sections.remove(at: index) }
        for (index, section) in sectionsIn.sorted(by: { $0.at < $1.at }) { sections.insert(section, at: index) }
        for (path, row) in rowsIn.sorted(by: { $0.at < $1.at }) {
            sections[path.section].rows.insert(row, at: path.item)
        }
        (sectionsOut, sectionsMoved, sectionsIn, rowsOut, rowsIn, updates) = ([], [], [], [], [], [])
    }

    private func id(_ path: SectionPath) -> Entity.UniqueValue? {
        guard sections.indices.contains(path.section) else { return nil }
        let rows = sections[path.section].rows
        return rows.indices.contains(path.item) ? rows[path.item].uniqueValue : nil
    }

    private func expect(_ isRight: Bool, _ rule: String) {
        if !isRight { problems.append(rule) }
    }

    private func ascends<Value: Comparable>(_ values: [Value]) -> Bool {
        zip(values, values.dropFirst()).allSatisfy { $0 < $1 }
    }
}
