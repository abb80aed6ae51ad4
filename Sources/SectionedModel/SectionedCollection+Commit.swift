extension SectionedCollection {
    /// Applies what is staged as one transaction. Nil when nothing differs.
    ///
    /// The batch has the fewest moves of all that move only rows that were staged and differ.
    @inlinable
    public mutating func commit() -> Batch<Element>? {
        if staging.entries.count <= 1 {
            return staging.entries.popLast().flatMap { commitSole($0.id, $0.element) }
        }
        var touched = netEffect()
        staging.clear()
        guard !touched.isEmpty else { return nil }
        let changes = replace(&touched)
        return Batch(touched, changes)
    }

    /// One record for each staged id whose element differs from the committed one.
    @inlinable
    func netEffect() -> [Touched] {
        var touched: [Touched] = []
        touched.reserveCapacity(staging.entries.count)
        for entry in staging.entries {
            let from = path(of: entry.id)
            let old = from.flatMap { element(at: $0) }
            if old != entry.element { touched.append(Touched(old: old, from: from, new: entry.element)) }
        }
        return touched
    }
}

extension SectionedCollection {
    /// The transaction of one id, by far the most frequent: it needs no lists and no sorting.
    @inlinable
    mutating func commitSole(_ id: Element.ID, _ element: Element?) -> Batch<Element>? {
        guard let from = path(of: id) else { return element.map { insertSole($0) } }
        if let element, sections[from.section].key == element.sectionKey { return changeSole(element, at: from) }
        var batch = Batch<Element>()
        let old = sections[from.section].elements.remove(at: from.item)
        if sections[from.section].elements.isEmpty {
            batch.sectionDeletions = [.init(index: from.section, key: sections.remove(at: from.section).key)]
        }
        if let element {
            places[id] = Place(of: element)
            let to = putIn(element, &batch.sectionInsertions)
            batch.moves = [.init(from: from, to: to, old: old, new: element)]
        } else {
            places[id] = nil
            batch.deletions = [.init(path: from, element: old)]
        }
        return batch
    }

    @inlinable
    mutating func insertSole(_ element: Element) -> Batch<Element> {
        var batch = Batch<Element>()
        places[element.id] = Place(of: element)
        let path = putIn(element, &batch.sectionInsertions)
        batch.insertions = [.init(path: path, element: element)]
        return batch
    }

    /// A change that leaves the row in its section: a move if that changes its index, otherwise an update.
    @inlinable
    mutating func changeSole(_ element: Element, at from: SectionPath) -> Batch<Element>? {
        let old = sections[from.section].elements[from.item]
        if old == element { return nil }
        var batch = Batch<Element>()
        if old.sortKey == element.sortKey {
            sections[from.section].elements[from.item] = element
            batch.updates = [.init(from: from, to: from, old: old, new: element)]
            return batch
        }
        places[element.id] = Place(of: element)
        let to = SectionPath(
            section: from.section, item: sections[from.section].elements.replace(at: from.item, by: element))
        let change = Batch<Element>.Change(from: from, to: to, old: old, new: element)
        if from == to { batch.updates = [change] } else { batch.moves = [change] }
        return batch
    }
}

/// Rows of one state that are taken out of the reckoning when the rest is numbered.
@usableFromInline
struct Residue {
    /// Ascending.
    @usableFromInline let paths: [SectionPath]

    @inlinable
    init(without paths: [SectionPath]) { self.paths = paths.sorted() }

    /// The item number a row has among those of its section that remain.
    @inlinable
    func item(of path: SectionPath) -> Int {
        let start = SectionPath(section: path.section, item: 0)
        let first = partitionPoint(paths.count) { paths[$0] < start }
        return path.item - (partitionPoint(paths.count) { paths[$0] < path } - first)
    }
}

extension Batch {
    @usableFromInline typealias Touched = SectionedCollection<Element>.Touched

    /// The canonical batch of a transaction whose paths are all known.
    @inlinable
    init(_ touched: [Touched], _ changes: SectionedCollection<Element>.SectionChanges) {
        sectionDeletions = changes.deletions
        sectionInsertions = changes.insertions
        let stays = Batch.staying(touched)
        for index in touched.indices {
            record(touched[index], stays: stays[index])
        }
        if deletions.count > 1 { deletions.sort { $0.path < $1.path } }
        if insertions.count > 1 { insertions.sort { $0.path < $1.path } }
        if moves.count > 1 { moves.sort { $0.to < $1.to } }
        if updates.count > 1 { updates.sort { $0.to < $1.to } }
    }

    @inlinable
    mutating func record(_ touched: Touched, stays: Bool) {
        if let from = touched.from, let old = touched.old {
            if let to = touched.to, let new = touched.new {
                let change = Change(from: from, to: to, old: old, new: new)
                if stays { updates.append(change) } else { moves.append(change) }
            } else {
                deletions.append(Deletion(path: from, element: old))
            }
        } else if let to = touched.to, let new = touched.new {
            insertions.append(Insertion(path: to, element: new))
        }
    }

    /// For each of the touched, whether it need not move.
    ///
    /// Untouched rows never move, so a row that stood between other untouched rows than now has to. Those left between the
    /// same ones can stay as far as they are still in order: a longest increasing subsequence of them does. Sections keep
    /// their order, so one sequence serves all.
    @inlinable
    static func staying(_ touched: [Touched]) -> [Bool] {
        var stays = Array(repeating: false, count: touched.count)
        let before = Residue(without: touched.compactMap(\.from))
        let after = Residue(without: touched.compactMap(\.to))
        var candidates: [(from: SectionPath, to: SectionPath, index: Int)] = []
        for index in touched.indices {
            guard let from = touched[index].from, let to = touched[index].to else { continue }
            guard touched[index].old?.sectionKey == touched[index].new?.sectionKey else { continue }
            if before.item(of: from) == after.item(of: to) { candidates.append((from, to, index)) }
        }
        candidates.sort { $0.from < $1.from }
        for position in longestIncreasingSubsequence(candidates.map(\.to)) {
            stays[candidates[position].index] = true
        }
        return stays
    }
}
