extension EntityModel {
    /// The rule for the positions of written rows.
    @usableFromInline
    enum Placement {
        /// The model's order determines the positions.
        case order
        /// The row, which is the only one, is placed before the one with this index among the others of its section.
        case item(Int)
        /// The rows keep the order in which they are passed; their sections contain no others.
        case given
    }

    /// Writes rows and removes others, as one transaction.
    @inlinable
    mutating func commit(
        _ rows: [Row], removing removals: [Entity.UniqueValue] = [], placement: Placement = .order
    ) throws(ModelError) -> Batch<Row>? {
        // The filter is called once per row, so that a filter with changing results cannot make a second row.
        let passes = rows.map { filter?($0.entity) ?? true }
        let visible = zip(rows, passes).filter(\.1).map(\.0)
        do throws(ModelError) {
            if visible.count < rows.count || hidden.count > 0 {
                for id in removals { hidden.remove(id) }
                for (row, passes) in zip(rows, passes) { try stageHidden(row, passes: passes) }
            }
            for id in removals { shown.remove(id) }
            for row in placed(visible, removing: removals, by: placement) { try shown.upsert(row) }
        } catch {
            shown.rollBack()
            hidden.rollBack()
            throw error
        }
        stageRanks(of: visible)
        _ = hidden.commit()
        let batch = shown.commit()
        if let batch { forgetRanks(batch.sectionDeletions) }
        return record(batch)
    }

    @inlinable
    mutating func stageHidden(_ row: Row, passes: Bool) throws(ModelError) {
        if passes {
            hidden.remove(row.id)
        } else {
            try hidden.upsert(row)
            shown.remove(row.id)
        }
    }

    /// Returns the batch. Inside `perform`, keeps it for the end and returns `nil`.
    @inlinable
    mutating func record(_ batch: Batch<Row>?) -> Batch<Row>? {
        guard journal != nil else { return batch }
        if let batch { journal?.append(batch) }
        return nil
    }

    /// Combines any number of operations into one transaction with one exact batch. Inside, an operation sees the
    /// results of those before it, and its own batch is `nil`. If `body` throws, nothing has changed.
    @inlinable
    public mutating func perform<Failure: Error>(
        _ body: (inout EntityModel) throws(Failure) -> Void
    ) throws(Failure) -> Batch<Row>? {
        let before = self
        if journal == nil { journal = [] }
        do {
            try body(&self)
        } catch {
            self = before
            throw error
        }
        if before.journal != nil { return nil }
        let batches = journal ?? []
        journal = nil
        return batches.count > 1 ? net(of: batches, since: before) : batches.first
    }

    /// Returns one batch for several: the final differences are written once more, onto the state before all of them.
    @inlinable
    mutating func net(of batches: [Batch<Row>], since before: EntityModel) -> Batch<Row>? {
        var target = before.shown
        for batch in batches {
            for id in batch.touchedIDs {
                // The row was written before, so it is not refused now.
                if let row = shown[id] { try? target.upsert(row) } else { target.remove(id) }
            }
            for key in batch.rankedSections { target.setRank(shown.rank(of: key), of: key) }
        }
        shown = target
        return shown.commit()
    }
}

extension Batch {
    /// The ids of all rows in the batch.
    @inlinable
    var touchedIDs: [Element.ID] {
        deletions.map(\.element.id) + insertions.map(\.element.id) + moves.map(\.new.id) + updates.map(\.new.id)
    }

    /// The sections whose ranks the batch contains.
    @inlinable
    var rankedSections: [Element.SectionKey] {
        sectionDeletions.map(\.key) + sectionInsertions.map(\.key) + sectionMoves.map(\.key)
    }
}
