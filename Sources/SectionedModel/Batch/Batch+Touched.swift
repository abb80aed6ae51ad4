extension Batch {
    @usableFromInline typealias Touched = SectionedCollection<Element>.Touched

    /// Creates the canonical batch of a transaction whose paths are all known.
    @inlinable
    init(_ touched: [Touched], _ changes: SectionedCollection<Element>.SectionChanges) {
        var lists = Lists()
        lists.sectionDeletions = changes.deletions
        lists.sectionInsertions = changes.insertions
        lists.sectionMoves = changes.moves
        let stays = Batch.staying(touched)
        // The order is computed before the lists are filled: its entries are small, an element may not be.
        var order = touched.indices.compactMap { index in
            (touched[index].to ?? touched[index].from).map { (path: $0, index: index) }
        }
        if order.count > 1 { order.sort { $0.path < $1.path } }
        for (_, index) in order { lists.record(touched[index], stays: stays.isEmpty ? false : stays[index]) }
        contents = Contents(lists)
    }

    /// Returns for each touched row whether it need not move; empty if none of them is in both states.
    ///
    /// Untouched rows never move, so a row that is between other untouched rows than before has to. The rows that are
    /// still between the same ones can stay as far as they are in order: those of a longest increasing subsequence do.
    /// Rows are only compared with rows of their section, so the new items are numbered under the old section, and one
    /// sequence serves all sections.
    @inlinable
    static func staying(_ touched: [Touched]) -> [Bool] {
        guard touched.contains(where: { $0.from != nil && $0.to != nil }) else { return [] }
        var stays = Array(repeating: false, count: touched.count)
        let before = SurvivingRows(without: touched.compactMap(\.from))
        let after = SurvivingRows(without: touched.compactMap(\.to))
        var candidates: [(from: SectionPath, to: SectionPath, index: Int)] = []
        for index in touched.indices {
            guard let from = touched[index].from, let to = touched[index].to else { continue }
            guard touched[index].old?.sectionKey == touched[index].new?.sectionKey else { continue }
            guard before.number(of: from) == after.number(of: to) else { continue }
            candidates.append((from, SectionPath(section: from.section, item: to.item), index))
        }
        candidates.sort { $0.from < $1.from }
        for position in longestIncreasingSubsequence(candidates.map(\.to)) {
            stays[candidates[position].index] = true
        }
        return stays
    }
}

extension SectionedCollection.Touched {
    /// Creates the change of one id from a batch, without a state: it has neither slot nor hash.
    @inlinable
    init(_ old: Batch<Element>.RowLink.Stand?, _ new: Batch<Element>.RowLink.Stand?) {
        self.init(old: old?.element, slot: nil, new: new?.element, hash: 0)
        from = old?.path
        to = new?.path
    }
}

extension Batch.Lists {
    @inlinable
    mutating func record(_ touched: Batch<Element>.Touched, stays: Bool) {
        if let from = touched.from, let old = touched.old {
            if let to = touched.to, let new = touched.new {
                let change = Batch.Change(from: from, to: to, old: old, new: new)
                if stays { updates.append(change) } else { moves.append(change) }
            } else {
                deletions.append(Batch.Deletion(path: from, element: old))
            }
        } else if let to = touched.to, let new = touched.new {
            insertions.append(Batch.Insertion(path: to, element: new))
        }
    }
}
