extension Batch {
    /// The batch that leads back: applied to the new state it gives the old one.
    @inlinable
    public func inverted() -> Batch {
        var inverse = Batch()
        inverse.sectionDeletions = sectionInsertions
        inverse.sectionInsertions = sectionDeletions
        inverse.sectionMoves =
            sectionMoves
            .map { SectionMove(from: $0.to, to: $0.from, key: $0.key, oldRank: $0.newRank, newRank: $0.oldRank) }
            .sorted { $0.to < $1.to }
        inverse.checksums = checksums.map { Checksums(before: $0.after, after: $0.before) }
        inverse.deletions = insertions.map { Deletion(path: $0.path, element: $0.element) }
        inverse.insertions = deletions.map { Insertion(path: $0.path, element: $0.element) }
        inverse.moves = Batch.inverted(moves)
        inverse.updates = Batch.inverted(updates)
        return inverse
    }

    @inlinable
    static func inverted(_ changes: [Change]) -> [Change] {
        changes.map { Change(from: $0.to, to: $0.from, old: $0.new, new: $0.old) }.sorted { $0.to < $1.to }
    }
}
