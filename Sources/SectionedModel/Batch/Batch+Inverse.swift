extension Batch {
    /// Returns the inverse batch: applied to the new state, it leads to the old one.
    @inlinable
    public func inverted() -> Batch {
        var inverse: Batch
        if let sole = soleChange {
            inverse = Batch()
            inverse.contents = .sole(SoleChange(sole.change.inverted(), moves: sole.moves))
        } else {
            inverse = Batch(
                sectionDeletions: sectionInsertions, sectionInsertions: sectionDeletions,
                sectionMoves: sectionMoves.map {
                    SectionMove(from: $0.to, to: $0.from, key: $0.key, oldRank: $0.newRank, newRank: $0.oldRank)
                }.sorted { $0.to < $1.to },
                deletions: insertions.map { Deletion(path: $0.path, element: $0.element) },
                insertions: deletions.map { Insertion(path: $0.path, element: $0.element) },
                moves: Batch.inverted(moves), updates: Batch.inverted(updates))
        }
        inverse.checksums = checksums.map { Checksums(before: $0.after, after: $0.before) }
        return inverse
    }

    @inlinable
    static func inverted(_ changes: [Change]) -> [Change] {
        changes.map { $0.inverted() }.sorted { $0.to < $1.to }
    }
}

extension Batch.Change {
    @inlinable
    func inverted() -> Self { Self(from: to, to: from, old: new, new: old) }
}
